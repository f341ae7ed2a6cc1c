/** Late readings that are judged again: from ClickHouse, by the state of the judging process, into PostgreSQL. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { createChangeFile } from '../../../src/alerts/judging/change-file.ts'
import { judgingMemory } from '../../../src/alerts/judging/judging-memory.ts'
import { JudgingState } from '../../../src/alerts/judging/judging-state.ts'
import { createLateJudging, type LateJudgingDeps, LostState } from '../../../src/alerts/late.ts'
import type { LateSpan, WatchedRule } from '../../../src/alerts/protocol.ts'
import rejudge, { type RejudgeInput } from '../../../src/alerts/rejudge.ts'
import { storeAlertChanges } from '../../../src/stores/postgres/alerts/alert-changes.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import type { RunContext } from '../../../src/tools/tool.ts'
import { untilJudged } from '../../support/alerts/alert-rules.ts'
import { segmentOf } from '../../support/alerts/segments.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { call } from '../../support/server/zones.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { openReadingStore, type ReadingStore } from '../../support/stores/reading-stores.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres
const SINCE_MS = Date.UTC(2026, 0, 1)
const START_MS = Date.UTC(2026, 0, 2)
const MINUTE_MS = 60_000
let store: ReadingStore
let enterprise = 0
let sensor = 0
let sequence = 0

beforeAll(async () => {
  store = await openReadingStore('embedded')
  mkdirSync(join(store.dir, 'scratch'))
}, 120_000)
afterAll(() => store.remove())
beforeEach(async () => {
  await postgres.script(`
    DELETE FROM alerts; DELETE FROM zone_rules; DELETE FROM sensors; DELETE FROM assets; DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale');
    INSERT INTO assets (id, enterprise_id, name) VALUES ('ass_1', 'ent_1', 'a');
    INSERT INTO sensors (id, enterprise_id, asset_id, name) VALUES ('sen_1', 'ent_1', 'ass_1', 's');
    INSERT INTO channels (sensor_id, number, name, measurement) VALUES ('sen_1', 1, 't', 'number'), ('sen_1', 2, 'h', 'number');
    INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, definition, since)
    VALUES ('rul_1', 'ent_1', 'threshold', 'r', true, '{}', '2026-01-01T00:00:00Z')`)
  const [one] = rowsOf<{ e: number; s: number }>(
    await db.execute(sql`SELECT e.number::integer AS e, s.number::integer AS s FROM enterprises e, sensors s`),
  )
  enterprise = one!.e
  sensor = one!.s
})

/** Temperature above 30; gaps beyond ten minutes. */
function watch(more: Partial<WatchedRule> = {}): void {
  const rule = {
    id: 'rul_1',
    enterprise,
    sinceMs: SINCE_MS,
    layer: undefined,
    bufferM: 0,
    kind: 'threshold',
    conditions: [{ channel: 't', op: '>', value: 30 }],
    match: 'all',
    steps: [],
    forMs: 0,
    keepFiringMs: 0,
    maxGapMs: 600_000,
    gap: 'reset',
    within: undefined,
    severity: 'warning',
    ...more,
  } as WatchedRule
  const state = new JudgingState('one', Number.NEGATIVE_INFINITY)
  state.setRules([rule], 1, SINCE_MS)
  const channels = { t: 1, h: 2 }
  const own = {
    number: sensor,
    enterprise,
    channels,
    rules: ['rul_1'],
    quietSinceMs: null,
    activeSinceMs: null,
    usualMs: 0,
  }
  state.setSensors([own], true, 1, SINCE_MS)
  judgingMemory.state = state
}

type Sent = [minute: number, values: { t?: number; h?: number }]
const storeFile = async (path: string): Promise<void> => {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  await storeAlertChanges(db, `[${lines.join()}]`)
}

