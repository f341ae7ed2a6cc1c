/** Filters as links: each can be opened in a new tab and shared. */
import type { ComponentChildren } from 'preact'
import { formatWhole } from '../text/format.ts'

export type Chip = {
  id: string
  label: ComponentChildren
  /** The address with the filter toggled. */
  href: string
  isOn: boolean
  count?: number | undefined
}

export function Chips({ label, chips }: { label: string; chips: Chip[] }) {
  return (
    <ul class="chips" aria-label={label}>
      {chips.map(({ id, label: text, href, isOn, count }) => (
        <li key={id}>
          <a
            class={count === 0 && !isOn ? 'chip chip-none' : 'chip'}
            href={href}
            aria-current={isOn ? 'true' : undefined}
          >
            {text}
            {count !== undefined && <span class="chip-count number">{formatWhole(count)}</span>}
          </a>
        </li>
      ))}
    </ul>
  )
}
