/** Tables of numbers as ClickHouse sends them. */
import { expect, test } from 'bun:test'
import { readNumberTable } from '../../../../src/stores/clickhouse/queries/number-table.ts'

/** RowBinaryWithNamesAndTypes, by its description: LEB128 count, names and types with their lengths, then the rows. */
function encoded(names: readonly string[], rows: readonly (readonly number[])[]): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
  const doubles = Buffer.from(new Float64Array(rows.flat()).buffer)
  return Buffer.concat([Buffer.from([names.length]), ...names.map(text), ...names.map(() => text('Float64')), doubles])
}

const ROWS = [
  [1, -0.5],
  [Number.POSITIVE_INFINITY, 1e300],
]

test.each([
  ['bytes of their own', (bytes: Buffer) => new Uint8Array(bytes)],
  // small buffers share memory with others, at any offset
  ['a part of a larger buffer', (bytes: Buffer) => Buffer.concat([Buffer.from('abc'), bytes]).subarray(3)],
])('numbers are read from %s', (_, place) => {
  const table = readNumberTable(place(encoded(['a', 'bc'], ROWS)) as Uint8Array<ArrayBuffer>)
  expect({ ...table, cells: [...table.cells] }).toEqual({ rows: 2, columns: 2, cells: ROWS.flat() })
})

test('an empty answer has no rows', () => {
  expect(readNumberTable(new Uint8Array(encoded(['a'], [])))).toMatchObject({ rows: 0, columns: 1 })
  expect(readNumberTable(new Uint8Array())).toMatchObject({ rows: 0, columns: 0 })
})
