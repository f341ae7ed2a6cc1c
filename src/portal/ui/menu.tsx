/** A button that opens a list of actions or choices. Arrow keys move, Escape closes. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

export type MenuItem = {
  label: ComponentChildren
  icon?: IconName
  /** An address, or an action. */
  onSelect: string | (() => void)
  /** For a choice among several items. */
  isChecked?: boolean
  /** Switched on or off; the list stays open for the next. */
  isOption?: boolean
  isDanger?: boolean
}

export function Menu(props: {
  label: string
  button: ComponentChildren
  items: (MenuItem | 'line')[]
  align?: 'start' | 'end'
  /** Shown above the items, when there are more than can be shown. */
  search?: { label: string; value: string; onInput: (text: string) => void }
}) {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const { search } = props
  const items = (): HTMLElement[] => [...(root.current?.querySelectorAll<HTMLElement>('[data-item]') ?? [])]

  useLayoutEffect(() => {
    if (isOpen && root.current !== null && list.current !== null) place(root.current, list.current)
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    ;(root.current?.querySelector<HTMLElement>('.menu-search') ?? items()[0])?.focus()
    const close = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    addEventListener('pointerdown', close)
    addEventListener('focusin', close)
    return () => {
      removeEventListener('pointerdown', close)
      removeEventListener('focusin', close)
    }
  }, [isOpen])

  function onKeyDown(event: KeyboardEvent): void {
    if (!isOpen) return
    const all = items()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const isTyping = event.target instanceof HTMLInputElement
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? all.length - 1 : at - 1,
      // these keys edit the text of the search field
      ...(!isTyping && { Home: 0, End: all.length - 1 }),
    }[event.key]
    if (next !== undefined && all.length > 0) {
      event.preventDefault()
      all[(next + all.length) % all.length]?.focus()
    } else if (event.key === 'Escape') {
      event.preventDefault()
      setOpen(false)
      root.current?.querySelector<HTMLElement>('.menu-button')?.focus()
    }
  }

  function select({ onSelect, isOption }: MenuItem): void {
    if (isOption === undefined) setOpen(false)
    if (typeof onSelect === 'function') onSelect()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: passes the keys of its items on
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="menu-button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={props.label}
        title={props.label}
        onClick={() => setOpen(!isOpen)}
      >
        {props.button}
      </button>
      {isOpen && (
        <div ref={list} class={`menu-list menu-${props.align ?? 'end'}`}>
          {search && (
            <input
              class="menu-search"
              type="search"
              dir="auto"
              aria-label={search.label}
              placeholder={search.label}
              value={search.value}
              onInput={(event) => search.onInput(event.currentTarget.value)}
            />
          )}
          <div role="menu" aria-label={props.label}>
            {props.items.map((item, i) =>
              item === 'line' ? <hr key={i} /> : <Item key={i} item={item} onSelect={() => select(item)} />,
            )}
          </div>
        </div>
      )}
    </div>
  )
}

const GAP = 8

/** Opens the list upwards where there is more room, and makes it no longer than the room. */
function place(root: HTMLElement, list: HTMLElement): void {
  const { top, bottom } = root.getBoundingClientRect()
  const bar = document.querySelector('.rail')?.getBoundingClientRect()
  // on phones, the navigation is a bar at the bottom
  const floor = bar !== undefined && bar.top >= bottom ? bar.top : innerHeight
  const [above, below] = [top - GAP, floor - bottom - GAP]
  const isUp = list.scrollHeight > below && above > below
  list.classList.toggle('menu-up', isUp)
  list.style.maxHeight = `min(70vh, ${Math.floor(isUp ? above : below)}px)`
}

function Item({ item, onSelect }: { item: MenuItem; onSelect: () => void }) {
  const isOn = item.isChecked ?? item.isOption
  const role =
    item.isOption !== undefined ? 'menuitemcheckbox' : item.isChecked === undefined ? 'menuitem' : 'menuitemradio'
  const inside = (
    <>
      {isOn !== undefined && <span class="menu-check">{isOn && <Icon name="check" />}</span>}
      {item.icon && <Icon name={item.icon} />}
      <span>{item.label}</span>
    </>
  )
  const attributes = {
    role,
    tabIndex: -1,
    'data-item': true,
    'aria-checked': isOn,
    class: item.isDanger ? 'menu-item menu-danger' : 'menu-item',
    onClick: onSelect,
  } as const
  return typeof item.onSelect === 'string' ? (
    <a href={item.onSelect} {...attributes}>
      {inside}
    </a>
  ) : (
    <button type="button" {...attributes}>
      {inside}
    </button>
  )
}
