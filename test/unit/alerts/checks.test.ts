/** The server's side of judging with a fake process, which fails and forgets. */
import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AlertChecks, createAlertChecks, type JudgedResults } from '../../../src/alerts/checks.ts'
import { openDowntimes } from '../../../src/alerts/downtimes.ts'
import type { JudgeData, JudgeInput } from '../../../src/alerts/protocol.ts'
import { openRetainedSegments } from '../../../src/alerts/retained-segments.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import type { Segment } from '../../../src/ingest/segments.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import type { JudgedRule } from '../../../src/stores/postgres/alerts/watched.ts'
import { until } from '../../support/until.ts'

const MIB = 2 ** 20

let dir = ''
let checks: AlertChecks
let log: string[] = []
let calls: JudgeInput[] = []
/** Names of stored segments, in the order in which their changes were stored. */
let stored: string[] = []
let judge: (input: JudgeInput) => Partial<JudgeData> = () => ({})
/** Whether ingestion needs the processor. */
let isBusy = false
let storing: () => Promise<void> = async () => undefined
/** The state of the process: what it has judged. */
let memory: { state: string; sequence: number; judged: string[] } | undefined

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-alert-checks-'))
  mkdirSync(join(dir, 'scratch'))
  mkdirSync(join(dir, 'log'))
  log = []
  calls = []
  stored = []
  judge = () => ({})
  isBusy = false
  storing = async () => undefined
  memory = undefined
})
afterEach(async () => {
  setSystemTime()
  await checks.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** Its changes name all segments of its state, so that a lost one would be seen. */
const run: Engine['run'] = async (_, given, { scratch }) => {
  const input = given as unknown as JudgeInput
  calls.push(input)
  const nothing = { needs: null, refused: null, sequence: -1, changes: 0, events: 0, late: [], givenUp: [] }
  if (memory?.state !== input.state) {
    memory = undefined
    if (input.rules.path === null || !input.sensors.isComplete) return { data: { ...nothing, needs: 'everything' } }
    const known = input.snapshot === null ? [] : JSON.parse(readFileSync(input.snapshot.path, 'utf8'))
    memory = { state: input.state, sequence: input.snapshot?.sequence ?? -1, judged: known as string[] }
  }
  const { judged } = memory
  const answer = judge(input)
  const read = input.segments.map(({ path }) => readFileSync(path, 'utf8'))
  judged.push(...read.filter((name) => !judged.includes(name)))
  writeFileSync(join(scratch, 'changes'), judged.join('\n'))
  writeFileSync(join(scratch, 'snapshot'), JSON.stringify(judged))
  const fileOf = (filename: string) => {
    const about = { role: 'output' as const, mediaType: 'application/octet-stream' }
    return { ...about, filename, path: join(scratch, filename) }
  }
  const sequence = input.segments.at(-1)?.sequence ?? memory.sequence
  memory.sequence = sequence
  const files = [...(read.length > 0 ? ['changes'] : []), ...(input.wantsSnapshot ? ['snapshot'] : [])].map(fileOf)
  return { data: { ...nothing, sequence, changes: read.length, ...answer }, files }
}

async function start(rules = ['rul_1'], kind: JudgedRule['kind'] = 'threshold'): Promise<void> {
  const results: JudgedResults = {
    async changes(path) {
      await storing()
      stored = readFileSync(path, 'utf8').split('\n')
    },
    events: async () => undefined,
    late: async () => undefined,
    lost: async () => void log.push('lost'),
  }
  const watched = new Map(rules.map((id) => [id, { id, enterprise: 7, layerId: null, kind } as JudgedRule]))
  const alerts = join(dir, 'log/alerts')
  checks = createAlertChecks({
    db: undefined as never,
    layerFiles: undefined as never,
    changes: createChanges(),
    engine: { run },
    timeoutMs: 60_000,
    scratchDir: join(dir, 'scratch'),
    retained: await openRetainedSegments(alerts),
    downtimes: await openDowntimes(alerts, (error) => void log.push(String(error))),
    spentDays: async () => [],
    watch: {
      rules: async () => watched,
      write: async (_, folder, everything) => ({
        rules: { version: 1, path: everything ? join(folder, 'rules') : null },
        sensors: { version: 1, path: everything ? join(folder, 'sensors') : null, isComplete: everything },
      }),
    },
    results,
    isBusy: () => isBusy,
    yieldBytes: 100 * MIB,
    observer: {
      judged: () => undefined,
      failed: (error, attempt) => void log.push(`failed ${attempt} ${(error as Error).message}`),
      gaveUp: (what) => void log.push(`gave up ${what}`),
    },
  })
}

async function keep(name: string, bytes = 10): Promise<void> {
  const path = join(dir, 'log', `${name}.rows`)
  writeFileSync(path, name)
  const segment = { id: name, path, bytes, rows: 1, endPosition: 0, sensors: new Map([[7, new Set([1])]]) }
  await checks.keep(segment as unknown as Segment, async (to) => {
    writeFileSync(to, readFileSync(path))
    rmSync(path)
    return async () => rmSync(to)
  })
}
const kept = (): string[] =>
  readdirSync(join(dir, 'log/alerts'))
    .filter((name) => name !== 'heartbeat.json')
    .sort()
const done = (): Promise<void> => until(() => checks.status().segments === 0, 'judging')

test('segments stay until a snapshot includes them, which a stop leaves', async () => {
  await start()
  for (const name of ['a', 'b', 'c']) await keep(name)
  await done()
  expect(stored).toEqual(['a', 'b', 'c'])
  expect(kept()).toEqual([1, 2, 3].map((n) => `${String(n).padStart(15, '0')}.rows`))
  await checks.stop()
  expect(kept()).toEqual([`${'3'.padStart(15, '0')}.snapshot`])
  await start()
  await keep('d')
  await done()
  expect(calls.at(-1)?.snapshot?.sequence).toBe(3)
  expect(calls.at(-1)?.segments.map(({ sequence }) => sequence)).toEqual([4])
  expect(stored).toEqual(['a', 'b', 'c', 'd'])
})

test('a process that forgot everything judges the kept segments again', async () => {
  await start()
  await keep('a')
  await done()
  memory = undefined
  await keep('b')
  await until(() => stored.length === 2, 'the second segment')
  expect(stored).toEqual(['a', 'b'])
  expect(calls.at(-1)?.segments.length).toBe(2)
})

test('changes are stored again until they are stored, and before later segments are judged', async () => {
  await start()
  let failures = 2
  storing = async () => {
    if (failures-- > 0) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  }
  await keep('a')
  await done()
  expect(stored).toEqual(['a'])
  expect(log).toEqual(['lost', 'failed 1 away', 'failed 2 away'])
  expect(calls.length).toBe(1)
})

test('a segment that cannot be judged is abandoned alone, and the others are judged', async () => {
  await start()
  judge = ({ segments }) => {
    if (segments.some(({ path }) => readFileSync(path, 'utf8') === 'bad')) throw new Error('no rows')
    return {}
  }
  for (const name of ['a', 'bad', 'c', 'd']) await keep(name)
  await until(() => stored.includes('d'), 'the last segment')
  expect(stored).toEqual(['a', 'c', 'd'])
  expect(log.filter((line) => line.startsWith('gave up'))).toEqual(['gave up segment 2'])
}, 60_000)

test('alerts of a state that cannot be read end, and judging continues', async () => {
  await start()
  await keep('a')
  await done()
  await checks.stop()
  log = []
  await start()
  judge = ({ snapshot }) => ({ refused: snapshot === null ? null : 'its checksum is wrong' })
  await keep('b')
  await done()
  expect(log).toEqual(['gave up the state of the alert rules: its checksum is wrong', 'lost'])
  expect(kept().some((name) => name.endsWith('.snapshot'))).toBe(false)
})

test('without rules everything is deleted; silences are looked at once the server is ready', async () => {
  await start(['rul_1'], 'silence')
  await keep('a')
  await done()
  expect(calls.every(({ nowMs }) => nowMs === null)).toBe(true)
  let oldestMs: number | undefined = 1_000
  checks.begin(() => oldestMs)
  await until(() => calls.some(({ nowMs }) => nowMs === 1_000), 'a tick')
  oldestMs = undefined
  await until(() => Math.abs(Number(calls.at(-1)?.nowMs) - Date.now()) < 60_000, 'a tick of the clock')
  expect(existsSync(join(dir, 'log/alerts/heartbeat.json'))).toBe(true)
  await checks.stop()
  const { downtimes } = calls.at(-1) as JudgeInput
  expect(downtimes).toEqual([])
  await start(['rul_1'], 'silence')
  checks.begin(() => undefined)
  await until(() => calls.at(-1)?.downtimes.length === 1, 'the downtime')
  await checks.stop()
  await start([])
  await until(() => kept().length === 0, 'the deletion')
  await checks.stop()
  expect(readdirSync(join(dir, 'log/alerts'))).toEqual([])
})

test('judging yields while ingestion needs the processor, and no silence fires meanwhile', async () => {
  await start(['rul_1'], 'silence')
  checks.begin(() => undefined)
  await until(() => calls.some(({ nowMs }) => nowMs !== null), 'a tick')
  isBusy = true
  await keep('a', 40 * MIB)
  const before = calls.length
  // longer than a tick
  await Bun.sleep(1_500)
  await keep('b', 40 * MIB)
  expect(calls.length).toBe(before)
  expect(checks.status()).toMatchObject({ segments: 2, bytes: 80 * MIB })
  isBusy = false
  await done()
  // the clock is looked at in the call that judges the last of what has waited, not before
  const [first, second] = calls.slice(before)
  expect(first).toMatchObject({ segments: [{ sequence: 1 }], nowMs: null })
  expect(second).toMatchObject({ segments: [{ sequence: 2 }], nowMs: expect.any(Number) })
  expect(stored).toEqual(['a', 'b'])
})

test('judging yields until a segment has waited for 30 s', async () => {
  await start()
  isBusy = true
  await keep('a')
  setSystemTime(Date.now() + 29_000)
  await keep('b')
  await Bun.sleep(100)
  expect(calls).toEqual([])
  setSystemTime(Date.now() + 1_000)
  await keep('c')
  await until(() => stored.includes('a'), 'the oldest segment')
})

test('judging yields until so much waits that answers would be delayed', async () => {
  await start()
  isBusy = true
  for (let i = 0; i < 9; i++) await keep(`segment ${i}`, 10 * MIB)
  await Bun.sleep(100)
  expect(calls).toEqual([])
  await keep('the last one', 10 * MIB)
  await until(() => stored.includes('segment 0'), 'the oldest segment')
})

test('a rule that is given up is reported once, and counted', async () => {
  await start()
  expect(checks.status().rulesGivenUp).toBe(0)
  judge = () => ({ givenUp: [{ rule: 'rul_1', why: 'no such place' }] })
  for (const name of ['a', 'b']) {
    await keep(name)
    await done()
  }
  expect(log.filter((line) => line !== 'lost')).toEqual(['gave up rule rul_1: no such place'])
  expect(checks.status().rulesGivenUp).toBe(1)
  judge = () => ({})
  await keep('c')
  await done()
  expect(checks.status().rulesGivenUp).toBe(0)
})
