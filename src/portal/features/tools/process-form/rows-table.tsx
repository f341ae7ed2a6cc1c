/** A list of objects or positions as a table. Cells of a spreadsheet can be pasted into it. */
import type { TextKey } from '../../../text/catalogue.ts'
import { formatWhole } from '../../../text/format.ts'
import { inDigits, t } from '../../../text/text.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Cell } from './cell.tsx'
import { blankRow, cellsOf, type Entered, shapeOf } from './entered.ts'
import type { Schema } from './process.ts'
import type { FaultAt } from './structure-props.ts'

/** With more columns, each row is a group of fields instead. */
const MAX_COLUMNS = 5

type Column = { key: string; title: string; schema: Schema; isOptional: boolean }

/** @returns undefined for rows that do not fit into a table */
export function columnsOf(items: Schema): Column[] | undefined {
  const cells = cellsOf(items)
  if (cells !== undefined)
    return cells.map((title, i) => ({ key: String(i), title, schema: items.items ?? {}, isOptional: false }))
  const columns = Object.entries(items.properties ?? {}).map(([key, schema]) => ({
    key,
    schema,
    title: inDigits(schema.description ?? (t(`figures.${key}` as TextKey) || key)),
    isOptional: items.required?.includes(key) !== true,
  }))
  const areCells = columns.every(({ schema }) => ['flag', 'choice', 'number', 'text'].includes(shapeOf(schema)))
  return areCells && columns.length <= MAX_COLUMNS ? columns : undefined
}

const cellAt = (row: Entered, key: string): Entered | undefined =>
  typeof row === 'object' ? (row as Record<string, Entered>)[key] : undefined

const withCell = (row: Entered, key: string, value: Entered): Entered =>
  Array.isArray(row) ? row.with(Number(key), value) : { ...(row as Record<string, Entered>), [key]: value }

/** Lines of cells as spreadsheets and coordinate lists write them; undefined for text that belongs into one cell. */
function pastedCells(text: string): string[][] | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const separator = ['\t', ';', ','].find((one) => lines[0]?.includes(one))
  if (lines.length < 2 && separator !== '\t') return undefined
  return lines.map((line) => (separator === undefined ? [line] : line.split(separator)).map((cell) => cell.trim()))
}

export function RowsTable(props: {
  items: Schema
  columns: readonly Column[]
  path: string
  /** Prefix of the ids of its cells, `<id>-<row>-<column>`. */
  id: string
  rows: readonly Entered[]
  mostShown: number
  faultAt: FaultAt
  onChange: (rows: Entered[]) => void
}) {
  const { items, columns, rows, onChange } = props

  /** Fills cells from one on, and adds rows where there are too few. */
  function paste(at: number, from: number, text: string): boolean {
    const pasted = pastedCells(text)
    if (pasted === undefined) return false
    const next = [...rows]
    for (const [i, cells] of pasted.entries()) {
      let row = next[at + i] ?? blankRow(items)
      for (const [k, cell] of cells.entries()) {
        const column = columns[from + k]
        if (column !== undefined) row = withCell(row, column.key, cell)
      }
      next[at + i] = row
    }
    onChange(next)
    return true
  }

  return (
    <table class="rows-table">
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">{t('processForm.row')}</span>
          </th>
          {columns.map(({ key, title }) => (
            <th key={key} scope="col">
              <bdi>{title}</bdi>
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, props.mostShown).map((row, at) => (
          <Row
            key={at}
            {...props}
            row={row}
            at={at}
            onRow={(changed) => onChange(rows.with(at, changed))}
            onPaste={(from, text) => paste(at, from, text)}
            onRemove={() => onChange(rows.toSpliced(at, 1))}
          />
        ))}
      </tbody>
    </table>
  )
}

function Row(props: {
  columns: readonly Column[]
  path: string
  id: string
  row: Entered
  at: number
  faultAt: FaultAt
  onRow: (row: Entered) => void
  onPaste: (from: number, text: string) => boolean
  onRemove: () => void
}) {
  const { id, row, at, faultAt } = props
  const place = `${props.path}.${at}`
  const fault = faultAt(place)
  return (
    <tr>
      <th scope="row" class="number weak">
        {formatWhole(at + 1)}
      </th>
      {props.columns.map((column, i) => {
        const cell = `${id}-${at}-${i}`
        const cellFault = faultAt(`${place}.${column.key}`)
        return (
          <td key={column.key}>
            <Cell
              id={cell}
              schema={column.schema}
              isOptional={column.isOptional}
              label={t('processForm.cellOf', { column: column.title, number: at + 1 })}
              value={cellAt(row, column.key)}
              fault={cellFault}
              onChange={(value) => props.onRow(withCell(row, column.key, value))}
              onPaste={(text) => props.onPaste(i, text)}
            />
            {cellFault !== undefined && (
              <div class="field-error" id={`${cell}-error`} role="alert">
                {cellFault}
              </div>
            )}
          </td>
        )
      })}
      <td>
        <IconButton icon="close" label={t('processForm.removeRow', { number: at + 1 })} onClick={props.onRemove} />
        {fault !== undefined && (
          <div class="field-error" role="alert">
            {fault}
          </div>
        )}
      </td>
    </tr>
  )
}
