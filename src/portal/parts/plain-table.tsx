/** A table of few rows. Where it is wider than the screen it scrolls by itself, and the keyboard can do that too. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Tables of this kind have a row below each other's cells on phones, where a table of many columns would be cut. */
export const ROWS_ON_PHONE = 'rows-on-phone'
/** The same for rows of a time and its values, which have as many columns as a sensor has channels. */
export const VALUES_ON_PHONE = 'values-on-phone'

export function PlainTable(props: { label: string; kind?: string; children: ComponentChildren }) {
  const { label, kind, children } = props
  const table = useRef<HTMLTableElement>(null)
  useLayoutEffect(() => labelCells(table.current))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      class={kind === undefined ? 'plain-table' : `plain-table ${kind}`}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll, and the keyboard must reach them
      tabIndex={0}
    >
      <table ref={table}>{children}</table>
    </div>
  )
}

/** The titles of columns. `actions` says what the buttons of a row are, to those who hear the table. */
export function TableHead({ titles, actions }: { titles: readonly string[]; actions?: string }) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
        {actions !== undefined && (
          <th scope="col">
            <span class="visually-hidden">{actions}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

/** Cells that stand below each other are named by their columns. Columns of buttons have hidden names. */
function labelCells(table: HTMLTableElement | null): void {
  const titles = [...(table?.tHead?.rows[0]?.cells ?? [])].map((cell) =>
    cell.querySelector('.visually-hidden') === null ? (cell.textContent ?? '') : '',
  )
  for (const { rows } of table?.tBodies ?? [])
    for (const { cells } of rows)
      for (const cell of cells) {
        const title = titles[cell.cellIndex] ?? ''
        if (cell.tagName === 'TD' && title !== '' && cell.dataset.label !== title) cell.dataset.label = title
      }
}
