/** Requests of a resumable upload are not trusted: headers, lengths, offsets, names and other owners' uploads. */
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInstance, type Envelope } from '../../support/server/instance.ts'
import { metadataOf, OCTETS, TUS, uploadsOf } from '../../support/server/uploads.ts'
import { until } from '../../support/until.ts'
import { fetchFile, GIS, keysOf } from '../../support/workers/tools.ts'

const MOST_OPEN = 40
const { send, begin, append, offset } = uploadsOf(
  () => instance,
  () => organization,
)

const instance = await createInstance({ CALLS_PER_MINUTE: '100000', UPLOAD_MB: '2', UPLOADS_OPEN: String(MOST_OPEN) })
const organization = await instance.organization('scale')
afterAll(instance.remove)

const base64 = (text: string | Uint8Array): string => Buffer.from(text as string).toString('base64')
async function failure(response: Response) {
  const { code, errors = [] } = (await response.json()) as Envelope
  expect(response.headers.get('tus-resumable')).toBe('1.0.0')
  return [response.status, code, errors[0]?.field]
}
const create = (headers: Record<string, string>) => send('POST', '/uploads', { 'upload-length': '5', ...headers })

test('OPTIONS lists the capabilities of the server, without authentication', async () => {
  for (const path of ['/uploads', '/uploads/upl_1']) {
    const { status, headers } = await fetch(`${instance.url()}${GIS}${path}`, { method: 'OPTIONS' })
    expect(status).toBe(204)
    expect(headers.get('tus-version')).toBe('1.0.0')
    expect(headers.get('tus-max-size')).toBe(String(2 * 2 ** 20))
    expect(headers.get('tus-extension')).toBe('creation,creation-with-upload,checksum,expiration,termination')
    expect(headers.get('tus-checksum-algorithm')?.split(',')).toContain('sha1')
  }
})

test('other versions of the protocol are refused before anything is done', async () => {
  const path = await begin(3)
  for (const version of ['0.2.2', '2.0.0', '']) {
    const response = await append(path, 0, 'abc', { 'tus-resumable': version })
    expect(response.headers.get('tus-version')).toBe('1.0.0')
    expect(await failure(response)).toEqual([412, 'UPLOAD_VERSION_UNSUPPORTED', undefined])
    expect((await create({ 'tus-resumable': version })).status).toBe(412)
    expect((await send('HEAD', path, { 'tus-resumable': version })).status).toBe(412)
    expect((await send('DELETE', path, { 'tus-resumable': version })).status).toBe(412)
  }
  expect(await offset(path)).toBe(0)
})

describe('the creation of an upload', () => {
  test.each(['-1', '1e3', '5.5', '0x10', '99999999999999999999', '', 'abc', '+5', '5,5'])(
    'refuses the length "%s"',
    async (length) => {
      expect(await failure(await create({ 'upload-length': length }))).toEqual([
        422,
        'VALIDATION_FAILED',
        'Upload-Length',
      ])
    },
  )

  test('refuses a length that is sent later, and more than the limit', async () => {
    const later = await fetch(`${instance.url()}${GIS}/uploads`, {
      method: 'POST',
      headers: { ...keysOf(organization), ...TUS, 'upload-defer-length': '1' },
    })
    expect(await failure(later)).toEqual([422, 'VALIDATION_FAILED', 'Upload-Defer-Length'])
    expect(await failure(await create({ 'upload-length': String(2 * 2 ** 20 + 1) }))).toEqual([
      413,
      'FILE_TOO_LARGE',
      'Upload-Length',
    ])
  })

  test.each([
    'filename not-base64!',
    'filename YWJj=',
    'filename YWJ',
    `filename ${base64(Uint8Array.of(0xff, 0xfe))}`,
    `filename ${base64('a')},filename ${base64('b')}`,
    'filename YQ== YQ==',
    ',,',
    'ünicode YQ==',
  ])('refuses the metadata "%s"', async (metadata) => {
    const response = await create({ 'upload-metadata': Buffer.from(metadata).toString('latin1') })
    expect(await failure(response)).toEqual([400, 'BAD_REQUEST', 'Upload-Metadata'])
  })

  test.each(['a\0b.txt', 'line\nbreak.txt', `${'n'.repeat(256)}`])('refuses the file name %j', async (name) => {
    expect(await failure(await create({ 'upload-metadata': metadataOf(name) }))).toEqual([
      422,
      'VALIDATION_FAILED',
      'Upload-Metadata',
    ])
  })

  test.each([
    ['../../../operator.token', 'operator.token'],
    ['..\\..\\windows\\system.ini', 'system.ini'],
    ['/etc/passwd', 'passwd'],
    ['..', 'file'],
    ['folder/', 'file'],
    ['<img src=x onerror=alert(1)>.geojson', '<img src=x onerror=alert(1)>.geojson'],
    ['نقاط 🗺️ \u202egnp.exe', 'نقاط 🗺️ \u202egnp.exe'],
  ])('takes only the last part of the file name %j', async (name, kept) => {
    const response = await send(
      'POST',
      '/uploads',
      {
        'upload-length': '3',
        'upload-metadata': metadataOf(name),
        ...OCTETS,
        'upload-offset': '0',
      },
      'abc',
    )
    const key = response.headers.get('x-stored-key') ?? ''
    const { data } = (await response.json()) as Envelope<{ filename: string; key: string }>
    expect(data).toMatchObject({ filename: kept, key })
    const file = await fetch(`${instance.url()}${GIS}/files/${key}`, { headers: keysOf(organization) })
    expect(decodeURIComponent(file.headers.get('x-output-filename') ?? '')).toBe(kept)
    expect(file.headers.get('content-disposition')).toStartWith('attachment;')
    // the name of the file on disk is its key
    expect(existsSync(join(instance.dir, 'files', key.slice(-2), key))).toBe(true)
  })
})

