/** Values in a table of dBASE that GDAL reads or writes otherwise than the format states. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Layer } from '../../layers/layer.ts'

const [HEAD_BYTES, FIELD_BYTES, END_OF_FIELDS] = [32, 32, 0x0d]
const [SPACE, ZERO, DELETED] = [0x20, 0x30, 0x2a]

type Column = { type: string; at: number; width: number }

function columnsOf(bytes: Buffer): Column[] {
  const columns: Column[] = []
  // a mark of deletion precedes the values
  let at = 1
  for (let i = HEAD_BYTES; i + FIELD_BYTES <= bytes.length && bytes[i] !== END_OF_FIELDS; i += FIELD_BYTES) {
    const type = bytes.toString('latin1', i + 11, i + 12)
    // texts have no decimals, whose byte extends the width
    const width = (bytes[i + 16] as number) + (type === 'C' ? 256 * (bytes[i + 17] as number) : 0)
    columns.push({ type, at, width })
    at += width
  }
  return columns
}

function* rowsOf(bytes: Buffer): Generator<Buffer> {
  const [count, headBytes, rowBytes] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)]
  for (let i = 0, at = headBytes; i < count && rowBytes > 0 && at + rowBytes <= bytes.length; i++, at += rowBytes)
    yield bytes.subarray(at, at + rowBytes)
}

const spacesBefore = (row: Buffer, { at, width }: Column): number => {
  let spaces = 0
  while (spaces < width && row[at + spaces] === SPACE) spaces++
  return spaces
}

/** The layer with the spaces before its texts, which GDAL drops. Spaces behind them fill the field. */
export function withLeadingSpaces(layer: Layer, path: string): Layer {
  const bytes = readFileSync(path)
  const columns = bytes.length < HEAD_BYTES ? [] : columnsOf(bytes)
  if (columns.length !== layer.fields.length) return layer
  let feature = 0
  for (const row of rowsOf(bytes)) {
    // GDAL leaves out deleted rows
    if (row[0] === DELETED) continue
    const values = layer.features[feature++]?.values
    for (const [i, column] of columns.entries()) {
      const text = values?.[i]
      if (column.type === 'C' && typeof text === 'string' && row[column.at] === SPACE && !text.startsWith(' '))
        values?.splice(i, 1, ' '.repeat(spacesBefore(row, column)) + text)
    }
  }
  return layer
}

/** Dates have eight digits; GDAL writes spaces before a year of fewer than four. */
export function padDates(path: string): void {
  const bytes = readFileSync(path)
  const dates = columnsOf(bytes).filter(({ type }) => type === 'D')
  let isChanged = false
  for (const row of rowsOf(bytes))
    for (const column of dates) {
      const spaces = spacesBefore(row, column)
      if (spaces === 0 || spaces === column.width) continue
      row.fill(ZERO, column.at, column.at + spaces)
      isChanged = true
    }
  if (isChanged) writeFileSync(path, bytes)
}
