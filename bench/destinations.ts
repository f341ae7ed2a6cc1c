/**
 * Deliveries of events: `bun run bench destinations PART [seconds]`. `latency` (60): from the time in an event, taken
 * before its commit, to its arrival, with 200 events/s, each to one of 50 receivers; limits 50 ms at p50, 500 ms at p99.
 * `hang` (30 each): the same without, then with one receiver that hangs; limit: p99 of the others as without. `kills`
 * [events (10,000)] [seed]: receivers that fail in every way, and 20 SIGKILLs each of the server and of PostgreSQL; limit:
 * nothing wrong. `ingest` (10 each) [pairs (5)]: ingestion at full speed, in turns without and with 200 events/s; limit 0.95
 * of the rate. `recording` [alerts (30,000)]: storing alerts without and with a subscriber, three times each. `states`
 * [sensors (100,000)]: all of them change their state at once; limit 20 ms of the server's thread without a pause.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SQL, sql } from 'drizzle-orm'
import { startStateWatch } from '../src/analytics/fleet/state-watch.ts'
import { createChanges } from '../src/stores/changes.ts'
import type { ClickHouse } from '../src/stores/clickhouse/client.ts'
import { storeAlertChanges } from '../src/stores/postgres/alerts/alert-changes.ts'
import { type Database, openServerPostgres } from '../src/stores/postgres/client.ts'
import { migratePostgres } from '../src/stores/postgres/migrate.ts'
import { rowsOf } from '../src/stores/postgres/rows.ts'
import { startDeliveryRun } from '../test/support/destinations/delivery-run.ts'
import { cpuSeconds, ROOT } from '../test/support/processes.ts'
import { seeded, whole } from '../test/support/random.ts'
import { createInstance, type Instance } from '../test/support/server/instance.ts'
import { postgresIn, postmasterOf } from '../test/support/stores/embedded-postgres.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'
import { type EventSource, startEventSource } from './support/events/event-source.ts'
import { type Fleet, generate, LIMITS } from './support/fleet.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const RATE = 200
const RECEIVERS = 50
const DAY_MS = 86_400_000
const [part = '', ...numbers] = process.argv.slice(2)
const [first, second] = numbers.map(Number)

const home = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const instances: Instance[] = []

async function fresh(env: Record<string, string> = {}): Promise<Instance> {
  const instance = await createInstance(
    { ...LIMITS, WEBHOOK_ALLOW: '127.0.0.0/8', ...env },
    join(home, String(instances.length)),
  )
  instances.push(instance)
  return instance
}

const describe = (name: string, delays: readonly number[]): void =>
  say(
    `${name}: ${delays.length} arrived after ${ms(quantile(delays, 0.5))} ms (p50), ${ms(quantile(delays, 0.99))} ms (p99), at most ${ms(Math.max(...delays))} ms`,
  )

/** Waits for the receivers that answer. */
async function untilDelivered({ postgres }: EventSource, hanging: number): Promise<void> {
  const hang = Array.from({ length: hanging }, (_, i) => `Receiver ${i}`)
  const left = sql`SELECT count(*)::integer AS count FROM deliveries l JOIN destinations d ON d.id = l.destination_id
    WHERE l.status = 'pending' AND d.name <> ALL(${sql.param(hang)}::text[])`
  while (rowsOf<{ count: number }>(await postgres.db.execute(left))[0]?.count !== 0) await Bun.sleep(200)
}

/** CPU seconds of the server and of PostgreSQL. */
const cpuOf = (instance: Instance): number[] =>
  [[instance.pid()], postgresIn(instance.dir)].map((pids) => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0))

/** @returns delays of the receivers that answer */
async function delaysWith(hanging: number, seconds: number): Promise<number[]> {
  const instance = await fresh()
  const { id } = await instance.organization('scale')
  const source = await startEventSource(instance, id, RECEIVERS, hanging)
  const before = cpuOf(instance)
  await source.run(RATE, seconds)
  await untilDelivered(source, hanging)
  const used = cpuOf(instance).map((own, i) => (own - (before[i] as number)) / seconds)
  say(`${used.map((cores) => cores.toFixed(2)).join(' + ')} cores of the server and of PostgreSQL, load ${load()}`)
  const delays = await source.stop()
  await instance.kill('SIGTERM')
  return delays.slice(hanging).flat()
}

async function latency(seconds = 60): Promise<boolean> {
  const delays = await delaysWith(0, seconds)
  describe(`${RATE} events/s to ${RECEIVERS} receivers (limits 50 and 500 ms)`, delays)
  return delays.length === RATE * seconds && quantile(delays, 0.5) <= 50 && quantile(delays, 0.99) <= 500
}

async function hang(seconds = 30): Promise<boolean> {
  const without = await delaysWith(0, seconds)
  describe('all receivers well', without)
  const beside = await delaysWith(1, seconds)
  describe('beside one that hangs', beside)
  return beside.length === (RATE * seconds * (RECEIVERS - 1)) / RECEIVERS
}

const KILLS = 20
const TIME_SCALE = 100

