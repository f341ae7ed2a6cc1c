/** The feed of segments that instances share, and the lease of the one that judges them, on a real PostgreSQL. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Judging } from '../../../src/alerts/checks.ts'
import { openFeeder } from '../../../src/alerts/instances/feeder.ts'
import { type JudgingParts, startTenure, type Tenure } from '../../../src/alerts/instances/tenure.ts'
import { storeAlertChanges } from '../../../src/stores/postgres/alerts/alert-changes.ts'
import {
  addToFeed,
  fedAfter,
  fedContent,
  fedEverywhereMs,
  joinFeed,
  noteFed,
  unjudgedFeed,
} from '../../../src/stores/postgres/alerts/alert-feed.ts'
import {
  endJudgeLease,
  type JudgeLease,
  LostLease,
  renewJudgeLease,
  requireJudgeLease,
  takeJudgeLease,
} from '../../../src/stores/postgres/alerts/judge-lease.ts'
import type { JudgedRule } from '../../../src/stores/postgres/alerts/watched.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { until } from '../../support/until.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres
const home = mkdtempSync(join(tmpdir(), 'groundwave-alert-feed-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const failures: string[] = []
beforeEach(async () => {
  failures.length = 0
  await postgres.script(`
    DELETE FROM alert_feed; DELETE FROM alert_snapshots; DELETE FROM alert_feeders; DELETE FROM alert_judge;
    INSERT INTO alert_judge DEFAULT VALUES`)
})

const failed = (error: unknown): void => void failures.push((error as Error).message)
const watch = { rules: async () => new Map([['rul_1', {} as JudgedRule]]) }
const expire = (): Promise<void> => postgres.script("UPDATE alert_judge SET leased_until = now() - interval '1 second'")
const add = (segmentId: string): Promise<void> =>
  addToFeed(db, { segmentId, bytes: 10, enterprises: [7, 8] }, Bun.zstdCompressSync(segmentId))
const taken = async (instance: string): Promise<JudgeLease> => {
  const lease = await takeJudgeLease(db, instance)
  if (lease === undefined) throw new Error('another instance has the lease')
  return lease
}

test('one instance has the lease; after its end another one takes it, and the first one stores nothing', async () => {
  const first = await taken('a')
  expect(first).toEqual({ term: first.term, aliveMs: null, downtimes: [] })
  expect(await takeJudgeLease(db, 'b')).toBeUndefined()
  await renewJudgeLease(db, first.term, { judged: 3, aliveMs: 5_000 })
  await expire()
  const second = await taken('b')
  expect(second).toEqual({ term: first.term + 1, aliveMs: 5_000, downtimes: [] })
  const storing = storeAlertChanges(db, '[]', (tx) => requireJudgeLease(tx, first.term))
  expect(await storing.catch((error: unknown) => error)).toBeInstanceOf(LostLease)
  const renewing = renewJudgeLease(db, first.term, { judged: 3, aliveMs: 6_000 })
  expect(await renewing.catch((error: unknown) => error)).toBeInstanceOf(LostLease)
  await endJudgeLease(db, first.term)
  expect(await takeJudgeLease(db, 'a')).toBeUndefined()
  await endJudgeLease(db, second.term)
  expect((await taken('a')).aliveMs).toBe(5_000)
})

test('segments of all instances have one order, and a repeated one changes nothing', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, i) => add(`s${i}`)))
  await add('s5')
  const fed = await fedAfter(db, 0, 100)
  expect(fed.map(({ segmentId }) => segmentId).sort()).toEqual(Array.from({ length: 40 }, (_, i) => `s${i}`).sort())
  expect(fed.map(({ serial }) => serial)).toEqual(fed.map(({ serial }) => serial).toSorted((a, b) => a - b))
  expect(fed[3]).toMatchObject({ bytes: 10, enterprises: [7, 8] })
  const [first, second] = fed as [(typeof fed)[0], (typeof fed)[0]]
  const content = (await fedContent(db, second.serial)) as Uint8Array
  expect(new TextDecoder().decode(Bun.zstdDecompressSync(content))).toBe(second.segmentId)
  expect((await fedAfter(db, first.serial, 1))[0]).toEqual(second)
  expect(await unjudgedFeed(db)).toMatchObject({ segments: 40, bytes: 400 })
})

test('silences wait for every instance that was seen lately', async () => {
  expect(await fedEverywhereMs(db)).toBeUndefined()
  await noteFed(db, 'a', 9_000)
  await joinFeed(db, 'b', 7_000)
  expect(await fedEverywhereMs(db)).toBe(7_000)
  await noteFed(db, 'b', 9_500)
  expect(await fedEverywhereMs(db)).toBe(9_000)
  // it has readings in its log, as before the restart
  await joinFeed(db, 'a', 20_000)
  expect(await fedEverywhereMs(db)).toBe(9_000)
  await postgres.script("UPDATE alert_feeders SET seen_at = now() - interval '1 minute' WHERE instance_id = 'a'")
  expect(await fedEverywhereMs(db)).toBe(9_500)
})

test('a segment stays in the log while too much is still to be judged, and is handed over once', async () => {
  await add('s1')
  const oldestMs = Date.now() - 60_000
  const feeder = await openFeeder({ db, instanceId: 'a', watch, mostUnjudgedBytes: 5, failed })
  feeder.begin(() => oldestMs)
  const path = join(home, 's2')
  writeFileSync(path, 'rows')
  const segment = { id: 's2', path, bytes: 4, sensors: new Map([[7, new Set([1])]]) }
  const keeping = feeder.keep(segment)
  await until(async () => (await fedEverywhereMs(db)) === oldestMs, 'a heartbeat')
  expect(await unjudgedFeed(db)).toMatchObject({ segments: 1 })
  await postgres.script('UPDATE alert_judge SET judged = (SELECT serial FROM alert_feed)')
  await keeping
  await feeder.keep(segment)
  const [, second] = await fedAfter(db, 0, 10)
  expect(second).toMatchObject({ segmentId: 's2', bytes: 4, enterprises: [7] })
  const content = (await fedContent(db, second?.serial as number)) as Uint8Array
  expect(new TextDecoder().decode(Bun.zstdDecompressSync(content))).toBe('rows')
  expect((await unjudgedFeed(db)).segments).toBe(1)
  await feeder.stop()
  // readings are left in its log
  expect(await fedEverywhereMs(db)).toBe(oldestMs)
  expect(failures).toEqual([])
})

/** A judge that takes segments and does nothing else. */
function recordingJudge() {
  const judge = {
    parts: undefined as JudgingParts | undefined,
    kept: [] as string[],
    clockMs: (): unknown => undefined,
    stops: 0,
  }
  const startJudging = (parts: JudgingParts): Judging => {
    judge.parts = parts
    return {
      watches: async () => true,
      status: () => ({ segments: 0, bytes: 0, lagSeconds: 0, rulesGivenUp: 0 }),
      unjudgedBytes: () => 0,
      judgedTo: () => parts.retained.list().at(-1)?.sequence ?? parts.retained.snapshot()?.sequence ?? 0,
      begin(oldestRowMs) {
        judge.clockMs = oldestRowMs
      },
      async keep(segment, move) {
        // silences are looked at only after all segments are there
        if (judge.kept.length < 3) expect(judge.clockMs()).toBeNull()
        await parts.retained.keep(segment, move)
        judge.kept.push(readFileSync(parts.retained.list().at(-1)?.path as string, 'utf8'))
      },
      async stop() {
        judge.stops++
      },
    }
  }
  return { judge, startJudging }
}

