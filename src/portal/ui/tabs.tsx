/** Tabs. Arrow keys move between them. */
import { formatWhole } from '../text/format.ts'

export type Tab = { id: string; label: string; count?: number }

export function Tabs(props: { label: string; tabs: Tab[]; selected: string; onSelect: (id: string) => void }) {
  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const backward = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft'
    const step = { [forward]: 1, [backward]: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const { tabs } = props
    const at = tabs.findIndex(({ id }) => id === props.selected)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (next === undefined) return
    props.onSelect(next.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={props.label} tabIndex={-1} onKeyDown={onKeyDown}>
      {props.tabs.map(({ id, label, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          data-tab={id}
          aria-selected={id === props.selected}
          tabIndex={id === props.selected ? 0 : -1}
          onClick={() => props.onSelect(id)}
        >
          {label}
          {count !== undefined && <span class="tab-count">{formatWhole(count)}</span>}
        </button>
      ))}
    </div>
  )
}
