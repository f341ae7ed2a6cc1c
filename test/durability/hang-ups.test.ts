/** Callers that disconnect before their answer: such a call does not count as a failure of the server. */
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { killRandom, type Random } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { HANG_UPS, type HangUp, hangUp, type RawRequest } from '../support/server/hang-ups.ts'
import { batch, type Envelope, type Organization, outcomeOf } from '../support/server/instance.ts'
import { sharedInstance } from '../support/server/shared-instance.ts'
import { collection, feature, type ToolApi } from '../support/server/tool-apis.ts'
import { metadataOf, OCTETS, TUS, uploadsOf } from '../support/server/uploads.ts'
import { eventually, until } from '../support/until.ts'
import { fetchFile, formOf, GIS, keysOf } from '../support/workers/tools.ts'

const instance = await sharedInstance()
const organization = await instance.organization()
const keys = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
const LONG = { file: 'districts.geojson', target_format: 'geojson', cell_size_m: 180 }

type Line = { level: number; path: string; status: number; code?: string; requestId: string }
/** Log lines of the call itself, not of the work that it caused. */
const linesOf = (requestId: string): Line[] =>
  instance
    .log()
    .split('\n')
    .filter((line) => line.includes(`"${requestId}"`))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ status }) => status !== undefined)

async function expectCallersOwn(requestId: string): Promise<void> {
  await eventually(() => {
    const [line] = linesOf(requestId)
    expect(line).toMatchObject({ level: 30, status: 499 })
  })
}

test('a caller disconnects while a tool runs', async () => {
  const leaving = new AbortController()
  const requestId = Bun.randomUUIDv7()
  const call = fetch(`${instance.url()}/enterprise/v1/gis/grid`, {
    method: 'POST',
    body: formOf(LONG),
    signal: leaving.signal,
    headers: { ...keys, 'x-request-id': requestId },
  })
  const status = async (): Promise<string | undefined> => {
    const answer = await fetch(`${instance.url()}/enterprise/v1/gis/runs`, { headers: keys })
    return ((await answer.json()) as Envelope<{ items: { status: string }[] }>).data.items[0]?.status
  }
  await eventually(async () => expect(await status()).toBe('running'))
  leaving.abort()
  await call.catch(() => undefined)
  await expectCallersOwn(requestId)
})