/** Stores the readings of a call and judges them, as after ingestion. @returns what was late */
async function send(receivedMinute: number, readings: readonly Sent[]): Promise<LateSpan[]> {
  const receivedMs = START_MS + receivedMinute * MINUTE_MS
  const numbered = readings.map(([minute, { t, h }]) => ({
    atMs: START_MS + minute * MINUTE_MS,
    values: new Map([...(t === undefined ? [] : [[1, t] as const]), ...(h === undefined ? [] : [[2, h] as const])]),
    location: undefined,
  }))
  const rows = numbered.map(
    ({ atMs, values }) =>
      `(${enterprise}, ${sensor}, fromUnixTimestamp64Milli(${atMs}), [${[...values.keys()]}], [${[...values.values()]}], nan, nan, fromUnixTimestamp64Milli(${receivedMs}), 3000)`,
  )
  await store.clickhouse.write(`INSERT INTO readings VALUES ${rows.join(', ')}`)
  const file = createChangeFile(join(store.dir, 'changes'))
  const state = judgingMemory.state as JudgingState
  state.reportTo({
    change: (rule, of, change, channel) => file.add(rule, of, change, channel),
    crossing: () => undefined,
  })
  const segment = { sequence: sequence++, bytes: segmentOf([{ sensor, receivedMs, readings: numbered }]) }
  const late = state.judge([segment], receivedMs)
  file.close()
  if (file.count > 0) await storeFile(file.path)
  return late
}

type Failure = { error: unknown; attempt: number }
function lateJudging(run: LateJudgingDeps['engine']['run'] = runHere) {
  const failures: Failure[] = []
  const scratchDir = join(store.dir, 'scratch')
  const deps = {
    db,
    clickhouse: store.clickhouse,
    engine: { run },
    scratchDir,
    timeoutMs: 60_000,
    store: storeFile,
    observer: {
      failed: (error: unknown, attempt: number) => failures.push({ error, attempt }),
      gaveUp: () => expect.unreachable('nothing is given up'),
    },
  } as unknown as LateJudgingDeps
  return { late: createLateJudging(deps), failures }
}
const runHere = ((_task: unknown, input: RejudgeInput, { scratch }: { scratch: string }) =>
  rejudge.run(input, { scratch } as RunContext)) as LateJudgingDeps['engine']['run']

/** [started, fired, resolved] in minutes, and whether the alert was found late. */
async function alerts(): Promise<[number, number, number | null, boolean][]> {
  const rows = rowsOf<{ started_at: Date; fired_at: Date; resolved_at: Date | null; late: boolean }>(
    await db.execute(sql`SELECT * FROM alerts ORDER BY started_at`),
  )
  const minute = (at: Date): number => (new Date(at).getTime() - START_MS) / MINUTE_MS
  return rows.map((row) => [
    minute(row.started_at),
    minute(row.fired_at),
    row.resolved_at === null ? null : minute(row.resolved_at),
    row.late,
  ])
}
const every = (first: number, last: number, step: number, t: number): Sent[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => [first + i * step, { t }])

test('a late reading reveals an episode, and takes nothing back', async () => {
  watch()
  await send(121, every(0, 120, 5, 20))
  const { late } = lateJudging()
  await late.judge(await send(122, [[62, { t: 35 }]]))
  expect(await alerts()).toEqual([[62, 62, 65, true]])
  // judged again, it is the same
  await late.judge([
    { sensor, rules: ['rul_1'], firstMs: START_MS + 62 * MINUTE_MS, lastMs: START_MS + 62 * MINUTE_MS },
  ])
  expect(await alerts()).toEqual([[62, 62, 65, true]])
  // an episode that was recorded live stays, though a late reading says that it was over in between
  await send(140, [
    [125, { t: 40 }],
    [130, { t: 41 }],
    [135, { t: 20 }],
  ])
  await late.judge(await send(141, [[127, { t: 10 }]]))
  expect(await alerts()).toEqual([
    [62, 62, 65, true],
    [125, 125, 135, false],
  ])
})

test('an episode that is found late and still lasts is ended by the next reading', async () => {
  const conditions = [
    { channel: 't', op: '>', value: 30 },
    { channel: 'h', op: '>', value: 90 },
  ]
  const rule = { conditions, match: 'any' } as Partial<WatchedRule>
  const sent: Sent[] = [...every(0, 25, 5, 20), [30, { h: 50 }]]
  watch(rule)
  await send(30, sent)
  const { late } = lateJudging()
  await late.judge(await send(31, [[28, { t: 33 }]]))
  expect(await alerts()).toEqual([[28, 28, null, true]])
  // a process that continues from a snapshot judges the segments and their late readings again
  watch(rule)
  await send(30, sent)
  await late.judge(await send(31, [[28, { t: 33 }]]))
  expect(await alerts()).toEqual([[28, 28, null, true]])
  await send(36, [[35, { t: 20 }]])
  expect(await alerts()).toEqual([[28, 28, 35, true]])
})

