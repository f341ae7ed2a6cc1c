/** Records of sensors as rows of a spreadsheet, and the changes that somebody made to the rows. */
import { t } from '../../../text/text.ts'
import { csvFile, csvLine } from '../../../ui/table/csv.ts'
import { readHead, readRows } from '../../../ui/table/csv-reader.ts'
import { isEmptyRow } from '../../../ui/table/csv-rows.ts'
import { tagsIn } from '../tags-editor.tsx'
import type { Change, SensorRecord } from './sensor-edits.ts'

const COLUMNS = ['id', 'externalId', 'name', 'asset', 'tags', 'enabled'] as const
type Column = (typeof COLUMNS)[number]
/** A row of the file: the wanted values of the columns that it has. */
export type SheetRow = { row: number; id: string; values: Partial<Record<Column, string>> }
export type SheetChange = {
  id: string
  name: string
  change: Change
  parts: { field: Column; from: string; to: string }[]
}
export type SheetFault = { row: number; id: string; reason: string }

const MAX_ROWS = 10_000

const cellsOf = ({ id, externalId, name, assetName, tags, enabled }: SensorRecord): Record<Column, string> => ({
  id,
  externalId: externalId ?? '',
  name,
  asset: assetName,
  tags: tags.join('; '),
  enabled: String(enabled),
})

/** The file that people change. Its columns have the same names in every language, by which they are found again. */
export const sheetOf = (sensors: readonly SensorRecord[]): Blob =>
  csvFile([
    csvLine(COLUMNS),
    ...sensors.map((sensor) => {
      const cells = cellsOf(sensor)
      return csvLine(COLUMNS.map((column) => cells[column]))
    }),
  ])

/** Without the apostrophe that keeps a spreadsheet from running a text as a formula. */
const plainCell = (text: string): string => text.trim().replace(/^'(?=[=+\-@])/, '')

/** @throws Error whose message is for the person */
export async function readSheet(file: File, signal: AbortSignal): Promise<SheetRow[]> {
  const format = await readHead(file)
  const columns = (format.rows[0] ?? []).map((title) =>
    COLUMNS.find((one) => one.toLowerCase() === title.trim().toLowerCase()),
  )
  if (!columns.includes('id') || columns.filter((column) => column !== undefined).length < 2)
    throw new Error(t('bulk.sheetColumns', { columns: COLUMNS.join(', ') }))
  const found: SheetRow[] = []
  const seen = new Set<string>()
  for await (const { first, rows } of readRows(file, format, { signal }))
    for (const [i, cells] of rows.entries()) {
      if (first + i === 1 || isEmptyRow(cells)) continue
      const values: SheetRow['values'] = {}
      for (const [at, column] of columns.entries())
        if (column !== undefined) values[column] = plainCell(cells[at] ?? '')
      const id = values.id ?? ''
      if (seen.has(id)) throw new Error(t('bulk.sheetTwice', { row: first + i }))
      seen.add(id)
      found.push({ row: first + i, id, values })
      if (found.length > MAX_ROWS) throw new Error(t('bulk.sheetMost', { count: MAX_ROWS }))
    }
  return found
}

const sorted = (tags: readonly string[]): string => tags.toSorted().join('\n')

/** What the row changes of the sensor; undefined if nothing. */
export function changeOf(sensor: SensorRecord, { values }: SheetRow): SheetChange | undefined {
  const change: Change = {}
  const before = cellsOf(sensor)
  const { externalId, name, asset, tags, enabled } = values
  if (externalId !== undefined && externalId !== before.externalId) change.externalId = externalId || null
  if (name !== undefined && name !== sensor.name) change.name = name
  if (asset !== undefined && asset !== sensor.assetName) change.assetName = asset
  if (tags !== undefined && tags !== before.tags && sorted(tagsIn(tags)) !== sorted(sensor.tags))
    change.tags = tagsIn(tags)
  const isOn = enabled === undefined ? sensor.enabled : enabledIn(enabled)
  if (isOn !== sensor.enabled) change.enabled = isOn
  const after = cellsOf({ ...sensor, ...change } as SensorRecord)
  const parts = COLUMNS.filter((field) => before[field] !== after[field]).map((field) => ({
    field,
    from: before[field],
    to: after[field],
  }))
  return parts.length === 0 ? undefined : { id: sensor.id, name: sensor.name, change, parts }
}

/** Spreadsheets write them in capitals. @throws Error whose message is for the person */
function enabledIn(text: string): boolean {
  const value = text.toLowerCase()
  if (value !== 'true' && value !== 'false') throw new Error(t('bulk.sheetEnabled'))
  return value === 'true'
}