test('offsets, types and lengths of a body are checked before it is read', async () => {
  const path = await begin(5)
  for (const wrong of ['-1', '1.5', 'a', ''])
    expect(await failure(await append(path, 0, 'ab', { 'upload-offset': wrong }))).toEqual([
      400,
      'BAD_REQUEST',
      'Upload-Offset',
    ])
  for (const wrong of [1, 5, 6, 999_999_999])
    expect(await failure(await append(path, wrong, 'ab'))).toEqual([409, 'UPLOAD_OFFSET_WRONG', 'Upload-Offset'])
  for (const type of ['application/octet-stream', 'text/plain', 'multipart/form-data'])
    expect(await failure(await append(path, 0, 'ab', { 'content-type': type }))).toEqual([
      415,
      'MEDIA_TYPE_UNSUPPORTED',
      'Content-Type',
    ])
  const bytes = new Uint8Array(2)
  const plain = { 'upload-offset': '0' }
  expect((await send('PATCH', path, plain, bytes)).status).toBe(415)
  expect(await failure(await append(path, 0, 'abcdef'))).toEqual([413, 'BODY_TOO_LARGE', 'body'])
  // a body without a declared length is cut off
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1000)),
  })
  const response = await fetch(`${instance.url()}${GIS}${path}`, {
    method: 'PATCH',
    body: endless,
    headers: { ...keysOf(organization), ...TUS, ...OCTETS, 'upload-offset': '0' },
  })
  expect(response.status).toBe(413)
  expect(await offset(path)).toBe(0)
  expect((await append(path, 0, 'abcde')).status).toBe(204)
  // complete: further bytes are refused, and an empty body repeats the answer
  expect((await append(path, 5, 'f')).status).toBe(204)
  expect((await append(path, 0, 'abcde')).status).toBe(409)
})

test('bytes with a checksum count only if it matches', async () => {
  const path = await begin(6)
  const sha = (algorithm: 'sha1' | 'sha256' | 'md5', text: string): string =>
    `${algorithm} ${new Bun.CryptoHasher(algorithm).update(text).digest('base64')}`
  const wrong = await append(path, 0, 'abc', { 'upload-checksum': sha('sha1', 'abd') })
  expect(await failure(wrong)).toEqual([460, 'UPLOAD_CHECKSUM_WRONG', undefined])
  expect(await offset(path)).toBe(0)
  for (const checksum of ['crc32 AAAAAA==', 'sha1', 'sha1 !!', 'sha1 YQ== YQ==', ''])
    expect(await failure(await append(path, 0, 'abc', { 'upload-checksum': checksum }))).toEqual([
      400,
      'BAD_REQUEST',
      'Upload-Checksum',
    ])
  expect((await append(path, 0, 'ab', { 'upload-checksum': sha('sha1', 'ab') })).status).toBe(204)
  expect((await append(path, 2, 'cd', { 'upload-checksum': sha('sha256', 'cd') })).status).toBe(204)
  const last = await append(path, 4, 'ef', { 'upload-checksum': sha('md5', 'ef') })
  const stored = await fetchFile(instance, organization, last.headers.get('x-stored-key') ?? '')
  expect(stored.toString()).toBe('abcdef')
})

