/** Runs whose parts idle processes work on. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Lane } from '../../../src/engine/lane.ts'
import type { LaneEvent } from '../../../src/engine/lane-options.ts'
import { ProcessFolders, resultPath } from '../../../src/engine/process-folders.ts'
import { unconfined } from '../../support/workers/unconfined.ts'

const WORKER = join(import.meta.dir, '../../support/workers/sharing-worker.ts')
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
    name: 'test',
    workers: 2,
    reserve: false,
    environment: { MARKS: home },
    maxRuns: 1000,
    maxMemoryBytes: 2 ** 40,
    command: () => unconfined(home).wrap([process.execPath, WORKER], 0),
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
  lane.run(
    '',
    { parts: PARTS },
    {
      scratch: join(home, 'run'),
      openFolder: async () => undefined,
      limits: LIMITS,
      plan: 'max',
      deadlineMs: 30_000,
      tenant: 'a',
    },
  )

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

/** Two processes that work on a run, represented by their folders. */
function processes() {
  const scratch = join(home, 'run')
  mkdirSync(scratch)
  writeFileSync(join(scratch, 'input'), 'sent')
  const [owner, helper] = ['owner', 'helper'].map((name) => {
    const own = join(home, name)
    for (const folder of ['in', 'out']) mkdirSync(join(own, folder), { recursive: true })
    return { own, folders: new ProcessFolders({ own, view: own, scratch: home, account: undefined }) }
  }) as [{ own: string; folders: ProcessFolders }, { own: string; folders: ProcessFolders }]
  const files = { scratch, hasFolder: true, reads: [] }
  const results = join(owner.own, 'out/run')
  return { files, owner, helper, results }
}

test('a helper sees the files of the run and of its owner, and its part files become the owner’s', async () => {
  const { files, owner, helper, results } = processes()
  await owner.folders.enter(files)
  mkdirSync(results)
  writeFileSync(join(results, 'input-1.rows'), 'rows', { mode: 0o600 })
  writeFileSync(join(results, 'part-0'), 'of another part')
  const place = join(helper.own, 'out/run')
  const write = async (): Promise<string[]> => {
    await helper.folders.enter(files, owner.folders)
    expect(readFileSync(join(helper.own, 'in/run/input'), 'utf8')).toBe('sent')
    expect(readdirSync(place)).toEqual(['input-1.rows'])
    writeFileSync(join(place, 'part-1'), 'done')
    writeFileSync(join(place, 'other'), 'not for the run')
    symlinkSync('/etc/passwd', join(place, 'part-2'))
    await helper.folders.leave(files, owner.folders)
    expect(readdirSync(join(helper.own, 'out'))).toEqual([])
    expect(readdirSync(join(helper.own, 'in'))).toEqual([])
    return readdirSync(results).sort()
  }
  expect(await write()).toEqual(['input-1.rows', 'part-0', 'part-1'])
  expect(readFileSync(join(results, 'part-1'), 'utf8')).toBe('done')
  // a file of the run is never replaced
  await expect(write()).rejects.toThrow('EEXIST')
})

test('paths in messages are translated for the process, and back for the server', () => {
  const { files, owner } = processes()
  const { scratch } = files
  const layer = join(home, 'layers/lay_1.2')
  const order = { file: join(scratch, 'input-1'), out: resultPath(scratch), layer, text: 'kept' }
  const sent = JSON.parse(owner.folders.toWorker({ ...files, reads: [layer] }, JSON.stringify(order)))
  const { own } = owner
  expect(sent).toEqual({
    file: join(own, 'in/run/input-1'),
    out: join(own, 'out/run'),
    layer: join(own, 'in/layers/lay_1.2'),
    text: 'kept',
  })
  const said = { result: join(own, 'out/run/result.png'), same: join(own, 'in/run/input-1') }
  expect(JSON.parse(owner.folders.fromWorker(files, JSON.stringify(said)))).toEqual({
    result: resultPath(scratch, 'result.png'),
    same: join(scratch, 'input-1'),
  })
})