test('pages that are left while their queries run are no failures in log and metrics', async () => {
  const failures = async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${instance.operatorToken()}` }
    const text = await (await fetch(`${instance.url()}/metrics`, { headers })).text()
    return text.split('\n').filter((line) => /^(http_failures_total\{code="STORE|store_call_failures_total)/.test(line))
  }
  const before = await failures()
  const ids: string[] = []
  const left = (): number => ids.flatMap(linesOf).filter(({ status }) => status === 499).length
  await until(async () => {
    const leaving = new AbortController()
    const requestId = Bun.randomUUIDv7()
    ids.push(requestId)
    const call = fetch(`${instance.url()}/enterprise/v1/assets/sensors/states`, {
      headers: { ...keys, 'x-request-id': requestId },
      signal: leaving.signal,
    })
    // while the query runs, which takes some milliseconds
    await Bun.sleep(ids.length % 8)
    leaving.abort()
    await call.catch(() => undefined)
    return left() >= 10
  }, 'ten calls that were left')
  for (const line of ids.flatMap(linesOf)) {
    expect(line.level).toBe(30)
    expect(line).not.toHaveProperty('err')
    expect(line.code ?? 'RATE_LIMITED').toBe('RATE_LIMITED')
  }
  expect(await failures()).toEqual(before)
})

const sensor = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
const BODIES: Record<string, [type: string, body: string]> = {
  '/enterprise/v1/gis/buffer': [
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="distance_m"\r\n\r\n1',
  ],
  '/manage/v1/enterprises': ['application/json', '{"name":'],
  [`/sensors/${sensor.id}/readings`]: ['application/json', '{"readings":'],
  '/auth/sign-in': ['application/json', '{"email":'],
}

test.each(Object.entries(BODIES))('a caller disconnects before the end of the body: %s', async (path, [type, body]) => {
  const requestId = Bun.randomUUIDv7()
  const socket = connect(instance.port(), '127.0.0.1')
  const head = {
    Host: 'localhost',
    'X-Request-Id': requestId,
    ...(!path.startsWith('/enterprise')
      ? { Authorization: `Bearer ${path.startsWith('/sensors') ? sensor.key : instance.operatorToken()}` }
      : { 'X-Api-Key': organization.publicKey, 'X-Api-Secret': organization.secretKey }),
    'Content-Type': type,
    'Content-Length': '1000',
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () =>
    socket.end(() => socket.destroy()),
  )
  await expectCallersOwn(requestId)
})

test('callers disconnect while stores are queried', async () => {
  await outcomeOf(await instance.send(sensor, batch(500)))
  const requestIds = Array.from({ length: 40 }, () => Bun.randomUUIDv7())
  await Promise.all(
    requestIds.map(async (requestId, i) => {
      const leaving = new AbortController()
      const path = `/sensors/${sensor.id}/${['readings', 'latest', 'series?channel=a'][i % 3]}`
      const call = fetch(`${instance.url()}/enterprise/v1/assets${path}`, {
        headers: { ...keys, 'x-request-id': requestId },
        signal: leaving.signal,
      })
      await Bun.sleep(i / 4)
      leaving.abort()
      await call.catch(() => undefined)
    }),
  )
  // the last line of the server's log comes after all lines of these calls
  const lastId = Bun.randomUUIDv7()
  await fetch(`${instance.url()}/enterprise/v1/assets/sensors`, { headers: { ...keys, 'x-request-id': lastId } })
  await eventually(() => expect(linesOf(lastId)).toHaveLength(1))
  const lines = requestIds.flatMap(linesOf)
  expect(lines.filter(({ level }) => level > 30)).toEqual([])
})

test.each(['', 'sha1 '])(
  'an upload whose caller disconnected during its body can be sent again with its key: %s',
  async (algorithm) => {
    const own = await instance.organization()
    const content = 'x'.repeat(1_000)
    const digest = new Bun.CryptoHasher('sha1').update(content).digest('base64')
    const headers = {
      'x-api-key': own.publicKey,
      'x-api-secret': own.secretKey,
      'idempotency-key': Bun.randomUUIDv7(),
      'tus-resumable': '1.0.0',
      'upload-length': '1000',
      'upload-metadata': 'filename YS5jc3Y=',
      'content-type': 'application/offset+octet-stream',
      ...(algorithm !== '' && { 'upload-checksum': algorithm + digest }),
    }
    const requestId = Bun.randomUUIDv7()
    const all = { host: 'localhost', 'content-length': '1000', 'x-request-id': requestId, ...headers }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
    const socket = connect(instance.port(), '127.0.0.1')
    const path = '/enterprise/v1/gis/uploads'
    const text = `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${content.slice(0, 300)}`
    socket.write(text, () => socket.end(() => socket.destroy()))
    await eventually(() => expect(linesOf(requestId)).toHaveLength(1))
    const again = await fetch(instance.url() + path, { method: 'POST', headers, body: content })
    expect(again.status).toBe(201)
    // received bytes count, however few, unless their checksum could not be verified
    const { data } = (await again.json()) as Envelope<{ id: string }>
    const listed = await fetch(instance.url() + path, { headers })
    const { items } = ((await listed.json()) as Envelope<{ items: { id: string; receivedBytes: number }[] }>).data
    if (algorithm === '') expect(items.map(({ id }) => id)).toEqual([data.id])
    else expect(items.find(({ id }) => id === data.id)?.receivedBytes).toBe(1_000)
  },
)

test('of two requests with one key that send the body of an upload, the later one is answered with the current offset', async () => {
  const own = await instance.organization()
  const content = contentOf('x')
  const headers = { ...keysOf(own), ...TUS, ...OCTETS, 'idempotency-key': Bun.randomUUIDv7(), 'upload-length': '1000' }
  const path = `${GIS}/uploads`
  const socket = connect(instance.port(), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1')
  })
  const lines = Object.entries({ host: 'localhost', 'content-length': '1000', ...headers }).map((line) =>
    line.join(': '),
  )
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  socket.write(content.subarray(0, 500))
  await eventually(async () => expect(await all(path, keysOf(own))).toHaveLength(1))
  const other = await fetch(instance.url() + path, { method: 'POST', headers, body: content })
  expect([other.status, other.headers.get('upload-offset')]).toEqual([201, '1000'])
  socket.write(content.subarray(500))
  await until(() => answer.includes('\r\n\r\n'), 'the answer')
  socket.destroy()
  expect(answer).toStartWith('HTTP/1.1 201 ')
  expect(answer).toMatch(/^upload-offset: 1000\r$/im)
})

const CALLS = rounds(4, 1_000)
const AT_ONCE = 4
const randomFor = killRandom('hang-ups.test.ts')

type Own = Organization & { toolApi: ToolApi }
type Repeated = { name: string; replayed: boolean; data: Record<string, unknown> }
type Surface = {
  status: number
  request(own: Own, kind: HangUp, name: string): RawRequest | Promise<RawRequest>
  /** The next step after an answer. */
  goOn?(own: Own, answer: Repeated): Promise<void>
  /** Checks the state of the enterprise afterwards. */
  check(own: Own, answers: Repeated[]): Promise<void>
}

/** Disconnects during a call, then repeats it until it is answered. */
async function repeated(surface: Surface, own: Own, kind: HangUp, random: Random): Promise<Repeated> {
  const name = Bun.randomUUIDv7()
  const request = await surface.request(own, kind, name)
  const { path, body } = request
  const headers = { ...request.headers, 'idempotency-key': name }
  const first = await hangUp(instance.port(), { path, headers, body }, kind, random)
  for (;;) {
    const response = await fetch(instance.url() + path, { method: 'POST', headers, body })
    const { code, message, data } = (await response.json()) as Envelope
    const replayed = response.headers.has('idempotency-replayed')
    if (code !== 'IDEMPOTENCY_KEY_IN_USE') {
      expect({ status: response.status, message }).toEqual({ status: surface.status, message: expect.any(String) })
      // a caller that saw an answer gets the same one again
      if (first.status === surface.status) expect(replayed).toBe(true)
      return { name, replayed, data }
    }
    expect(response.status).toBe(409)
    expect(response.headers.has('retry-after')).toBe(true)
    await Bun.sleep(20)
  }
}

/** All items of a list. */
async function all<T>(path: string, headers: Record<string, string>): Promise<T[]> {
  const items: T[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`
    const answer = await fetch(`${instance.url()}${path}?limit=100${from}`, { headers })
    const { data } = (await answer.json()) as Envelope<{ items: T[]; nextCursor: string | null }>
    items.push(...data.items)
    cursor = data.nextCursor
  }
  return items
}
const operator = { authorization: `Bearer ${instance.operatorToken()}` }
const used = async ({ id }: Own): Promise<{ requests: number; credits: number }> => {
  type Usage = { requests: { used: number }; credits: { used: number } }
  const { requests, credits } = await instance.manage<Usage>('GET', `/owners/${id}/usage`)
  return { requests: requests.used, credits: credits.used }
}

