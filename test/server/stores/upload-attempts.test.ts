/** Instances that make the file of the same upload, with a real PostgreSQL and a folder of files. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFileRemovals } from '../../../src/runs/file-removals.ts'
import { createUploads, type Upload, type Uploads, type UploadsDeps } from '../../../src/runs/uploads.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import type { FileStore } from '../../../src/stores/files/client.ts'
import { openFolderStore } from '../../../src/stores/files/folder.ts'
import { stateOfUpload } from '../../../src/stores/postgres/files/uploads.ts'
import { renewLease } from '../../../src/stores/postgres/runs/instance-leases.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { until } from '../../support/until.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres
await postgres.script("INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale')")
const home = mkdtempSync(join(tmpdir(), 'groundwave-uploads-'))
const files = await openFolderStore(join(home, 'files'))
const fail = (error: unknown): void => void Promise.reject(error)
const fileRemovals = startFileRemovals({ db, files, changes: createChanges() }, fail)
afterAll(async () => {
  await fileRemovals.stop()
  rmSync(home, { recursive: true, force: true })
})

type Scan = () => Promise<string | undefined>
async function instance(instanceId: string, scan: Scan, more: Partial<UploadsDeps> = {}): Promise<Uploads> {
  const scratchDir = join(home, instanceId)
  mkdirSync(scratchDir, { recursive: true })
  await renewLease(db, instanceId)
  return createUploads(
    {
      db,
      files,
      fileRemovals,
      scratchDir,
      instanceId,
      maxBytes: 1_000,
      maxOpen: 100,
      keepHours: 1,
      onError: fail,
      storage: { within: (_owner: string, _bytes: number, store: () => Promise<unknown>) => store() } as never,
      disk: { require: async () => undefined },
      clamd: { scan, ping: async () => undefined } as never,
      ...more,
    },
    20,
  )
}
const clean: Scan = async () => undefined

/** A scan that waits. */
function gated(): { scan: Scan; started: Promise<void>; open(): void } {
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  return {
    async scan() {
      begun.resolve()
      await gate.promise
      return undefined
    },
    started: begun.promise,
    open: gate.resolve,
  }
}

const caller = { owner: { kind: 'enterprise', id: 'ent_1' }, memberId: undefined } as never
let pieces = 0
async function sent(uploads: Uploads, texts: readonly string[], bytes = texts.join('').length): Promise<Upload> {
  let upload = await uploads.begin(caller, 'test', { filename: 'a.bin', metadata: '', bytes }, async () => undefined)
  for (const text of texts) {
    const path = join(home, `piece-${++pieces}`)
    writeFileSync(path, text)
    upload = await uploads.add(upload, { startsAt: upload.received, path, bytes: text.length })
  }
  return upload
}
const pathOf = (key: string): string => join(home, 'files', key.slice(-2), key)
const onDisk = (): string[] =>
  readdirSync(join(home, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
const storedKeys = async (): Promise<string[]> =>
  ((await db.execute('SELECT id FROM stored_files ORDER BY id')) as unknown as { id: string }[]).map(({ id }) => id)
const loseLease = (id: string): Promise<void> =>
  postgres.script(`UPDATE instance_leases SET leased_until = now() - interval '1 second' WHERE instance_id = '${id}'`)

test('one instance makes the file; another takes over when the lease expires, and the late one stores and removes nothing', async () => {
  const gate = gated()
  const [late, other] = [await instance('late', gate.scan), await instance('other', clean)]
  const upload = await sent(late, ['ab', 'cd'])
  const finishing = late.finish(upload, 60_000)
  await gate.started
  // the instance works on the upload
  expect((await other.finish(upload, 60_000)).state).toBe('open')
  other.start()
  await loseLease('late')
  await until(async () => (await stateOfUpload(db, upload.id))?.state === 'stored', 'the other instance')
  other.stop()
  // the record is no longer needed, but the file is
  await other.remove({ ownerId: 'ent_1' }, upload.id)
  gate.open()
  await finishing
  expect(readFileSync(pathOf(upload.key), 'utf8')).toBe('abcd')
  expect(onDisk()).toEqual([upload.key])
  expect(await storedKeys()).toEqual([upload.key])
})

test('a late instance removes its bytes once the file that another one stored was deleted', async () => {
  const gate = gated()
  const [late, other] = [await instance('late', gate.scan), await instance('other', clean)]
  const upload = await sent(late, ['efgh'])
  const finishing = late.finish(upload, 60_000)
  await gate.started
  await loseLease('late')
  expect((await other.finish(upload, 60_000)).state).toBe('stored')
  await postgres.script(`DELETE FROM stored_files WHERE id = '${upload.key}'`)
  await fileRemovals.remove(60_000)
  expect(existsSync(pathOf(upload.key))).toBe(false)
  gate.open()
  await finishing
  await fileRemovals.remove(60_000)
  expect(existsSync(pathOf(upload.key))).toBe(false)
})

test('an upload deleted while its files could not be removed disappears completely', async () => {
  const broken: FileStore = { ...files, remove: () => Promise.reject(new Error('no connection')) }
  const uploads = await instance('here', clean, { files: broken })
  const upload = await sent(uploads, ['ij', 'kl'], 10)
  await uploads.remove({ ownerId: 'ent_1' }, upload.id).catch(() => undefined)
  expect(await stateOfUpload(db, upload.id)).toBeUndefined()
  await fileRemovals.remove(60_000)
  expect(onDisk().toSorted()).toEqual(await storedKeys())
})