async function kills(events = 10_000, seed = whole(Math.random, 2 ** 31)): Promise<boolean> {
  say(`seed ${seed}`)
  const randomOf = (loop: string) => seeded(Bun.hash.crc32(`${seed} ${loop}`))
  const instance = await fresh({ DELIVERY_TIME_SCALE: String(TIME_SCALE) })
  const organization = await instance.organization('scale')
  const startedMs = performance.now()
  const plan = { receivers: 20, subjects: events / 25, events, perSecond: 50, awayMs: 3_600_000 / TIME_SCALE }
  const run = await startDeliveryRun({ instance, organization, randomOf, ...plan })
  const random = randomOf('kills')
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(500 + random() * 4_000)
    process.kill(postmasterOf(instance.dir), 'SIGKILL')
    await Bun.sleep(500 + random() * 4_000)
    await instance.kill('SIGKILL')
    await instance.restart()
  }
  say(`${KILLS} kills of each process in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)
  const { faults, counts } = await run.finish(1_800_000)
  say(`${JSON.stringify(counts)} after ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)
  for (const [name, ids] of Object.entries(faults)) say(`${name}: ${ids.length} (limit 0) ${ids.slice(0, 5).join(' ')}`)
  return Object.values(faults).every((ids) => ids.length === 0)
}

async function ingest(seconds = 10, pairs = 5): Promise<boolean> {
  const instance = await fresh()
  const { id } = await instance.organization('scale')
  await instance.manage('PATCH', `/enterprises/${id}`, { readingsPerDay: 1e15 })
  const channels = ['temperature', 'humidity', 'pressure'].map((name) => ({ name, measurement: 'number' as const }))
  const sensors: Fleet = []
  for (let i = 0; i < 500; i++) sensors.push(await instance.sensor(id, channels))
  const source = await startEventSource(instance, id, RECEIVERS, 0)
  let runs = 0
  const rate = async (): Promise<number> => {
    const plan = { connections: 16, readingsPerCall: 500, repeats: 0, warmUpSeconds: 2, seconds, callsPerSecond: 0 }
    const firstAtMs = Math.floor(Date.now() / 1000) * 1000 - (85 - 8 * runs++) * DAY_MS
    const result = await generate(
      { ...plan, port: instance.port(), sensors, firstAtMs, seed: 42, envelope: true },
      () => undefined,
    )
    if (result.unexpected.length > 0) throw new Error(`unexpected answer: ${result.unexpected[0]}`)
    return result.accepted / result.seconds
  }
  await rate()
  const ratios: number[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const without = await rate()
    const sending = source.run(RATE, seconds + 2)
    const beside = await rate()
    await sending
    ratios.push(beside / without)
    say(
      `${Math.round(without)} readings/s without, ${Math.round(beside)} with events: ${(beside / without).toFixed(3)}`,
    )
  }
  describe('events meanwhile', (await source.stop()).flat())
  say(`median ${quantile(ratios, 0.5).toFixed(3)} (limit 0.95)`)
  return quantile(ratios, 0.5) >= 0.95
}

const CHUNK = 5_000
const SENSORS = 1_000

/** As the judging process reports them, in its chunks: alerts of one rule, each of a sensor. */
async function recording(alerts = 30_000): Promise<boolean> {
  const server = await startPostgres()
  const postgres = await openServerPostgres(server.url)
  try {
    await migratePostgres(postgres, join(ROOT, 'sql/postgres'))
    await postgres.script(`
      INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'Bench', 'scale');
      INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'Asset');
      INSERT INTO sensors (id, enterprise_id, asset_id, name) SELECT 'sen_' || n, 'ent_1', 'ass_1', 'Sensor ' || n
        FROM generate_series(1, ${SENSORS}) n;
      INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, definition, since)
        VALUES ('rul_1', 'ent_1', 'threshold', 'Rule', true, '{}', to_timestamp(0));
      INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets)
        VALUES ('dst_1', 'ent_1', 'webhook', 'Subscriber', 'https://example.org', 'standard', '{job.finished}', '', '')`)
    let stored = 0
    const changes = (): string =>
      JSON.stringify(
        Array.from({ length: CHUNK }, () => {
          const own = { id: `alr_${++stored}`, startedMs: stored, firedMs: stored, sensor: 1 + (stored % SENSORS) }
          const common = { rule: 'rul_1', sinceMs: 0, enterprise: 1, severity: 'warning', value: 2, values: {} }
          return { type: 'firing', polygon: null, late: false, ...common, ...own }
        }),
      )
    for (const [name, types] of [
      ['without a subscriber', '{job.finished}'],
      ['with a subscriber', '{alert.firing}'],
    ] as const) {
      await postgres.script(`UPDATE destinations SET events = '${types}'`)
      for (let round = 0; round < 3; round++) {
        let [all, events] = [0, 0]
        for (let i = 0; i < alerts; i += CHUNK) {
          const { times, db } = timed(postgres.db)
          const text = changes()
          const startedMs = performance.now()
          await storeAlertChanges(db, text)
          all += performance.now() - startedMs
          // the locks, and the statement that records
          events += times.slice(-2).reduce((sum, time) => sum + time, 0)
        }
        say(
          `${name}: ${alerts} alerts in ${ms(all)} ms, of which ${ms(events)} ms for events (${((100 * events) / all).toFixed(0)} %)`,
        )
      }
    }
    const counted = await postgres.db.execute(sql`SELECT (SELECT count(*) FROM alerts)::integer AS alerts,
      (SELECT count(*) FROM events)::integer AS events, (SELECT count(*) FROM deliveries)::integer AS deliveries`)
    const [rows] = rowsOf<Record<'alerts' | 'events' | 'deliveries', number>>(counted)
    say(JSON.stringify(rows))
    return rows?.alerts === stored && rows.events === stored && rows.deliveries === stored / 2
  } finally {
    await postgres.close()
    await server.remove()
  }
}