/** One run for each call, and charges for no others. */
async function expectRuns(own: Own, count: number): Promise<void> {
  const runs = await all<{ status: string; creditsCharged: number }>(`${GIS}/runs`, keysOf(own))
  expect(runs.filter(({ status }) => status === 'successful')).toHaveLength(count)
  const charged = runs.filter(({ creditsCharged }) => creditsCharged > 0)
  expect(charged.filter(({ status }) => status !== 'successful')).toEqual([])
  expect((await used(own)).credits).toBe(charged.reduce((sum, { creditsCharged }) => sum + creditsCharged, 0))
}

async function formCall(own: Own, route: string, input: Record<string, unknown>, more = {}): Promise<RawRequest> {
  const form = new Response(formOf(input))
  const headers = { ...keysOf(own), ...more, 'content-type': form.headers.get('content-type') ?? '' }
  return { path: GIS + route, headers, body: new Uint8Array(await form.arrayBuffer()) }
}
const jsonCall = (path: string, key: string, body: object): RawRequest => ({
  path,
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
})
const BUFFER = { file: 'stations.geojson', target_format: 'geojson', distance_m: 250 }
const few = collection(feature({ type: 'Point', coordinates: [1, 2] }))
/** The answer arrives in several pieces. */
const many = collection(
  ...Array.from({ length: 2_000 }, (_, i) => feature({ type: 'Point', coordinates: [(i % 100) / 10, i / 1_000] })),
)
const contentOf = (name: string): Buffer => Buffer.from(name.repeat(1_000))
/** The records that /manage/v1 creates, each with a name. */
const RECORDS = ['sensors', 'applications', 'layers'] as const
const recordOf = (name: string) => RECORDS[Bun.hash.crc32(name) % RECORDS.length] as (typeof RECORDS)[number]
const listOf = { sensors: 'enterprises', applications: 'enterprises', layers: 'owners' }

