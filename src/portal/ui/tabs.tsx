/** Tabs. Arrow keys move between them. */
import { useLayoutEffect, useRef } from 'preact/hooks'
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
  const list = useRef<HTMLDivElement>(null)
  // where there is no room for all tabs, the selected one is in view
  useLayoutEffect(() => {
    const selected = list.current?.querySelector('[aria-selected="true"]')
    if (!list.current || !selected) return
    const [tab, room] = [selected.getBoundingClientRect(), list.current.getBoundingClientRect()]
    list.current.scrollLeft += Math.max(0, tab.right - room.right) + Math.min(0, tab.left - room.left)
  }, [props.selected])
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={props.label} tabIndex={-1} onKeyDown={onKeyDown}>
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
