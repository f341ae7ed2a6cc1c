/**
 * ClickHouse's CPU time for a reading: stores seeded segments as ingestion does at full speed, one every 0.7 s, waits
 * for the merges, aggregates all hours, and prints CPU seconds for a million readings by kind of work and by thread.
 * `bun run bench loading [segments]`, with 500,000 readings of 2,000 sensors in each segment.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../src/ingest/batch.ts'
import { ROW_STRUCTURE } from '../src/ingest/row.ts'
import { markSuperseded } from '../src/ingest/superseded.ts'
import { openEmbeddedClickHouse } from '../src/stores/clickhouse/embedded.ts'
import { startRollups } from '../src/stores/clickhouse/maintenance/rollups.ts'
import { migrateClickHouse } from '../src/stores/clickhouse/migrate.ts'
import { storeSegmentFile } from '../src/stores/clickhouse/readings.ts'
import { cpuSeconds, processesIn, ROOT } from '../test/support/processes.ts'
import { xorshift } from './support/load-bodies.ts'
import { load, say } from './support/tool-harness.ts'

const SEGMENTS = Number(process.argv[2] ?? 30)
const SENSORS = 2_000
const PER_CALL = 500
const CALLS = 1_000
const SEGMENT_MS = 700
const KEEP_DAYS = 730
const MILLIONS = (SEGMENTS * CALLS * PER_CALL) / 1e6
const TICKS = 100

const dir = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const random = xorshift(42)
const startMs = Math.floor(Date.now() / 1000) * 1000 - 30 * 86_400_000
const sensors = Array.from({ length: SENSORS }, (_, i) => ({
  profile: sensorProfile(1, i + 1, KEEP_DAYS, []),
  atMs: startMs,
  values: [15 + random() * 10, 40 + random() * 30, 1000 + random() * 30],
  place: [random() * 340 - 170, random() * 160 - 80] as [number, number],
}))
const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

/** Random walks with the precision that sensors have. */
function writeSegment(path: string, first: number): void {
  const batch = createBatch()
  const parts: Buffer[] = []
  for (let call = 0; call < CALLS; call++) {
    const sensor = sensors[(first + call) % SENSORS] as (typeof sensors)[number]
    resetBatch(batch, Date.now())
    for (let i = 0; i < PER_CALL; i++) {
      sensor.atMs += 1000
      sensor.values = sensor.values.map((value, k) => value + (random() - 0.5) * (k === 1 ? 0.5 : 0.2))
      sensor.place = sensor.place.map((value) => value + (random() - 0.5) * 1e-4) as [number, number]
      for (const [k, value] of sensor.values.entries()) {
        batch.channelNumbers[k] = k + 1
        batch.values[k] = rounded(value, k === 1 ? 1 : 2)
      }
      appendReading(batch, sensor.profile, sensor.atMs, 3, rounded(sensor.place[0], 6), rounded(sensor.place[1], 6))
    }
    markSuperseded(batch, 0, PER_CALL - 1)
    parts.push(Buffer.from(batch.rows.subarray(0, batch.rowEnds[PER_CALL])))
  }
  writeFileSync(path, Buffer.concat(parts))
}

/** CPU seconds of a process by the names of its threads. */
function threadSeconds(pid: number): Map<string, number> {
  const seconds = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number) as [number, number]
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    seconds.set(name, (seconds.get(name) ?? 0) + (user + system) / TICKS)
  }
  return seconds
}

try {
  say(`${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load()}, ${MILLIONS} million readings`)
  const clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  const [pid] = processesIn(join(dir, 'clickhouse')) as [number]
  const idle = async (): Promise<void> => {
    while ((await clickhouse.rows('SELECT 1 FROM system.merges LIMIT 1')).length > 0) await Bun.sleep(100)
  }
  const each = (seconds: number): string => (seconds / MILLIONS).toFixed(3)

  const path = join(dir, 'segment.rows')
  const before = cpuSeconds(pid)
  for (let n = 0; n < SEGMENTS; n++) {
    const startedMs = performance.now()
    writeSegment(path, n * CALLS)
    await storeSegmentFile(clickhouse, { path, oldest: new Map() }, ROW_STRUCTURE, String(n))
    await Bun.sleep(Math.max(0, SEGMENT_MS - (performance.now() - startedMs)))
  }
  await idle()
  const stored = cpuSeconds(pid)
  const threads = [...threadSeconds(pid)].filter(([, seconds]) => seconds > 0.01 * MILLIONS)
  const [table] = await clickhouse.rows<{ parts: number; bytes: number; merged: number }>(
    `SELECT count() AS parts, sum(bytes_on_disk) / sum(rows) AS bytes,
       (SELECT value FROM system.events WHERE event = 'MergedRows') AS merged
     FROM system.parts WHERE active AND table = 'readings'`,
  )
  const rollups = startRollups(clickhouse, (error) => {
    throw error
  })
  await rollups.refresh()
  await idle()
  const rolled = cpuSeconds(pid)
  await rollups.stop()
  await clickhouse.close()
  say(`stored and merged: ${each(stored - before)} CPU s for a million readings; aggregated: ${each(rolled - stored)}`)
  say(threads.map(([name, seconds]) => `${name} ${each(seconds)}`).join(', '))
  say(
    `each row merged ${(Number(table?.merged) / MILLIONS / 1e6).toFixed(2)} times; ${Number(table?.bytes).toFixed(1)} bytes a reading in ${table?.parts} parts; load ${load()}`,
  )
} finally {
  rmSync(dir, { recursive: true, force: true })
}
