/** Exports of the embedded ClickHouse in formats that go through a file: errors, clients that disconnect, and kills. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RecordBatchReader } from 'apache-arrow'
import type { ClickHouse, StreamFormat } from '../../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { until } from '../../../support/until.ts'

const FORMATS = ['Parquet', 'ArrowStream'] satisfies StreamFormat[]
const VERY_MANY = 'SELECT number, rand64() AS noise FROM numbers(1000000000000)'
const ROWS = 3_000_000

const home = mkdtempSync(join(tmpdir(), 'groundwave-exports-'))
const dir = join(home, 'clickhouse')
const exportsDir = `${dir}-exports`
let pid = 0
let clickhouse: ClickHouse
beforeAll(async () => {
  mkdirSync(exportsDir)
  writeFileSync(join(exportsDir, 'of-a-killed-server'), 'rows')
  clickhouse = await openEmbeddedClickHouse(dir, {
    onLog: (_level, text) => {
      pid = Number(/^ready .*pid (\d+)$/.exec(text)?.[1] ?? pid)
    },
  })
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(home, { recursive: true })
})

const files = (): string[] => (existsSync(exportsDir) ? readdirSync(exportsDir) : [])
async function running(): Promise<number> {
  const rows = await clickhouse.rows(
    "SELECT 1 AS n FROM system.processes WHERE query LIKE 'INSERT INTO FUNCTION file%'",
  )
  return rows.length
}
const nothingIsLeft = (): Promise<void> =>
  until(async () => (await running()) === 0 && files().length === 0, 'the end of statements and files')
const begin = (query: string, format: StreamFormat): AsyncIterator<Uint8Array> =>
  clickhouse.stream(query, {}, format)[Symbol.asyncIterator]()

/** The bytes that a client gets before an error, and the error's code. */
async function readUntilError(pieces: AsyncIterator<Uint8Array>): Promise<{ bytes: number; code: unknown }> {
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await pieces.next()
      if (done === true) throw new Error('it was complete')
      bytes += value.length
    }
  } catch (error) {
    return { bytes, code: (error as { code?: unknown }).code }
  }
}

test('the start deletes export files of a killed server', () => {
  expect(files()).toEqual([])
})

test.each(FORMATS)('%s begins while its query runs; when the reader disconnects, the query ends', async (format) => {
  const pieces = begin(VERY_MANY, format)
  expect((await pieces.next()).value?.length).toBeGreaterThan(0)
  expect(await running()).toBe(1)
  await pieces.return?.(undefined)
  await nothingIsLeft()
})

test('readers that disconnect at once leave nothing behind', async () => {
  await Promise.all(
    Array.from({ length: 10 }, async (_, i) => {
      const pieces = begin(VERY_MANY, FORMATS[i % 2] as StreamFormat)
      await pieces.next()
      await pieces.return?.(undefined)
    }),
  )
  await nothingIsLeft()
})

test.each(FORMATS)('%s whose query fails in the middle or before it begins is not complete', async (format) => {
  // with two threads, the last rows might come first
  const late = `SELECT number, throwIf(number = ${ROWS - 1}) FROM numbers(${ROWS}) SETTINGS max_threads = 1`
  const { bytes, code } = await readUntilError(begin(late, format))
  expect(bytes).toBeGreaterThan(0)
  expect(code).toBe('395')
  expect(await readUntilError(begin('SELECT throwIf(1)', format))).toEqual({ bytes: 0, code: '395' })
  expect(await readUntilError(begin('SELECT nothing', format))).toEqual({ bytes: 0, code: '47' })
  await nothingIsLeft()
})

test('slow readers get every row, and delay neither each other nor other queries', async () => {
  const slow = Array.from({ length: 20 }, () => begin(`SELECT number FROM numbers(${ROWS})`, 'ArrowStream'))
  const firsts = await Promise.all(slow.map((pieces) => pieces.next()))
  expect(await clickhouse.rows('SELECT 1 AS n')).toEqual([{ n: 1 }])
  await until(async () => (await running()) === 0, 'the end of the queries, which do not wait for their readers')
  for (const [i, pieces] of slow.entries()) {
    const all = [firsts[i]?.value as Uint8Array]
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) all.push(next.value)
    let [rows, sum] = [0, 0n]
    for (const batch of RecordBatchReader.from(Buffer.concat(all))) {
      rows += batch.numRows
      for (const number of (batch.getChild('number')?.toArray() ?? []) as BigUint64Array) sum += number
    }
    expect([rows, sum]).toEqual([ROWS, (BigInt(ROWS) * BigInt(ROWS - 1)) / 2n])
  }
  await nothingIsLeft()
}, 120_000)

test('an export without rows is a complete file', async () => {
  const pieces = await Array.fromAsync(clickhouse.stream('SELECT number FROM numbers(0)', {}, 'ArrowStream'))
  const reader = RecordBatchReader.from(Buffer.concat(pieces)).open()
  expect(reader.schema.fields.map(({ name }) => name)).toEqual(['number'])
  expect([...reader].reduce((rows, batch) => rows + batch.numRows, 0)).toBe(0)
})

test.each(FORMATS)('%s breaks when the process is killed', async (format) => {
  const killed = pid
  const pieces = begin(VERY_MANY, format)
  await pieces.next()
  process.kill(killed, 'SIGKILL')
  const { code } = await readUntilError(pieces)
  expect(code).toBe('STORE_UNAVAILABLE')
  await until(() => pid !== killed, 'the restart')
  await nothingIsLeft()
})