test('of many requests with the same offset, exactly one is stored', async () => {
  const path = await begin(2_000_000)
  const bodies = Array.from({ length: 8 }, (_, i) => Buffer.alloc(1_000_000, 65 + i))
  const answers = await Promise.all(bodies.map((body) => append(path, 0, body)))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(409)])
  const winner = bodies[answers.findIndex(({ status }) => status === 204)] as Buffer
  const last = await append(path, 1_000_000, Buffer.alloc(1_000_000, 1))
  const stored = await fetchFile(instance, organization, last.headers.get('x-stored-key') ?? '')
  expect(stored.subarray(0, 1_000_000).equals(winner)).toBe(true)
})

test('the received part of an aborted body counts', async () => {
  const path = await begin(1_000_000)
  const { hostname, port } = new URL(instance.url())
  const headers = { ...keysOf(organization), ...TUS, ...OCTETS, 'upload-offset': '0', 'content-length': '1000000' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  socket.write(`PATCH ${GIS}${path} HTTP/1.1\r\nhost: ${hostname}\r\n${lines.join('')}\r\n`)
  await new Promise((resolve) => socket.write(Buffer.alloc(300_000, 5), resolve))
  await Bun.sleep(300)
  socket.destroy()
  await until(async () => (await offset(path)) === 300_000, 'counting the bytes')
  expect((await append(path, 300_000, Buffer.alloc(700_000, 5))).headers.get('x-stored-key')).toMatch(/^fil_/)
})

test('uploads of other owners, deleted and unknown uploads are reported as not found', async () => {
  const path = await begin(4)
  const other = uploadsOf(
    () => instance,
    () => stranger,
  )
  const stranger = await instance.organization()
  const deleted = await begin(4)
  expect((await send('DELETE', deleted)).status).toBe(204)
  const paths = [
    '/uploads/upl_0',
    `/uploads/${'a'.repeat(300)}`,
    '/uploads/..%2f..%2foperator.token',
    "/uploads/'%20OR%201=1",
  ]
  for (const [who, where] of [
    [other, path],
    ...[deleted, ...paths].map((missing) => [{ send, append }, missing] as const),
  ] as const) {
    expect((await who.send('HEAD', where)).status).toBe(404)
    expect((await who.send('GET', where)).status).toBe(404)
    expect((await who.append(where, 0, 'abcd')).status).toBe(404)
    expect((await who.send('DELETE', where)).status).toBe(404)
  }
  expect(await offset(path)).toBe(0)
  const { data } = (await (await other.send('GET', '/uploads')).json()) as Envelope<{ items: object[] }>
  expect(data.items).toEqual([])
  const nobody = await fetch(`${instance.url()}${GIS}${path}`, { method: 'PATCH', headers: { ...TUS, ...OCTETS } })
  expect(await failure(nobody)).toEqual([401, 'API_KEY_INVALID', undefined])
})

test('an owner has a limited number of unfinished uploads, and of uploads in an hour', async () => {
  const own = await instance.organization('scale')
  const greedy = uploadsOf(
    () => instance,
    () => own,
  )
  const codeOf = async (length: number): Promise<string> => {
    const response = await greedy.send('POST', '/uploads', { 'upload-length': String(length) })
    if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    return ((await response.json()) as Envelope).code
  }
  const counts = async (requests: number, length: number): Promise<Record<string, number>> => {
    const codes: string[] = []
    for (let sent = 0; sent < requests; sent += 100)
      codes.push(...(await Promise.all(Array.from({ length: 100 }, () => codeOf(length)))))
    return Object.fromEntries(
      Map.groupBy(codes, (code) => code)
        .entries()
        .map(([code, all]) => [code, all.length]),
    )
  }
  expect(await counts(200, 1)).toEqual({ UPLOAD_CREATED: MOST_OPEN, UPLOADS_LIMITED: 200 - MOST_OPEN })
  const { data } = (await (await greedy.send('GET', '/uploads?limit=3')).json()) as Envelope<{
    items: { id: string }[]
    nextCursor: string
  }>
  expect([data.items.length, data.nextCursor]).toEqual([3, data.items[2]?.id ?? ''])
  expect((await greedy.send('DELETE', `/uploads/${data.items[0]?.id}`)).status).toBe(204)
  const many = await counts(10_000, 0)
  // refused creations count in the hour too; an empty file is unfinished until it is stored
  expect(many.FILE_WINDOW_EXCEEDED).toBe(9_200)
  expect((many.UPLOAD_CREATED ?? 0) + (many.UPLOADS_LIMITED ?? 0)).toBe(800)
  expect(many.UPLOAD_CREATED).toBeGreaterThan(0)
  const empty = readdirSync(join(instance.dir, 'scratch'))
  expect(empty.filter((name) => name.startsWith('run_'))).toEqual([])
  // other owners are not affected
  expect((await create({})).status).toBe(201)
}, 120_000)
