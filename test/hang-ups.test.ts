/** Callers that leave before their answer: their calls are theirs, and no fault of the server. */
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { batch, type Envelope, outcomeOf } from './support/instance.ts'
import { killRandom, type Random } from './support/random.ts'
import { rounds } from './support/rounds.ts'
import { sharedInstance } from './support/shared-instance.ts'
import { formOf } from './support/tools.ts'
import { eventually } from './support/until.ts'

const instance = await sharedInstance()
const organization = await instance.organization()
const keys = { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey }
const LONG = { file: 'districts.geojson', target_format: 'geojson', cell_size_m: 180 }

type Line = { level: number; path: string; status: number; code?: string; requestId: string }
/** Of the call itself, not of what it caused. */
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

test('a caller that leaves while a tool runs', async () => {
  const leaving = new AbortController()
  const requestId = Bun.randomUUIDv7()
  const call = fetch(`${instance.url()}/enterprise/v1/gis/grid`, {
    ...{ method: 'POST', body: formOf(LONG), signal: leaving.signal },
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

test.each(Object.entries(BODIES))('a caller that leaves before the end of the body: %s', async (path, [type, body]) => {
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

test('callers that leave while stores are asked', async () => {
  await outcomeOf(await instance.send(sensor, batch(500)))
  const requestIds = Array.from({ length: 40 }, () => Bun.randomUUIDv7())
  await Promise.all(
    requestIds.map(async (requestId, i) => {
      const leaving = new AbortController()
      const path = `/sensors/${sensor.id}/${['readings', 'latest', 'series?channel=a'][i % 3]}`
      const call = fetch(`${instance.url()}/enterprise/v1/assets${path}`, {
        ...{ headers: { ...keys, 'x-request-id': requestId }, signal: leaving.signal },
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
  'an upload whose caller left in its body can be sent again with its key: %s',
  async (algorithm) => {
    const own = await instance.organization()
    const content = 'x'.repeat(1_000)
    const digest = new Bun.CryptoHasher('sha1').update(content).digest('base64')
    const headers = {
      ...{ 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey, 'idempotency-key': Bun.randomUUIDv7() },
      ...{ 'tus-resumable': '1.0.0', 'upload-length': '1000', 'upload-metadata': 'filename YS5jc3Y=' },
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
    // what arrived counts, however little, unless its sum could not be checked
    const { data } = (await again.json()) as Envelope<{ id: string }>
    const listed = await fetch(instance.url() + path, { headers })
    const { items } = ((await listed.json()) as Envelope<{ items: { id: string; receivedBytes: number }[] }>).data
    if (algorithm === '') expect(items.map(({ id }) => id)).toEqual([data.id])
    else expect(items.find(({ id }) => id === data.id)?.receivedBytes).toBe(1_000)
  },
)

const CALLS = rounds(20, 1_000)
const AT_ONCE = 4
type Repeated = { replayed: boolean; status: number; envelope: Envelope }

/** Leaves a call at a random moment of its first 100 ms, then repeats it until it is answered. */
async function repeated(path: string, init: () => RequestInit, random: Random): Promise<Repeated> {
  const leaving = new AbortController()
  const first = fetch(instance.url() + path, { ...init(), signal: leaving.signal })
  await Promise.race([first, Bun.sleep(random() * 100)])
  leaving.abort()
  await first.catch(() => undefined)
  for (;;) {
    const response = await fetch(instance.url() + path, init())
    const envelope = (await response.json()) as Envelope
    if (envelope.code !== 'IDEMPOTENCY_KEY_IN_USE')
      return { replayed: response.headers.has('idempotency-replayed'), status: response.status, envelope }
    expect(response.status).toBe(409)
    expect(response.headers.has('retry-after')).toBe(true)
    await Bun.sleep(20)
  }
}

test.each(['a run', 'a job'])(
  'a key whose caller left means one charge and %s, and its answer is kept',
  async (kind) => {
    const own = await instance.organization()
    const random = killRandom('hang-ups.test.ts')(kind)
    const call = (key: string) => (): RequestInit => ({
      method: 'POST',
      body: formOf({ file: 'stations.geojson', target_format: 'geojson', distance_m: 250 }),
      headers: {
        ...{ 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey, 'idempotency-key': key },
        ...(kind === 'a job' && { prefer: 'respond-async' }),
      },
    })
    const answers: Repeated[] = []
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (answers.length < CALLS)
          answers.push(await repeated('/enterprise/v1/gis/buffer', call(Bun.randomUUIDv7()), random))
      }),
    )
    expect(answers.filter(({ status }) => status !== (kind === 'a job' ? 202 : 200))).toEqual([])
    expect(answers.some(({ replayed }) => replayed)).toBe(true)
    type Listed = { items: { status: string; creditsCharged: number }[]; nextCursor: string | null }
    const all = async (list: string): Promise<Listed['items']> => {
      const items: Listed['items'] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const headers = { 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey }
        const from = cursor === '' ? '' : `&cursor=${cursor}`
        const answer = await fetch(`${instance.url()}/enterprise/v1/gis/${list}?limit=100${from}`, { headers })
        const { data } = (await answer.json()) as Envelope<Listed>
        items.push(...data.items)
        cursor = data.nextCursor
      }
      return items
    }
    if (kind === 'a job') {
      await eventually(async () =>
        expect((await all('jobs')).filter(({ status }) => status !== 'successful')).toEqual([]),
      )
      expect(await all('jobs')).toHaveLength(answers.length)
    }
    const runs = await all('runs')
    expect(runs.filter(({ status }) => status === 'successful')).toHaveLength(answers.length)
    expect(runs.filter(({ status, creditsCharged }) => status !== 'successful' && creditsCharged > 0)).toEqual([])
  },
  900_000,
)