/** A database that notes the milliseconds of each statement in its transactions. */
function timed(db: Database): { times: number[]; db: Database } {
  const times: number[] = []
  const transaction = (work: (tx: Database) => Promise<unknown>): Promise<unknown> =>
    db.transaction((tx) => {
      const execute = async (query: SQL): Promise<unknown> => {
        const startedMs = performance.now()
        const rows = await tx.execute(query)
        times.push(performance.now() - startedMs)
        return rows
      }
      return work({ execute } as unknown as Database)
    })
  return { times, db: { transaction } as unknown as Database }
}

/** What all sensors keep beside their readings: each sent its last reading as long ago, and sends every 5 seconds. */
function pulses(first: number, count: number, agoMs: number) {
  const cells = new Float64Array(count * 5)
  for (let i = 0; i < count; i++) cells.set([first + i, Date.now() - agoMs, 5_000], i * 5)
  return { rows: count, columns: 5, cells }
}

/** Milliseconds that this thread has been on a processor: other work on the machine does not count. */
const threadMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6

async function states(sensors = 100_000): Promise<boolean> {
  const server = await startPostgres()
  const postgres = await openServerPostgres(server.url)
  const { db } = postgres
  let worst = 0
  let lastMs = threadMs()
  const timer = setInterval(() => {
    const nowMs = threadMs()
    worst = Math.max(worst, nowMs - lastMs)
    lastMs = nowMs
  }, 1)
  try {
    await migratePostgres(postgres, join(ROOT, 'sql/postgres'))
    await postgres.script(`
      INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'Bench', 'scale');
      INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'Asset');
      INSERT INTO sensors (id, enterprise_id, asset_id, name) SELECT 'sen_' || n, 'ent_1', 'ass_1', 'Sensor ' || n
        FROM generate_series(1, ${sensors}) n;
      INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets)
        VALUES ('dst_1', 'ent_1', 'webhook', 'Subscriber', 'https://example.org', 'standard', '{sensor.state}', '', '')`)
    const [row] = rowsOf<{ first: number }>(await db.execute(sql`SELECT min(number)::integer AS first FROM sensors`))
    let agoMs = 0
    const clickhouse = { askNumbers: async () => pulses(row?.first ?? 0, sensors, agoMs) } as unknown as ClickHouse
    const onError = (error: unknown): void => say(String(error))
    const oldestRowMs = () => undefined
    const watch = startStateWatch({
      db,
      clickhouse,
      changes: createChanges(),
      instanceId: 'bench',
      oldestRowMs,
      onError,
    })
    let longest = 0
    for (const [name, ago] of [
      ['new to sending', 1_000],
      ['sending to silent', 60_000],
      ['silent to sending', 1_000],
    ] as const) {
      agoMs = ago
      worst = 0
      const [beganMs, beganCpuMs] = [performance.now(), threadMs()]
      await watch.flush()
      const [wallS, cpuS] = [(performance.now() - beganMs) / 1000, (threadMs() - beganCpuMs) / 1000]
      say(
        `${sensors} sensors from ${name} in ${wallS.toFixed(1)} s: ${cpuS.toFixed(2)} s of the server's thread, at most ${worst.toFixed(1)} ms at once (limit 20), load ${load()}`,
      )
      longest = Math.max(longest, worst)
    }
    await watch.stop()
    const counted = await db.execute(sql`SELECT count(*)::integer AS count FROM events`)
    return longest < 20 && rowsOf<{ count: number }>(counted)[0]?.count === 3 * sensors
  } finally {
    clearInterval(timer)
    await postgres.close()
    await server.remove()
  }
}

const PARTS: Record<string, (first?: number, second?: number) => Promise<boolean>> = {
  latency,
  hang,
  kills,
  ingest,
  recording,
  states,
}
const run = PARTS[part]
if (run === undefined) {
  say(`bun run bench destinations PART, with PART one of: ${Object.keys(PARTS).join(', ')}`)
  process.exit(1)
}
let isGood = false
try {
  say(`${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load()}`)
  isGood = await run(first, second)
} finally {
  for (const instance of instances) await instance.remove()
  rmSync(home, { recursive: true, force: true })
}
process.exit(isGood ? 0 : 1)
