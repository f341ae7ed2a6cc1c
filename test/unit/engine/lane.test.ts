/** Which runs a lane starts, on which process; the test decides when a run ends. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Lane } from '../../../src/engine/lane.ts'
import { unconfined } from '../../support/workers/unconfined.ts'

const GATED = join(import.meta.dir, '../../support/workers/gated-worker.ts')
const LIMITS = { maxFeatures: 1, maxUnpackedBytes: 1, maxPixels: 1, maxSamples: 1, maxPages: 1 }

let home: string
let lane: Lane

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-lane-'))
})
afterEach(async () => {
  await lane.stop()
  rmSync(home, { recursive: true, force: true })
})

type More = { perTenant?: number; runningPerTenant?: number; maxWaiting?: number; maxRuns?: number }

function coldLane(workers: number, more: More = {}): void {
  lane = new Lane({
    name: 'test',
    workers,
    reserve: true,
    environment: {},
    maxRuns: more.maxRuns ?? 1000,
    maxMemoryBytes: 2 ** 40,
    command: () => unconfined(home).wrap([process.execPath, GATED], 0),
    waiting: { total: more.maxWaiting ?? 64, perTenant: more.perTenant ?? 64 },
    runningPerTenant: more.runningPerTenant ?? 64,
    onEvent: () => undefined,
  })
}

async function openLane(workers: number, more: More = {}): Promise<void> {
  coldLane(workers, more)
  // runs of several tenants start all processes
  const first = Array.from({ length: workers + 1 }, (_, i) => begin(`${i}first`, JSON_ONLY))
  while (lane.status().busy < workers + 1) await Bun.sleep(5)
  for (const run of first) await run.finish()
  ended.length = 0
}

const openFolder = async (): Promise<void> => undefined

/** Names of runs in the order in which they ended. */
const ended: string[] = []
beforeEach(() => {
  ended.length = 0
})

function begin(name: string, sent: { bytes: number; files: number }) {
  const gate = join(home, name)
  const done = lane
    .run(
      '',
      { gate },
      {
        scratch: join(home, 'run'),
        openFolder,
        limits: LIMITS,
        plan: 'max',
        deadlineMs: 60_000,
        tenant: name[0] as string,
        sent,
      },
    )
    .then(
      () => {
        ended.push(name)
        return 'done'
      },
      (error) => error.code as string,
    )
  return {
    done,
    /** Lets the run end, and waits for its end. */
    finish: async (): Promise<string> => {
      writeFileSync(gate, '')
      return done
    },
  }
}
const FILE = { bytes: 1000, files: 1 }
const LARGE = { bytes: 50e6, files: 1 }
const JSON_ONLY = { bytes: 100, files: 0 }

test('a tenant with long runs on all processes leaves the reserved one to the first call of each other tenant', async () => {
  await openLane(2)
  const own = ['a1', 'a2', 'a3', 'a4'].map((name) => begin(name, FILE))
  expect(lane.status()).toMatchObject({ busy: 2, waiting: 2 })
  const other = begin('b1', FILE)
  expect(lane.status()).toMatchObject({ busy: 3, waiting: 2 })
  expect(await other.finish()).toBe('done')
  // the reserved process is free again, and refuses more runs of the first tenant
  expect(lane.status()).toMatchObject({ busy: 2, waiting: 2 })
  for (const run of own) await run.finish()
})

test('calls without files are run on the reserved process, large ones are not', async () => {
  await openLane(1)
  const long = begin('a1', LARGE)
  const large = begin('b1', LARGE)
  expect(lane.status()).toMatchObject({ busy: 1, waiting: 1 })
  const own = begin('a2', JSON_ONLY)
  expect(lane.status()).toMatchObject({ busy: 2, waiting: 1 })
  expect(await own.finish()).toBe('done')
  await long.finish()
  await large.finish()
})

test('waiting runs start in turns of the tenants', async () => {
  await openLane(1)
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
  const runs = names.map((name) => begin(name, LARGE))
  for (const name of names) writeFileSync(join(home, name), '')
  await Promise.all(runs.map(({ done }) => done))
  expect(ended).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('a tenant that may run one call at a time leaves the other processes idle', async () => {
  await openLane(3, { runningPerTenant: 1 })
  const runs = ['a1', 'a2', 'b1'].map((name) => begin(name, LARGE))
  expect(lane.status()).toMatchObject({ busy: 2, waiting: 1 })
  for (const run of runs) expect(await run.finish()).toBe('done')
})

test('calls beyond a tenant’s share of the queue are refused, calls of others are not', async () => {
  await openLane(1, { perTenant: 2 })
  const runs = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => begin(name, LARGE))
  expect(await (runs[3] as { done: Promise<string> }).done).toBe('SERVICE_BUSY')
  expect(lane.status()).toMatchObject({ busy: 1, waiting: 4 })
  const rest = runs.toSpliced(3, 1).map(({ finish }) => finish())
  expect(await Promise.all(rest)).toEqual(Array(5).fill('done'))
})

test('processes start when runs wait for them, and the queue is as long as with all of them', async () => {
  coldLane(2, { maxWaiting: 1 })
  await lane.ready()
  expect(lane.status()).toMatchObject({ ready: 1, failing: false })
  await begin('a1', LARGE).finish()
  expect(lane.status()).toMatchObject({ ready: 1, busy: 0 })
  // the third waits like others as long as only two processes could take it; the fourth is one too many
  const runs = ['b1', 'c1', 'd1', 'e1'].map((name) => begin(name, JSON_ONLY))
  expect(await (runs[3] as { done: Promise<string> }).done).toBe('SERVICE_BUSY')
  while (lane.status().busy < 3) await Bun.sleep(5)
  expect(lane.status()).toMatchObject({ ready: 3, waiting: 0 })
  for (const run of runs.slice(0, 3)) expect(await run.finish()).toBe('done')
})

test('the result of a process that is replaced after its run is taken before its folder is removed', async () => {
  coldLane(1, { maxRuns: 1 })
  for (const name of ['a1', 'a2', 'a3']) {
    const scratch = mkdtempSync(join(home, 'run-'))
    writeFileSync(join(home, name), '')
    const { dataPath = '' } = await lane.run(
      '',
      { gate: join(home, name) },
      {
        scratch,
        // longer than the end of a process takes
        openFolder: () => Bun.sleep(300),
        dataPath: join(scratch, 'data'),
        limits: LIMITS,
        plan: 'max',
        deadlineMs: 60_000,
        tenant: 'a',
      },
    )
    expect(readFileSync(dataPath, 'utf8')).toBe('{"written":true}')
  }
})
