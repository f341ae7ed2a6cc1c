/** Uploads that can be resumed, with a real tus client against the real server. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startClamd } from '../../support/clamd.ts'
import { killRandom, whole } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createInstance, type Envelope } from '../../support/server/instance.ts'
import { ledgerOf } from '../../support/server/ledger.ts'
import { metadataOf, OCTETS, TUS, uploadsOf, uploadWithClient } from '../../support/server/uploads.ts'
import { memberAccount, personAccount } from '../../support/sessions.ts'
import { startSlowProxy } from '../../support/stores/slow-proxy.ts'
import { until } from '../../support/until.ts'
import { FIXTURES, fetchFile, GIS, gisOf, keysOf } from '../../support/workers/tools.ts'

const randomFor = killRandom('uploads.test.ts')
const VIRUS = 'groundwave-upload-signature'
const BIG_BYTES = 60 * 2 ** 20
const BYTES_PER_MS = 12_000
const { call } = gisOf(
  () => instance,
  () => organization,
)
const { send, begin, append, offset } = uploadsOf(
  () => instance,
  () => organization,
)

const clamd = await startClamd('Groundwave.Upload', VIRUS)
const instance = await createInstance({ CLAMD_URL: clamd.url, CALLS_PER_MINUTE: '100000' })
const organization = await instance.organization('scale')
const proxy = await startSlowProxy(() => instance.port(), BYTES_PER_MS)
afterAll(async () => {
  await proxy.remove()
  await instance.remove()
  await clamd.remove()
})

const digest = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
/** Files in the store. */
const stored = (): string[] =>
  readdirSync(join(instance.dir, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
type Record_ = { state: string; key: string | null; receivedBytes: number; reason: string | null; filename: string }
const stateOf = async (path: string): Promise<Record_> =>
  ((await (await send('GET', path)).json()) as Envelope<Record_>).data

test('an upload of 60 MB resumes after the server was killed, and after lost connections, and arrives unchanged', async () => {
  const random = randomFor('kills')
  const content = Buffer.alloc(BIG_BYTES)
  for (let at = 0; at < BIG_BYTES; at += 4) content.writeUInt32LE(whole(random, 2 ** 32), at)
  let acknowledged = 0
  let isDone = false
  const done = uploadWithClient(proxy.url, content, {
    headers: keysOf(organization),
    filename: 'صورة كبيرة.tif',
    chunkBytes: 5 * 2 ** 20,
    onAcknowledged: (bytes) => {
      acknowledged = bytes
    },
  }).finally(() => {
    isDone = true
  })
  let kills = 0
  let path = ''
  for (let round = 0; round < rounds(3, 5); round++) {
    await Bun.sleep(300 + whole(random, 900))
    if (isDone) break
    const before = acknowledged
    if (round === 2) {
      proxy.cut()
      continue
    }
    await instance.kill('SIGKILL')
    await instance.restart()
    kills++
    const { data } = (await (await send('GET', '/uploads')).json()) as Envelope<{ items: { id: string }[] }>
    path = `/uploads/${data.items[0]?.id}`
    // acknowledged bytes have outlived the process
    expect(await offset(path)).toBeGreaterThanOrEqual(before)
  }
  const { key } = await done
  expect(kills).toBeGreaterThan(1)
  expect(digest(await fetchFile(instance, organization, key ?? ''))).toBe(digest(content))
  const file = await fetch(`${instance.url()}${GIS}/files/${key}`, { headers: keysOf(organization) })
  expect(decodeURIComponent(file.headers.get('x-output-filename') ?? '')).toBe('صورة كبيرة.tif')
  // the pieces were removed: the file is stored once
  await until(() => stored().length === 1, 'the removal of the pieces')
  expect(stored()).toEqual([key ?? ''])
  expect(await stateOf(path)).toMatchObject({ state: 'stored', key, receivedBytes: BIG_BYTES, reason: null })
  // a client that missed the last answer asks again
  const head = await send('HEAD', path)
  expect([head.status, head.headers.get('x-stored-key'), head.headers.get('upload-length')]).toEqual([
    200,
    key as string,
    String(BIG_BYTES),
  ])
  expect(await ledgerOf(instance)).toEqual([])
  // the file outlives the record of its upload
  expect((await send('DELETE', path)).status).toBe(204)
  expect((await send('HEAD', path)).status).toBe(404)
  expect(stored()).toEqual([key ?? ''])
}, 120_000)

test('a tool reads an uploaded file by its key as it reads the file itself', async () => {
  const content = readFileSync(join(FIXTURES, 'dem.tif'))
  for (const chunkBytes of [undefined, 10_000])
    for (const withFirstBytes of [false, true]) {
      const options = { headers: keysOf(organization), filename: 'dem.tif', withFirstBytes }
      const { key } = await uploadWithClient(instance.url(), content, {
        ...options,
        ...(chunkBytes && { chunkBytes }),
      })
      const byKey = await call('/hillshade', { file: key }, true)
      const sent = await call('/hillshade', { file: 'dem.tif' }, true)
      expect(byKey.envelope.code).toBe('SUCCESS')
      const [one, two] = [byKey, sent].map(({ envelope }) => envelope.data as { key: string; outputFilename: string })
      expect(one?.outputFilename).toBe(two?.outputFilename)
      expect(digest(await fetchFile(instance, organization, one?.key ?? ''))).toBe(
        digest(await fetchFile(instance, organization, two?.key ?? '')),
      )
    }
}, 60_000)

test('signed-in accounts upload with their CSRF token; members and people see only their own uploads', async () => {
  const [anna, ben] = [
    await memberAccount(instance, organization.id, 'member'),
    await memberAccount(instance, organization.id, 'member'),
  ]
  const person = await personAccount(instance)
  const content = Buffer.from('{"type":"FeatureCollection","features":[]}')
  const headersOf = (who: typeof anna, enterprise?: string): Record<string, string> => ({
    cookie: `groundwave_session=${who.browser.cookieValue()}`,
    'x-csrf-token': who.csrfToken,
    ...(enterprise && { 'x-enterprise': enterprise }),
  })
  const own = headersOf(anna, organization.id)
  const { key, url } = await uploadWithClient(instance.url(), content, { headers: own, filename: 'a.geojson' })
  const head = async (headers: Record<string, string>) =>
    (await fetch(url, { method: 'HEAD', headers: { ...TUS, ...headers } })).status
  expect(await head(own)).toBe(200)
  expect(await head(headersOf(ben, organization.id))).toBe(404)
  expect(await head(headersOf(person))).toBe(404)
  expect(await head(keysOf(organization))).toBe(200)
  const get = (headers: Record<string, string>) => fetch(`${instance.url()}${GIS}/files/${key}`, { headers })
  expect((await get(own)).status).toBe(200)
  expect((await get(headersOf(ben, organization.id))).status).toBe(404)
  const { 'x-csrf-token': _, ...withoutToken } = own
  const refused = await fetch(`${instance.url()}${GIS}/uploads`, {
    method: 'POST',
    headers: { ...TUS, ...withoutToken, 'upload-length': '10' },
  })
  expect(((await refused.json()) as Envelope).code).toBe('CSRF_TOKEN_INVALID')
  expect(refused.headers.get('tus-resumable')).toBe('1.0.0')
  const personal = await uploadWithClient(instance.url(), content, {
    headers: headersOf(person),
    filename: 'a.geojson',
  })
  expect(personal.key).toMatch(/^fil_/)
})

test('a file that the virus scanner refuses gets no key, and an unavailable scanner delays it', async () => {
  const infected = Buffer.from(`xxxx ${VIRUS} xxxx`)
  const path = await begin(infected.length, 'note.txt')
  const last = await append(path, 0, infected)
  const failure = (await last.json()) as Envelope
  expect([last.status, failure.code, failure.errors?.[0]?.rule]).toEqual([422, 'INPUT_UNREADABLE', 'scan'])
  expect(await stateOf(path)).toMatchObject({ state: 'refused', key: null, reason: expect.stringContaining('clamav') })
  expect((await send('HEAD', path)).status).toBe(422)
  expect((await append(path, infected.length, '')).status).toBe(422)
  await clamd.kill()
  const later = await begin(4)
  // not an answer that says that the file exists
  expect((await append(later, 0, 'fine')).status).toBeGreaterThanOrEqual(500)
  expect(await stateOf(later)).toMatchObject({ state: 'open', receivedBytes: 4, key: null })
  await clamd.start()
  await until(async () => (await stateOf(later)).state === 'stored', 'the scan')
  const { key } = await stateOf(later)
  expect((await fetchFile(instance, organization, key ?? '')).toString()).toBe('fine')
}, 60_000)

test('an upload counts in the quota until it is deleted, and outlives restarts', async () => {
  const own = await instance.organization()
  const other = uploadsOf(
    () => instance,
    () => own,
  )
  await instance.manage('PATCH', `/enterprises/${own.id}`, { storedMb: 1 })
  const path = await other.begin(900_000)
  const half = Buffer.alloc(450_000, 7)
  expect((await other.append(path, 0, half)).status).toBe(204)
  const before = stored().length
  const refused = await other.send('POST', '/uploads', { 'upload-length': '200000' })
  expect(((await refused.json()) as Envelope).code).toBe('STORAGE_QUOTA_EXCEEDED')
  // the operator sees received and remaining bytes
  const { openUploads } = await instance.manage<{ openUploads: object[] }>('GET', '/operator/health')
  expect(openUploads).toContainEqual({ ownerId: own.id, count: 1, receivedBytes: 450_000, bytes: 900_000 })
  // deleting it releases both
  const second = await other.begin(100_000)
  expect((await other.send('DELETE', path)).status).toBe(204)
  expect(stored().length).toBe(before - 1)
  const third = await other.begin(900_000)
  expect((await other.append(third, 0, half)).status).toBe(204)
  expect((await other.send('DELETE', second)).status).toBe(204)
  const { headers } = await other.send('HEAD', third)
  const leftMs = new Date(headers.get('upload-expires') ?? '').getTime() - Date.now()
  expect(leftMs / 3_600_000).toBeWithin(23.5, 24.1)
  await instance.kill('SIGTERM')
  await instance.restart({ UPLOAD_HOURS: '24' })
  expect(await other.offset(third)).toBe(450_000)
  // a chunk of an upload that is complete but was not assembled: the next start assembles it
  const complete = await other.begin(5)
  await clamd.kill()
  expect((await other.append(complete, 0, 'bytes')).status).toBeGreaterThanOrEqual(500)
  await instance.kill('SIGKILL')
  await clamd.start()
  await instance.restart()
  await until(async () => (await other.send('HEAD', complete)).headers.has('x-stored-key'), 'the upload')
}, 60_000)

test('many small chunks do not become many files', async () => {
  const content = Buffer.from(Array.from({ length: 300 }, (_, i) => i % 251))
  const path = await begin(content.length)
  const before = stored().length
  let most = 0
  for (const [at, byte] of content.entries()) {
    expect((await append(path, at, Buffer.from([byte]))).status).toBe(204)
    most = Math.max(most, stored().length - before)
  }
  expect(most).toBeLessThan(70)
  const { key } = await stateOf(path)
  expect(digest(await fetchFile(instance, organization, key ?? ''))).toBe(digest(content))
}, 60_000)

test('a repeated creation with an Idempotency-Key is the same upload', async () => {
  const headers = { 'upload-length': '3', 'upload-metadata': metadataOf('a.txt'), 'idempotency-key': 'upload-1' }
  const first = await send('POST', '/uploads', headers)
  const again = await send('POST', '/uploads', headers)
  expect(again.headers.get('location')).toBe(first.headers.get('location') ?? '')
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect([again.status, await again.json()]).toEqual([201, await first.json()])
  const other = await send('POST', '/uploads', { ...headers, 'upload-length': '4' })
  expect(((await other.json()) as Envelope).code).toBe('IDEMPOTENCY_KEY_REUSED')
  const begun = (await send('POST', '/uploads', { 'upload-length': '2', ...OCTETS }, 'ab')) as Response
  expect(begun.headers.get('x-stored-key')).toMatch(/^fil_[0-9a-f]{32}$/)
  expect(existsSync(join(instance.dir, 'files', (begun.headers.get('x-stored-key') ?? '').slice(-2)))).toBe(true)
})
