/** The task of the judging process: what it needs, restores and refuses, and the files that it makes. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import judge from '../../../src/alerts/judge.ts'
import { judgingMemory } from '../../../src/alerts/judging/judging-memory.ts'
import type { JudgeData, JudgedChange, JudgeInput, WatchedRule, WatchedSensor } from '../../../src/alerts/protocol.ts'
import type { RunContext } from '../../../src/tools/tool.ts'
import { segmentOf } from '../../support/alerts/segments.ts'

const RULE: WatchedRule = {
  id: 'rul_1',
  enterprise: 3,
  sinceMs: 1_000,
  layer: undefined,
  bufferM: 0,
  kind: 'threshold',
  conditions: [{ channel: 't', op: '>', value: 30 }],
  match: 'all',
  steps: [],
  forMs: 0,
  keepFiringMs: 0,
  maxGapMs: 60_000,
  gap: 'reset',
  within: undefined,
  severity: 'warning',
}
const SENSOR: WatchedSensor = {
  number: 5,
  enterprise: 3,
  channels: { t: 7 },
  rules: ['rul_1'],
  quietSinceMs: null,
  activeSinceMs: null,
  usualMs: 0,
}

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'groundwave-judge-'))
  judgingMemory.state = undefined
})
afterEach(async () => {
  judgingMemory.state = undefined
  await rm(dir, { recursive: true })
})

let files = 0
async function written(content: string | Uint8Array): Promise<string> {
  const path = join(dir, `file-${files++}`)
  await Bun.write(path, content)
  return path
}

const segment = async (sequence: number, atMs: number, value: number) => ({
  sequence,
  path: await written(
    segmentOf([
      { sensor: 5, receivedMs: atMs, readings: [{ atMs, values: new Map([[7, value]]), location: undefined }] },
    ]),
  ),
})

async function everything(): Promise<Pick<JudgeInput, 'rules' | 'sensors'>> {
  return {
    rules: { version: 1, path: await written(JSON.stringify([RULE])) },
    sensors: { version: 1, path: await written(`${JSON.stringify(SENSOR)}\n`), isComplete: true },
  }
}
const UNCHANGED: Pick<JudgeInput, 'rules' | 'sensors'> = {
  rules: { version: 1, path: null },
  sensors: { version: 1, path: null, isComplete: false },
}

async function call(input: Partial<JudgeInput>) {
  const scratch = await mkdtemp(join(dir, 'scratch-'))
  const common = { state: 'one', snapshot: null, layers: [], segments: [], nowMs: null, downtimes: [], spentDays: [] }
  const whole = { ...common, ...UNCHANGED, wantsSnapshot: false, ...input }
  const { data, files: made = [] } = await judge.run(whole, { scratch } as unknown as RunContext)
  const paths = new Map(made.map(({ filename, path }) => [filename, path]))
  const lines = paths.has('changes')
    ? (await Bun.file(paths.get('changes') as string).text()).trimEnd().split('\n')
    : []
  const changes = lines.map((line) => JSON.parse(line) as JudgedChange)
  return { data: data as JudgeData, changes, snapshot: paths.get('snapshot') as string }
}

test('a process without memory needs everything, and judges nothing', async () => {
  const { data, changes } = await call({ segments: [await segment(0, 2_000, 40)] })
  expect(data).toEqual({
    needs: 'everything',
    refused: null,
    sequence: -1,
    changes: 0,
    events: 0,
    late: [],
    givenUp: [],
  })
  expect(changes).toEqual([])
})

test('writes a line for each change, with ids that belong to the episode', async () => {
  const segments = [await segment(0, 2_000, 40), await segment(1, 3_000, 20)]
  const { data, changes } = await call({ ...(await everything()), segments })
  expect(data).toEqual({ needs: null, refused: null, sequence: 1, changes: 2, events: 0, late: [], givenUp: [] })
  const id = changes[0]?.id
  expect(id).toMatch(/^alr_[0-9a-f]{32}$/)
  const common = { id, rule: 'rul_1', sinceMs: 1_000, enterprise: 3, sensor: 5, polygon: null }
  expect(changes as unknown[]).toEqual([
    {
      ...common,
      type: 'firing',
      startedMs: 2_000,
      firedMs: 2_000,
      severity: 'warning',
      value: 40,
      values: { t: 40 },
      late: false,
    },
    { ...common, type: 'resolved', resolvedMs: 3_000 },
  ])
})

test('remembers between calls, and skips segments that are judged', async () => {
  const first = await segment(0, 2_000, 40)
  await call({ ...(await everything()), segments: [first] })
  const { data, changes } = await call({ segments: [first, await segment(1, 3_000, 20)] })
  expect(data.late).toEqual([])
  expect(changes.map(({ type }) => type)).toEqual(['resolved'])
})

test('needs everything when it missed a change, or is of another state', async () => {
  await call(await everything())
  const missed: Partial<JudgeInput>[] = [
    { rules: { version: 2, path: null } },
    { sensors: { version: 2, path: null, isComplete: false } },
    { state: 'two' },
    { snapshot: { path: 'unread', sequence: 4 } },
  ]
  for (const input of missed) {
    await call(await everything())
    expect((await call(input)).data.needs).toBe('everything')
  }
})

test('a new process continues from a snapshot, and judges the segments after it', async () => {
  const { snapshot: path, data } = await call({
    ...(await everything()),
    segments: [await segment(0, 2_000, 40)],
    wantsSnapshot: true,
  })
  expect(data.sequence).toBe(0)
  const later = await segment(1, 3_000, 20)
  const before = await call({ segments: [later] })
  judgingMemory.state = undefined
  const after = await call({
    state: 'two',
    snapshot: { path, sequence: 0 },
    ...(await everything()),
    segments: [later],
  })
  expect(after.changes).toEqual(before.changes)
  expect(after.changes).toHaveLength(1)
})

test('refuses a damaged snapshot and one of another format, says so, and begins from nothing', async () => {
  const { snapshot } = await call({
    ...(await everything()),
    segments: [await segment(0, 2_000, 40)],
    wantsSnapshot: true,
  })
  const bytes = new Uint8Array(await Bun.file(snapshot).arrayBuffer())
  const damaged = bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] as number) ^ 1)
  const cases = [
    [damaged, 'its checksum is wrong'],
    [bytes.subarray(0, bytes.length - 9), 'its checksum is wrong'],
    [new Uint8Array(0), 'it has another format'],
    [new TextEncoder().encode('groundwave alerts 9\nwhatever'), 'it has another format'],
  ] as const
  for (const [content, why] of cases) {
    judgingMemory.state = undefined
    const { data, changes } = await call({
      snapshot: { path: await written(content), sequence: 0 },
      ...(await everything()),
      segments: [await segment(1, 3_000, 40)],
    })
    expect(data.refused).toBe(why)
    expect(changes.map(({ type }) => type)).toEqual(['firing'])
  }
})

test('a call that fails leaves no state behind', async () => {
  await call(await everything())
  await expect(call({ segments: [{ sequence: 0, path: join(dir, 'nothing') }] })).rejects.toThrow('ENOENT')
  expect((await call({})).data.needs).toBe('everything')
})
