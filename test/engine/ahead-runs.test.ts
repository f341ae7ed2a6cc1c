/** Files that processes read while they arrive: only on processes that nothing else needs. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AheadRun } from '../../src/engine/ahead-runs.ts'
import { Lane } from '../../src/engine/lane.ts'
import type { LaneEvent } from '../../src/engine/lane-options.ts'
import { eventually } from '../support/until.ts'

const WORKER = join(import.meta.dir, '../support/ahead-worker.ts')
const LIMITS = { maxFeatures: 1, maxUnpackedBytes: 1, maxPixels: 1, maxSamples: 1, maxPages: 1 }

let home: string
let lane: Lane
let events: LaneEvent[]

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-ahead-'))
  events = []
})
afterEach(async () => {
  await lane.stop()
  rmSync(home, { recursive: true, force: true })
})

/** With so many processes, all of them ready. */
async function openLane(workers: number, runningPerTenant = 64): Promise<void> {
  lane = new Lane({
    ...{ name: 'test', workers, reserve: false, environment: {}, maxRuns: 1000, maxMemoryBytes: 2 ** 40 },
    command: () => ({ command: [process.execPath, WORKER], runFolders: undefined }),
    waiting: { total: 64, perTenant: 64 },
    runningPerTenant,
    onEvent: (event) => events.push(event),
  })
  const gate = join(home, 'all')
  const first = Array.from({ length: workers }, (_, i) => run({ gate, tenant: `first ${i}` }))
  while (lane.status().busy < workers) await Bun.sleep(5)
  writeFileSync(gate, '')
  await Promise.all(first)
}

const options = (tenant: string, ahead?: string, deadlineMs = 30_000) => ({
  ...{ scratch: home, limits: LIMITS, plan: 'max' as const, deadlineMs, tenant, ahead },
})
/** What the process of the run had read ahead for it. */
async function run({ gate, tenant = 'a', ahead }: { gate?: string; tenant?: string; ahead?: string }): Promise<number> {
  const { data } = await lane.run('', { ...(gate && { gate }) }, options(tenant, ahead))
  return data.read as number
}
const readAhead = (id: string, tenant = 'a', deadlineMs?: number): AheadRun | undefined =>
  lane.readAhead(
    '',
    { field: 'file', file: { path: '', filename: '', bytes: 0 }, maxBytes: 9 },
    options(tenant, id, deadlineMs),
  )
const begun = (id: string, tenant?: string, deadlineMs?: number): AheadRun => {
  const ahead = readAhead(id, tenant, deadlineMs)
  if (ahead === undefined) throw new Error('no process is idle')
  return ahead
}
/** Begins a run that waits for its gate. */
function held(name: string, tenant = 'a') {
  const gate = join(home, name)
  const done = run({ gate, tenant })
  const finish = (): Promise<number> => {
    writeFileSync(gate, '')
    return done
  }
  return { done, finish }
}
const replaced = (): LaneEvent[] => events.filter(({ event }) => event === 'killed')

test('the run goes to the process that has read its file, whichever that is', async () => {
  await openLane(3)
  for (let i = 0; i < 8; i++) {
    const others = Array.from({ length: i % 3 }, (_, k) => held(`${i} ${k}`, 'b'))
    const ahead = begun(`file ${i}`)
    for (const bytes of [1, 2, 3]) ahead.arrived(bytes, false)
    for (const other of others) await other.finish()
    ahead.arrived(4 + i, true)
    await ahead.done
    // a run of another file, or of none, does not get it
    const gets = run({ ahead: `file ${i}` })
    expect(await Promise.all([gets, run({ ahead: 'other' }), run({})])).toEqual([4 + i, 0, 0])
  }
  expect(replaced()).toEqual([])
})

test('nothing is read ahead while all processes work, or a run waits', async () => {
  await openLane(2, 1)
  const [one, two] = [held('one', 'a'), held('two', 'b')]
  expect(readAhead('x', 'c')).toBeUndefined()
  await two.finish()
  // one process is idle, but the second run of the tenant may not take it, and waits
  const waiting = held('three', 'a')
  expect(readAhead('x', 'c')).toBeUndefined()
  await one.finish()
  await waiting.finish()
  begun('x', 'c').giveUp()
})

test('a file that is still arriving makes way for a run that waits, a whole one does not', async () => {
  await openLane(1)
  const slow = begun('slow')
  slow.arrived(5, false)
  expect(await run({ tenant: 'b' })).toBe(0)
  await slow.done
  // what comes later is ignored, and the run of the file reads it itself
  slow.arrived(6, true)
  expect(await run({ ahead: 'slow' })).toBe(0)
  const whole = begun('whole')
  whole.arrived(7, true)
  const other = run({ tenant: 'b' })
  await whole.done
  await other
  expect(replaced()).toEqual([])
})

test('a job has the process first too', async () => {
  await openLane(1)
  const slow = begun('slow')
  const { data } = await lane.run('', {}, { ...options('b'), background: true })
  expect(data).toEqual({ read: 0 })
  await slow.done
})

test('a process that does not make way is replaced', async () => {
  await openLane(1)
  writeFileSync(join(home, 'stubborn'), '')
  const ahead = begun('stubborn')
  ahead.arrived(1, false)
  await Bun.sleep(20)
  ahead.giveUp()
  await ahead.done
  expect(replaced()).toMatchObject([{ reason: 'reads on' }])
  expect(await run({})).toBe(0)
})

test('the time of a run counts from when its file is whole', async () => {
  await openLane(1)
  writeFileSync(join(home, 'busy'), '')
  const ahead = begun('long', 'a', 50)
  ahead.arrived(1, false)
  await Bun.sleep(150)
  expect(replaced()).toEqual([])
  ahead.arrived(2, true)
  await ahead.done
  expect(replaced()).toMatchObject([{ reason: 'deadline' }])
  rmSync(join(home, 'busy'))
  expect(await run({ ahead: 'long' })).toBe(0)
})

test('a process that ends while it reads costs the run nothing but the reading', async () => {
  await openLane(1)
  const ahead = begun('killed')
  ahead.arrived(1, false)
  const [worker] = lane.workers
  worker?.process.kill('SIGKILL')
  await ahead.done
  ahead.arrived(2, true)
  ahead.giveUp()
  expect(await run({ ahead: 'killed' })).toBe(0)
  expect(events.filter(({ event }) => event === 'unread')).toMatchObject([{ reason: expect.stringContaining('ended') }])
})

test('the tenant of the file counts as the one that runs', async () => {
  await openLane(2, 1)
  const ahead = begun('first', 'a')
  expect(readAhead('second', 'a')).toBeUndefined()
  begun('other', 'b').giveUp()
  ahead.giveUp()
  await ahead.done
  await eventually(() => expect(lane.status().busy).toBe(0))
})