test('what is pending follows the late reading', async () => {
  watch({ forMs: 20 * MINUTE_MS } as Partial<WatchedRule>)
  await send(31, [...every(0, 20, 5, 20), [30, { t: 40 }]])
  const { late } = lateJudging()
  // the conditions held from the late reading on
  await late.judge(await send(32, [[24, { t: 40 }]]))
  expect(await alerts()).toEqual([])
  await send(46, every(35, 45, 5, 40))
  expect(await alerts()).toEqual([[24, 45, null, false]])
})

test('readings are read from farther away where the rule is not certainly ok nearby', async () => {
  // the usual interval depends on nine values, of which one comes in an hour
  watch({ maxGapMs: undefined, forMs: 30 * MINUTE_MS } as Partial<WatchedRule>)
  await send(2_000, every(0, 1_980, 60, 20))
  const reaches: number[] = []
  const { late } = lateJudging(((task: unknown, input: RejudgeInput, options: never) => {
    const [span] = JSON.parse(readFileSync(input.spans, 'utf8')) as { toMs: number; lastMs: number }[]
    reaches.push((span!.toMs - span!.lastMs) / MINUTE_MS)
    return runHere(task as never, input as never, options)
  }) as LateJudgingDeps['engine']['run'])
  await late.judge(
    await send(2_001, [
      [1_030, { t: 40 }],
      [1_040, { t: 40 }],
      [1_050, { t: 40 }],
      [1_060, { t: 40 }],
    ]),
  )
  expect(reaches).toEqual([10, 120, 1_440])
  expect(await alerts()).toEqual([[1_030, 1_060, 1_080, true]])
})

test('a call is repeated after failures, but not by a process without the state of the rules', async () => {
  watch()
  await send(121, every(0, 120, 5, 20))
  const spans = await send(122, [[62, { t: 35 }]])
  let calls = 0
  const { late, failures } = lateJudging(((...given: Parameters<typeof runHere>) => {
    if (++calls === 1) throw new Error('broken')
    return runHere(...given)
  }) as LateJudgingDeps['engine']['run'])
  const { state } = judgingMemory
  judgingMemory.state = undefined
  await expect(late.judge(spans)).rejects.toBeInstanceOf(LostState)
  expect(failures.map(({ error }) => (error as Error).message)).toEqual(['broken'])
  judgingMemory.state = state
  await late.judge(spans)
  expect(await alerts()).toEqual([[62, 62, 65, true]])
})

test('over HTTP, a late reading makes an alert that is listed as late, and newer readings are judged after it', async () => {
  const instance = await sharedInstance()
  const organization = await instance.organization('scale')
  const own = await instance.sensor(organization.id, [{ name: 't', measurement: 'number' as const }])
  const rule = { kind: 'threshold', conditions: [{ channel: 't', op: '>', value: 30 }], forSeconds: 600, all: true }
  await call(instance, organization, 'POST', '/rules', { ...rule, maxGapSeconds: 600 })
  const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 120 * MINUTE_MS
  const at = (minute: number): string => new Date(start + minute * MINUTE_MS).toISOString()
  const sendTo = async (...readings: [minute: number, t: number][]): Promise<void> => {
    await instance.send(own, { readings: readings.map(([minute, t]) => ({ at: at(minute), values: { t } })) })
    await untilJudged(instance)
  }
  const listed = async () => {
    const { data } = await instance.query<{ items: Record<string, unknown>[] }>(organization, '/alerts')
    return data.items.map(({ startedAt, firedAt, resolvedAt, late }) => ({ startedAt, firedAt, resolvedAt, late }))
  }
  await sendTo([0, 20], [5, 20], [10, 40], [30, 20], [40, 20], [45, 40])
  expect(await listed()).toEqual([])
  // the gap after 10 was too long, and the one before 45 was pending from 45 on
  await sendTo([15, 40], [20, 40], [42, 40])
  const revealed = { startedAt: at(10), firedAt: at(20), resolvedAt: at(30), late: true }
  expect(await listed()).toEqual([revealed])
  await sendTo([50, 40], [52, 40], [55, 40])
  expect(await listed()).toEqual([{ startedAt: at(42), firedAt: at(52), resolvedAt: null, late: false }, revealed])
  await sendTo([60, 20])
  expect(await listed()).toEqual([{ startedAt: at(42), firedAt: at(52), resolvedAt: at(60), late: false }, revealed])
})
