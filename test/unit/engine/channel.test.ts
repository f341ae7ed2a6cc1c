/** Attacks on the server through the messages of a worker process that runs foreign code. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { frameOf, frameReader } from '../../../src/engine/channel.ts'
import { Lane } from '../../../src/engine/lane.ts'
import type { LaneEvent } from '../../../src/engine/lane-options.ts'
import type { Rogue } from '../../support/workers/rogue-worker.ts'
import { unconfined } from '../../support/workers/unconfined.ts'

const ROGUE = join(import.meta.dir, '../../support/workers/rogue-worker.ts')
const LIMITS = { maxFeatures: 1, maxUnpackedBytes: 1, maxPixels: 1, maxSamples: 1, maxPages: 1 }

let home: string
let lanes: Lane[]
let events: LaneEvent[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-channel-'))
  lanes = []
  events = []
})
afterEach(async () => {
  for (const lane of lanes) await lane.stop()
  rmSync(home, { recursive: true, force: true })
})

function openLane(environmentOf: (start: number) => Record<string, string> = () => ({})): Lane {
  let starts = 0
  const environment: Record<string, string> = {}
  const lane = new Lane({
    name: 'test',
    workers: 1,
    reserve: false,
    environment,
    maxRuns: 1000,
    maxMemoryBytes: 2 ** 40,
    command: () => {
      delete environment.MISSING
      Object.assign(environment, environmentOf(++starts))
      return unconfined(home).wrap([process.execPath, ROGUE], 0)
    },
    waiting: { total: 64, perTenant: 64 },
    runningPerTenant: 64,
    onEvent: (event) => events.push(event),
  })
  lanes.push(lane)
  return lane
}

/** @returns the answer of the run, or the code of its error */
const say = (lane: Lane, rogue: Rogue): Promise<unknown> =>
  lane
    .run('', rogue, {
      scratch: join(home, 'run'),
      openFolder: async () => undefined,
      limits: LIMITS,
      plan: 'max',
      deadlineMs: 60_000,
      tenant: 'a',
    })
    .then(({ data }) => data)
    .catch((error) => error.code)
const killed = (): string[] => events.flatMap(({ event, reason }) => (event === 'killed' ? [reason as string] : []))

describe('a process that breaks the protocol is killed, and the next one works', () => {
  test.each([
    ['null', { frame: 'null' }],
    ['no JSON', { frame: '{' }],
    ['a list', { frame: '[1]' }],
    ['nesting', { frame: '['.repeat(1_000_000) }],
    ['an unknown message', { frame: '{"run":RUN,"shell":"sh"}' }],
    ['an unknown member', { frame: '{"run":RUN,"progress":0.5,"more":1}' }],
    ['a wrong type', { frame: '{"run":RUN,"result":{"data":[]},"cachedBytes":0}' }],
    ['a negative size', { frame: '{"run":RUN,"result":{"data":{}},"cachedBytes":-1}' }],
    [
      'a file without a role',
      { frame: '{"run":RUN,"result":{"data":{},"files":[{"path":"/etc/passwd"}]},"cachedBytes":0}' },
    ],
    ['readiness during a run', { frame: '{"ready":true}' }],
    ['a missing library during a run', { frame: '{"ready":true,"missing":"x"}' }],
    ['a long frame', { bytes: '[[[[' }],
    ['an empty frame', { bytes: '\0\0\0\0' }],
  ] as [string, Rogue][])('%s', async (_, rogue) => {
    const lane = openLane()
    expect(await say(lane, rogue)).toBe('TOOL_FAILED')
    expect(killed()).toEqual([expect.stringMatching(/^protocol: /)])
    expect(await say(lane, {})).toEqual({ isDone: true })
    expect(lane.status()).toMatchObject({ available: true, failing: false })
  })

  test.each([
    [
      'a file of another folder',
      '{"run":RUN,"result":{"data":{},"files":[{"role":"output","path":"/etc/passwd","filename":"x","mediaType":"x"}]},"cachedBytes":0}',
    ],
    ['a file of data of another folder', '{"run":RUN,"result":{"data":{},"dataPath":"/etc/passwd"},"cachedBytes":0}'],
  ])('%s', async (_, frame) => {
    const lane = openLane()
    expect(await say(lane, { frame })).toBe('TOOL_FAILED')
    expect(await say(lane, {})).toEqual({ isDone: true })
  })
})

