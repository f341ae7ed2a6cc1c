/**
 * Compares table layouts for readings in ClickHouse, on the same seeded million readings of three values and a
 * location, interleaved by call: CPU time of the insert and of the following merge, bytes on disk after it, and a
 * one-channel chart of one sensor. Each layout runs in a fresh process: `bun run bench:table-shape`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedClickHouse } from '../src/stores/clickhouse/embedded.ts'
import { writeInt64 } from '../src/stores/clickhouse/row-binary.ts'

const SENSORS = 1000
const CALLS = 2000
const PER_CALL = 500
const READINGS = CALLS * PER_CALL

type Reading = { sensor: number; atMs: number; values: number[]; longitude: number; latitude: number; call: number }

function* fleet(): Generator<Reading> {
  let state = 42
  const random = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
  const start = Math.floor(Date.now() / 1000) * 1000 - 30 * 86_400_000
  const sensors = Array.from({ length: SENSORS }, () => ({
    atMs: start + Math.floor(random() * 1000),
    values: [20, 50, 1013],
    longitude: random() * 340 - 170,
    latitude: random() * 160 - 80,
  }))
  for (let call = 0; call < CALLS; call++) {
    const index = Math.floor(random() * SENSORS)
    const sensor = sensors[index] as (typeof sensors)[number]
    for (let i = 0; i < PER_CALL; i++) {
      sensor.atMs += 1000
      sensor.values = sensor.values.map((value) => Math.round((value + (random() - 0.5) * 0.2) * 100) / 100)
      sensor.longitude = Math.round((sensor.longitude + (random() - 0.5) * 1e-4) * 1e6) / 1e6
      sensor.latitude = Math.round((sensor.latitude + (random() - 0.5) * 1e-4) * 1e6) / 1e6
      yield { ...sensor, sensor: index + 1, call }
    }
  }
}

class RowWriter {
  readonly bytes = Buffer.allocUnsafe(READINGS * 160)
  readonly view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
  length = 0
  u8(value: number): void {
    this.bytes[this.length++] = value
  }
  u16(...values: number[]): void {
    for (const value of values) this.length = this.bytes.writeUInt16LE(value, this.length)
  }
  u32(...values: number[]): void {
    for (const value of values) this.length = this.bytes.writeUInt32LE(value, this.length)
  }
  i64(value: number): void {
    writeInt64(this.view, this.length, value)
    this.length += 8
  }
  f64(...values: number[]): void {
    for (const value of values) this.length = this.bytes.writeDoubleLE(value, this.length)
  }
}

type Table = { columns: [name: string, type: string][]; key: string; write(row: RowWriter, reading: Reading): void }
type Shape = { tables: Table[]; chart: string }

const HEAD: [string, string][] = [
  ['enterprise', 'UInt32'],
  ['sensor', 'UInt32'],
]
const AT: [string, string] = ['at', "DateTime64(3, 'UTC')"]
const PLACE: [string, string][] = [
  ['longitude', 'Float64'],
  ['latitude', 'Float64'],
]
const SLOTS = 8

const SHAPES: Record<string, Shape> = {
  'a row per value, positions in their own table': {
    tables: [
      {
        columns: [...HEAD, ['channel', 'UInt16'], AT, ['value', 'Float64']],
        key: 'sensor, channel, at',
        write(row, { sensor, atMs, values }) {
          for (const [i, value] of values.entries()) {
            row.u32(1, sensor)
            row.u16(i + 1)
            row.i64(atMs)
            row.f64(value)
            tail(row)
          }
        },
      },
      {
        columns: [...HEAD, AT, ...PLACE],
        key: 'sensor, at',
        write(row, { sensor, atMs, longitude, latitude }) {
          row.u32(1, sensor)
          row.i64(atMs)
          row.f64(longitude, latitude)
          tail(row)
        },
      },
    ],
    chart: 'SELECT toStartOfMinute(at) AS m, avg(value) FROM t0 FINAL WHERE sensor = 5 AND channel = 2 GROUP BY m',
  },
  'a row per reading, two arrays (chosen)': {
    tables: [
      {
        columns: [...HEAD, AT, ['channels', 'Array(UInt16)'], ['values', 'Array(Float64)'], ...PLACE],
        key: 'sensor, at',
        write(row, { sensor, atMs, values, longitude, latitude }) {
          row.u32(1, sensor)
          row.i64(atMs)
          row.u8(values.length)
          row.u16(...values.map((_, i) => i + 1))
          row.u8(values.length)
          row.f64(...values, longitude, latitude)
          tail(row)
        },
      },
    ],
    chart:
      'SELECT toStartOfMinute(at) AS m, avg(values[indexOf(channels, 2)]) FROM t0 FINAL WHERE sensor = 5 GROUP BY m',
  },
  'a row per reading, a map': {
    tables: [
      {
        columns: [...HEAD, AT, ['values', 'Map(UInt16, Float64)'], ...PLACE],
        key: 'sensor, at',
        write(row, { sensor, atMs, values, longitude, latitude }) {
          row.u32(1, sensor)
          row.i64(atMs)
          row.u8(values.length)
          for (const [i, value] of values.entries()) {
            row.u16(i + 1)
            row.f64(value)
          }
          row.f64(longitude, latitude)
          tail(row)
        },
      },
    ],
    chart: 'SELECT toStartOfMinute(at) AS m, avg(values[2]) FROM t0 FINAL WHERE sensor = 5 GROUP BY m',
  },
  [`a row per reading, ${SLOTS} typed columns`]: {
    tables: [
      {
        columns: [
          ...HEAD,
          AT,
          ...Array.from({ length: SLOTS }, (_, i): [string, string] => [`value_${i + 1}`, 'Float64']),
          ...PLACE,
        ],
        key: 'sensor, at',
        write(row, { sensor, atMs, values, longitude, latitude }) {
          row.u32(1, sensor)
          row.i64(atMs)
          for (let i = 0; i < SLOTS; i++) row.f64(values[i] ?? Number.NaN)
          row.f64(longitude, latitude)
          tail(row)
        },
      },
    ],
    chart: 'SELECT toStartOfMinute(at) AS m, avg(value_2) FROM t0 FINAL WHERE sensor = 5 GROUP BY m',
  },
}

const TAIL: [string, string][] = [
  ['received_at', "DateTime64(3, 'UTC')"],
  ['keep_days', 'UInt16'],
]
function tail(row: RowWriter): void {
  row.i64(Date.now())
  row.u16(365)
}

function codecOf(type: string, values: string): string {
  if (type.startsWith('DateTime64')) return 'DoubleDelta, ZSTD(1)'
  return type === 'Float64' ? values : 'ZSTD(1)'
}

type Result = { rowBytes: number; insertCpu: number; mergeCpu: number; diskBytes: number; chartMs: number }

async function measure(name: string, valueCodec: string): Promise<void> {
  const shape = SHAPES[name] as Shape
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-shape-'))
  const clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  const paths: string[] = []
  let wireBytes = 0
  for (const [i, { columns, key, write }] of shape.tables.entries()) {
    const definitions = [...columns, ...TAIL].map(
      ([column, type]) => `${column} ${type} CODEC(${codecOf(type, valueCodec)})`,
    )
    await clickhouse.write(
      `CREATE TABLE t${i} (${definitions.join(', ')}) ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMM(at)
       ORDER BY (${key}) TTL toDateTime(at) + toIntervalDay(keep_days)`,
    )
    const row = new RowWriter()
    for (const reading of fleet()) write(row, reading)
    const path = join(dir, `t${i}.rows`)
    writeFileSync(path, row.bytes.subarray(0, row.length))
    paths.push(path)
    wireBytes += row.length
  }
  const cpu = async (work: () => Promise<void>): Promise<number> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  const insert = await cpu(async () => {
    for (const [i, { columns }] of shape.tables.entries()) {
      const structure = [...columns, ...TAIL].map((column) => column.join(' ')).join(', ')
      await clickhouse.write(
        `INSERT INTO t${i} SELECT * FROM file({path:String}, 'RowBinary', {structure:String})`,
        { path: paths[i], structure },
        { max_block_size: 16_000_000, min_insert_block_size_rows: 16_000_000, max_threads: 1, max_insert_threads: 1 },
      )
    }
  })
  const merge = await cpu(async () => {
    for (const i of shape.tables.keys())
      await clickhouse.write(`OPTIMIZE TABLE t${i} FINAL`, {}, { optimize_skip_merged_partitions: 0 })
  })
  const [disk] = await clickhouse.rows<{ bytes: number }>(
    `SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND match(table, '^t[01]$')`,
  )
  const times: number[] = []
  for (let i = 0; i < 15; i++) {
    const startedMs = performance.now()
    await clickhouse.rows(shape.chart)
    times.push(performance.now() - startedMs)
  }
  const result: Result = {
    rowBytes: wireBytes / READINGS,
    insertCpu: insert,
    mergeCpu: merge,
    diskBytes: (disk?.bytes ?? 0) / READINGS,
    chartMs: times.sort((a, b) => a - b)[7] as number,
  }
  process.stdout.write(JSON.stringify(result))
  await clickhouse.close()
  rmSync(dir, { recursive: true })
  process.exit(0)
}

const ROUNDS = 3
const [name, codec] = process.argv.slice(2)
if (name !== undefined) await measure(name, codec ?? 'ZSTD(1)')

const [narrow = ''] = Object.keys(SHAPES)
const runs: [string, string][] = [
  ...Object.keys(SHAPES).map((shape): [string, string] => [shape, 'ZSTD(1)']),
  // ClickHouse does not allow Gorilla on arrays
  [narrow, 'Gorilla, ZSTD(1)'],
  [narrow, 'LZ4'],
]
const results = runs.map((): Result[] => [])
for (let round = 0; round < ROUNDS; round++)
  for (const [i, run] of runs.entries()) {
    const child = Bun.spawn([process.execPath, import.meta.path, ...run], { stderr: 'inherit' })
    results[i]?.push(JSON.parse(await new Response(child.stdout).text()) as Result)
  }
const median = (i: number, of: (result: Result) => number): number =>
  (results[i] as Result[]).map(of).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number
console.log(`Medians of ${ROUNDS} rounds.\n`)
console.log(
  '| layout | codec of floats | bytes per row, RowBinary | insert CPU s | merge CPU s | bytes per reading on disk | chart ms |',
)
console.log('| --- | --- | --- | --- | --- | --- | --- |')
for (const [i, [shape, floats]] of runs.entries())
  console.log(
    `| ${shape} | ${floats} | ${median(i, (r) => r.rowBytes).toFixed(0)} | ${median(i, (r) => r.insertCpu).toFixed(2)} | ${median(i, (r) => r.mergeCpu).toFixed(2)} | ${median(i, (r) => r.diskBytes).toFixed(1)} | ${median(i, (r) => r.chartMs).toFixed(1)} |`,
  )