const SURFACES: Record<string, Surface> = {
  'a synchronous call': {
    status: 200,
    request(own, kind) {
      if (kind !== 'during the answer') return formCall(own, '/buffer', BUFFER)
      const file = { name: 'a.geojson', content: JSON.stringify(many) }
      return formCall(own, '/inside-check', { file, reference: 'zones.geojson', rule: 'inside' })
    },
    check: (own, answers) => expectRuns(own, answers.length),
  },
  'a job': {
    status: 202,
    request: (own) => formCall(own, '/buffer', BUFFER, { prefer: 'respond-async' }),
    goOn: (own, { data }) =>
      until(async () => {
        const job = await fetch(`${instance.url()}${GIS}/jobs/${data.jobID}`, { headers: keysOf(own) })
        return ((await job.json()) as Envelope<{ status: string }>).data.status === 'successful'
      }, 'a job'),
    async check(own, answers) {
      const jobs = await all<{ jobID: string }>(`${GIS}/jobs`, keysOf(own))
      const ids = jobs.map(({ jobID }) => jobID)
      expect(ids.sort()).toEqual(answers.map(({ data }) => data.jobID as string).sort())
      await expectRuns(own, answers.length)
    },
  },
  'a call of a Tool API': {
    status: 200,
    request: ({ toolApi: { id, key } }, kind) =>
      jsonCall(`/tool-apis/${id}/run`, key, { input: kind === 'during the answer' ? many : few }),
    async check(own, answers) {
      // an aborted call may have counted for the day before it was repeated; a replay never does
      const repeatable = answers.filter(({ replayed }) => !replayed).length
      expect((await used(own)).requests).toBeWithin(answers.length, answers.length + repeatable + 1)
    },
  },
  'an upload': {
    status: 201,
    request(own, _, name) {
      const body = contentOf(name)
      const tus = { ...TUS, ...OCTETS, 'upload-length': String(body.length), 'upload-metadata': metadataOf(name) }
      return { path: `${GIS}/uploads`, headers: { ...keysOf(own), ...tus }, body }
    },
    async goOn(own, { name, data }) {
      const uploads = uploadsOf(
        () => instance,
        () => own,
      )
      const path = `/uploads/${data.id}`
      const content = contentOf(name)
      await until(async () => {
        const head = await uploads.send('HEAD', path)
        const offset = Number(head.headers.get('upload-offset'))
        if (offset < content.length) await uploads.append(path, offset, content.subarray(offset))
        return head.headers.has('x-stored-key')
      }, 'an upload')
    },
    async check(own, answers) {
      const listed = await all<{ filename: string; key: string }>(`${GIS}/uploads`, keysOf(own))
      expect(listed.map(({ filename }) => filename).sort()).toEqual(answers.map(({ name }) => name).sort())
      for (const { filename, key } of listed)
        expect((await fetchFile(instance, own, key)).equals(contentOf(filename))).toBe(true)
    },
  },
  'a new record': {
    status: 200,
    request({ id }, _, name) {
      const channels = [{ name: 'a', measurement: 'number' }]
      const body = { sensors: { name, channels }, applications: { name, tools: 'all' }, layers: { name, geojson: few } }
      const kind = recordOf(name)
      return jsonCall(`/manage/v1/${listOf[kind]}/${id}/${kind}`, instance.operatorToken(), body[kind])
    },
    async check({ id }, answers) {
      for (const kind of RECORDS) {
        const wanted = answers.filter(({ name }) => recordOf(name) === kind)
        const made = await all<{ id: string; name: string }>(`/manage/v1/${listOf[kind]}/${id}/${kind}`, operator)
        const ofAnswers = new Set(wanted.map(({ name }) => name))
        // an application that was made with the enterprise has another name
        const ids = made.filter(({ name }) => ofAnswers.has(name)).map((record) => record.id)
        expect(ids.sort()).toEqual(wanted.map(({ data }) => data.id as string).sort())
      }
    },
  },
}

test.each(Object.keys(SURFACES).flatMap((name) => HANG_UPS.map((kind) => [name, kind] as const)))(
  'a call that is repeated with its key after a disconnect has its effect once: %s, %s',
  async (name, kind) => {
    const surface = SURFACES[name] as Surface
    const own = await instance.organization('scale')
    const toolApi = await instance.manage<ToolApi>('POST', `/owners/${own.id}/tool-apis`, {
      tool: 'vector.centroids',
      name: 'Centroids',
    })
    const random = randomFor(`${name} ${kind}`)
    const answers: Repeated[] = []
    let begun = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (begun++ < CALLS) {
          const answer = await repeated(surface, { ...own, toolApi }, kind, random)
          await surface.goOn?.({ ...own, toolApi }, answer)
          answers.push(answer)
        }
      }),
    )
    await surface.check({ ...own, toolApi }, answers)
  },
  900_000,
)
