/** A table of few rows. If it is wider than the screen it scrolls by itself, also with the keyboard. */
import type { ComponentChildren } from 'preact'

/** On phones, tables of this kind stack the cells of a row, where a wide table would be cut off. */
export const ROWS_ON_PHONE = 'rows-on-phone'
/** The same for rows with a time and its values, which have as many columns as a sensor has channels. */
export const VALUES_ON_PHONE = 'values-on-phone'

/** Classes of cells whose heads are aligned above their numbers. */
const NUMBERS = /number-cell|table-number/

type ColumnOptions<Row> = {
  /** Shown in the head instead of the title. */
  head?: ComponentChildren
  /** Whether cells need no visible title, such as buttons: only screen readers get the title then. */
  isTitleHidden?: boolean
  /** The cell is the header of its row. */
  isName?: boolean
  /** Class of the cells. */
  kind?: string
  attributes?: (row: Row) => object
}
/** The title is also the label of a cell in the stacked layout on a phone. */
export type PlainColumn<Row> = readonly [
  title: string,
  cell: (row: Row, index: number) => ComponentChildren,
  options?: ColumnOptions<Row>,
]
type Rows<Row> = {
  rows: readonly Row[]
  /** Columns that are false are omitted. */
  columns: readonly (PlainColumn<Row> | false)[]
  keyOf: (row: Row, index: number) => string | number
  /** More attributes of a row. */
  attributesOf?: (row: Row) => object
}

/** The values of a channel, with its name as a text and in the head. */
export function channelColumn<Row>(
  { unit }: { unit: string | null },
  name: string,
  nameInHead: ComponentChildren,
  cell: (row: Row) => ComponentChildren,
): PlainColumn<Row> {
  const head = (
    <>
      {nameInHead}{' '}
      {unit !== null && (
        <bdi class="weak" dir="ltr">
          {unit}
        </bdi>
      )}
    </>
  )
  return [unit === null ? name : `${name} ${unit}`, cell, { head, kind: 'number number-cell' }]
}

export function PlainTable<Row>({ label, kind, ...rows }: Rows<Row> & { label: string; kind?: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      class={kind === undefined ? 'plain-table' : `plain-table ${kind}`}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll, and the keyboard must reach them
      tabIndex={0}
    >
      <table>
        <TableRows {...rows} />
      </table>
    </div>
  )
}

/** The head and the rows of any table. */
export function TableRows<Row>({ rows, columns, keyOf, attributesOf }: Rows<Row>) {
  const shown = columns.filter((column) => column !== false)
  return (
    <>
      <thead>
        <tr>
          {shown.map(([title, , { head, isTitleHidden, kind } = {}], i) => (
            <th key={i} scope="col" class={NUMBERS.exec(kind ?? '')?.[0]}>
              {isTitleHidden ? <span class="visually-hidden">{title}</span> : (head ?? title)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)} {...attributesOf?.(row)}>
            {shown.map(([title, cell, { isTitleHidden, isName, kind, attributes } = {}], i) =>
              isName ? (
                <th key={i} scope="row" class={kind} {...attributes?.(row)}>
                  {cell(row, index)}
                </th>
              ) : (
                <td key={i} data-label={isTitleHidden ? undefined : title} class={kind} {...attributes?.(row)}>
                  {cell(row, index)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </>
  )
}
