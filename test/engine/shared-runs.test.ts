/** Runs whose parts idle processes work on. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Lane } from '../../src/engine/lane.ts'
import type { LaneEvent } from '../../src/engine/lane-options.ts'
import { runFoldersOf } from '../../src/engine/run-folders.ts'

const WORKER = join(import.meta.dir, '../support/sharing-worker.ts')
const LIMITS = { maxFeatures: 1, maxUnpackedBytes: 1, maxPixels: 1, maxSamples: 1, maxPages: 1 }
const PARTS = [1, 2, 3, 4, 5, 6]
const DOUBLED = [2, 4, 6, 8, 10, 12]

let home: string
let lane: Lane
let events: LaneEvent[]

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'groundwave-shared-'))
  events = []
  lane = new Lane({
    ...{ name: 'test', workers: 2, reserve: false, environment: {}, maxRuns: 1000, maxMemoryBytes: 2 ** 40 },
    command: () => ({ command: [process.execPath, WORKER], runFolders: undefined }),
    waiting: { total: 64, perTenant: 64 },
    runningPerTenant: 64,
    onEvent: (event) => events.push(event),
  })
})
afterEach(async () => {
  await lane.stop()
  rmSync(home, { recursive: true, force: true })
})

const share = () =>
  lane.run('', { parts: PARTS }, { scratch: home, limits: LIMITS, plan: 'max', deadlineMs: 30_000, tenant: 'a' })

test('an idle process does parts of a run', async () => {
  expect((await share()).data).toEqual({ doubled: DOUBLED })
  expect(existsSync(join(home, 'helped'))).toBe(true)
  expect(events.filter(({ event }) => event !== 'started')).toEqual([])
})

test('the owner does the parts of processes that are killed', async () => {
  writeFileSync(join(home, 'deadly'), '')
  expect((await share()).data).toEqual({ doubled: DOUBLED })
  expect(events.some(({ event, reason }) => event === 'ended' && reason === 'exit SIGKILL')).toBe(true)
})

test('what a helper writes for the run is moved to its folder when the part is done, and nothing else', async () => {
  const [all, owner, helper] = [join(home, 'all'), join(home, 'all/owner'), join(home, 'all/helper')]
  const scratch = join(all, 'run')
  for (const folder of [all, owner, helper, scratch]) mkdirSync(folder)
  writeFileSync(join(scratch, 'input'), 'sent')
  const folders = [owner, helper].map((own) => runFoldersOf(own, all, false))
  const [ofOwner, ofHelper] = folders as [(typeof folders)[0], (typeof folders)[0]]
  await ofOwner.enter(scratch, false)
  const place = join(helper, 'run')
  const write = async (isDone: boolean): Promise<string[]> => {
    await ofHelper.enter(scratch, true)
    expect(readFileSync(join(place, 'input'), 'utf8')).toBe('sent')
    writeFileSync(join(place, 'part-1'), 'done')
    writeFileSync(join(place, 'other'), 'not for the run')
    symlinkSync('/etc/passwd', join(place, 'part-2'))
    linkSync(join(place, 'input'), join(place, 'part-3'))
    await ofHelper.leave(scratch, true, isDone)
    expect(readdirSync(helper)).toEqual([])
    return readdirSync(scratch).sort()
  }
  expect(await write(false)).toEqual(['input'])
  expect(await write(true)).toEqual(['input', 'part-1'])
  expect(readFileSync(join(owner, 'run/part-1'), 'utf8')).toBe('done')
  // a file of the run is never replaced
  writeFileSync(join(owner, 'run/part-1'), 'by the owner')
  await expect(write(true)).rejects.toThrow('EEXIST')
})

test('a helper with another account may read what the owner wrote for itself alone', async () => {
  const [all, own] = [join(home, 'all'), join(home, 'own')]
  const scratch = join(all, 'run_1')
  for (const folder of [scratch, own]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(scratch, 'input-1.rows'), 'rows', { mode: 0o600 })
  await runFoldersOf(own, all, true).enter(scratch, true)
  const shown = join(own, 'run_1/input-1.rows')
  expect(readFileSync(shown, 'utf8')).toBe('rows')
  expect(statSync(shown).mode & 0o777).toBe(0o644)
})