const tenures: Tenure[] = []
afterAll(() => Promise.all(tenures.map((tenure) => tenure.stop())))

test('a new holder continues from the shared snapshot and the segments after it', async () => {
  const scratchDir = join(home, 'scratch')
  mkdirSync(scratchDir)
  for (const id of ['s1', 's2', 's3']) await add(id)
  await noteFed(db, 'a', 9_000)
  const { judge: first, startJudging } = recordingJudge()
  const lease = await taken('a')
  const tenure = await startTenure({ db, watch, scratchDir, startJudging, failed }, lease)
  tenures.push(tenure)
  await until(() => first.clockMs() === 9_000, 'the clock')
  expect(first.kept).toEqual(['s1', 's2', 's3'])
  const { retained, downtimes, fence } = first.parts as JudgingParts
  expect(downtimes.hadHeartbeat).toBe(false)
  await downtimes.begin(1_000)
  const path = join(home, 'snapshot')
  writeFileSync(path, 'the state')
  const [, second, third] = await fedAfter(db, 0, 10)
  await retained.replaceSnapshot(path, second?.serial as number)
  expect((await fedAfter(db, 0, 10)).map(({ segmentId }) => segmentId)).toEqual(['s3'])
  expect(retained.list().map(({ sequence }) => sequence)).toEqual([third?.serial as number])
  // an instance that was killed hands its segment over again
  await add('s1')
  await add('s4')
  await until(() => first.kept.length === 4, 'the fourth segment')

  await expire()
  const { judge: next, startJudging: startNext } = recordingJudge()
  const nextLease = await taken('b')
  expect(nextLease.aliveMs).toBeGreaterThanOrEqual(1_000)
  const nextTenure = await startTenure({ db, watch, scratchDir, startJudging: startNext, failed }, nextLease)
  tenures.push(nextTenure)
  await until(() => next.kept.length === 2, 'the segments after the snapshot')
  expect(next.kept).toEqual(['s3', 's4'])
  const parts = next.parts as JudgingParts
  expect(readFileSync(parts.retained.snapshot()?.path as string, 'utf8')).toBe('the state')
  await parts.downtimes.begin(Date.now())
  const [[fromMs, toMs] = []] = parts.downtimes.list()
  expect([fromMs, Number(toMs) <= Date.now()]).toEqual([nextLease.aliveMs as number, true])

  // the first one changes nothing any more, and notices
  expect(await fence(db).catch((error: unknown) => error)).toBeInstanceOf(LostLease)
  await tenure.ended
  expect(first.stops).toBe(1)
  writeFileSync(path, 'an old state')
  const late = retained.replaceSnapshot(path, 99)
  expect(await late.catch((error: unknown) => error)).toBeInstanceOf(LostLease)
  const [snapshot] = rowsOf<{ serial: number }>(
    await db.execute(sql`SELECT serial::float8 AS serial FROM alert_snapshots`),
  )
  expect(snapshot?.serial).toBe(second?.serial as number)

  await nextTenure.stop()
  expect([next.stops, existsSync(parts.retained.list()[0]?.path as string)]).toEqual([1, false])
  expect(await taken('c')).toMatchObject({ term: nextLease.term + 1 })
  expect(await unjudgedFeed(db)).toMatchObject({ segments: 2 })
})

test('without rules, segments and the state of all rules are deleted', async () => {
  const scratchDir = join(home, 'without')
  mkdirSync(scratchDir)
  await add('s1')
  await noteFed(db, 'a', 9_000)
  const { judge, startJudging } = recordingJudge()
  const tenure = await startTenure({ db, watch, scratchDir, startJudging, failed }, await taken('a'))
  tenures.push(tenure)
  await until(() => judge.kept.length === 1, 'the segment')
  const { retained, downtimes } = judge.parts as JudgingParts
  await downtimes.begin(1_000)
  await Promise.all([retained.clear(), downtimes.clear()])
  expect([await fedAfter(db, 0, 10), retained.list()]).toEqual([[], []])
  await tenure.stop()
  expect(await taken('b')).toMatchObject({ aliveMs: null, downtimes: [] })
  expect(failures).toEqual([])
})