test('messages of runs that the process does not have change nothing', async () => {
  const lane = openLane()
  expect(await say(lane, { frame: '{"run":77,"result":{"data":{"isForeign":true}},"cachedBytes":0}' })).toEqual({
    isDone: true,
  })
})

test('a library counts as missing only when the next process reports it too', async () => {
  const once = openLane((start): Record<string, string> => (start === 1 ? { MISSING: 'it is hidden' } : {}))
  await once.ready()
  expect(once.status()).toMatchObject({ available: true, ready: 1 })
  expect(events.map(({ event }) => event)).not.toContain('without GDAL')
  const twice = openLane(() => ({ MISSING: 'it is not there' }))
  await twice.ready()
  expect(twice.report()).toMatchObject({ isAvailable: false, reason: 'it is not there' })
  // it works without a folder
  expect(await say(twice, {})).toEqual({ isDone: true })
})

describe('a gigabyte', () => {
  const MEGABYTE = 'A'.repeat(2 ** 20 - 100)
  test.each([
    ['of garbage', { bytes: MEGABYTE, times: 1024 }],
    ['of brackets in frames', { frame: '['.repeat(2 ** 20 - 100), times: 1024 }],
    ['of valid messages', { frame: `{"run":RUN,"share":["${MEGABYTE.slice(100)}"]}`, times: 1024 }],
    ['of small messages', { frame: '{"run":RUN,"progress":0.5}', times: 30_000_000 }],
  ] as [string, Rogue][])(
    '%s takes little memory, and other lanes continue',
    async (_, rogue) => {
      const [lane, other] = [openLane(), openLane()]
      await Promise.all([say(lane, {}), say(other, {})])
      Bun.gc(true)
      const before = process.memoryUsage.rss()
      let most = 0
      let slowest = 0
      const outcome = say(lane, rogue)
      let isOver = false
      void outcome.finally(() => {
        isOver = true
      })
      while (!isOver) {
        const startedMs = performance.now()
        expect(await say(other, {})).toEqual({ isDone: true })
        slowest = Math.max(slowest, performance.now() - startedMs)
        most = Math.max(most, process.memoryUsage.rss() - before)
      }
      expect(await outcome).toBe('TOOL_FAILED')
      expect(await say(lane, {})).toEqual({ isDone: true })
      expect(slowest).toBeLessThan(1_000)
      expect(most).toBeLessThan(60 * 2 ** 20)
    },
    60_000,
  )
})

test('its standard error becomes few lines without control characters', async () => {
  const lane = openLane()
  const forged = '\u001b[2J{"level":60,"msg":"forged"}\r\n'
  expect(await say(lane, { errors: `${forged}${'x'.repeat(100_000)}\n`, times: 500 })).toEqual({ isDone: true })
  await lane.stop()
  const said = events.flatMap(({ event, reason = '' }) => (event === 'output' ? [reason] : []))
  expect(said.length).toBeGreaterThan(0)
  expect(said.length).toBeLessThanOrEqual(20)
  expect(said[0]).toBe('\\u001b[2J{"level":60,"msg":"forged"}\\u000d')
  for (const line of said) expect(line).toMatch(/^[ -~]{1,600}$/)
})

test('frames arrive whole, however they are cut', () => {
  const texts = ['{}', 'ä'.repeat(70_000), '"last"']
  const all = Buffer.concat(texts.map(frameOf))
  for (const size of [1, 3, 4_096, all.length]) {
    const received: string[] = []
    const read = frameReader(2 ** 20, (text) => received.push(text.toString()))
    for (let at = 0; at < all.length; at += size) expect(read(all.subarray(at, at + size))).toBe(true)
    expect(received).toEqual(texts)
  }
})
