/** HTTP as small devices and browsers speak it, on every listener: raw bytes in, raw bytes out. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, createServer } from 'node:net'
import { residentMb } from '../support/processes.ts'
import { createInstance, type Envelope, fromNow, type Instance, type MadeSensor } from '../support/server/instance.ts'
import { exchange } from '../support/server/raw-http.ts'

let instance: Instance
let sensor: MadeSensor
let adminPort = 0

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

beforeAll(async () => {
  instance = await createInstance()
  const { id } = await instance.organization()
  sensor = await instance.sensor(id, [{ name: 'level', measurement: 'number' }])
  adminPort = await freePort()
  await instance.kill('SIGTERM')
  await instance.restart({ ADMIN_PORT: String(adminPort), SENSOR_CALLS_PER_MINUTE: '1000000' })
}, 120_000)
afterAll(() => instance.remove())

/** Sends bytes and returns everything received until an answer is complete or the connection closes. */
function talk(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (part) => {
      text += part
      // every body here is one JSON object with a requestId at its end
      if (!/"requestId":"[^"]+"[^}]*}/.test(text)) return
      resolve(text)
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

const reading = (ms: number): string => JSON.stringify({ readings: [{ at: fromNow(ms), values: { level: 1 } }] })
const post = (body: string): string =>
  `POST /sensors/${sensor.id}/readings HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${sensor.key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`

const GET = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n'

test('a connection may have any number of requests in turn; a pipelined one closes it, on each port', async () => {
  for (const port of [instance.port(), adminPort]) {
    const { text } = await exchange([GET, GET, GET], { port, inTurn: true })
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3)
    const { closed } = await exchange([GET + GET], { port, quietMs: 5_000 })
    expect(closed).toBe(true)
  }
  // no reading is lost: when both are sent again, the first is a duplicate or accepted, and the second is accepted
  const bodies = [-5_000, -4_000].map(reading)
  await exchange([bodies.map(post).join('')], { port: instance.port(), quietMs: 5_000 })
  const answers = await Promise.all(bodies.map((body) => talk(instance.port(), post(body))))
  for (const answer of answers) expect(answer).toContain('"refused":[]')
  expect(answers[1]).toContain('"duplicates":[]')
})

test('thousands of pipelined requests take little memory and do not hold the server', async () => {
  const startMb = residentMb(instance.pid())
  let longestMs = 0
  for (const request of [GET, post('{}')]) {
    let isOver = false
    const flood = () => exchange([request.repeat(5_000)], { port: instance.port(), quietMs: 5_000 })
    const floods = Promise.all(Array.from({ length: 20 }, flood)).finally(() => {
      isOver = true
    })
    do {
      const sentMs = performance.now()
      expect(await talk(instance.port(), post(reading(-7_000)))).toContain('"code":"SENSOR_READINGS_RESULT"')
      longestMs = Math.max(longestMs, performance.now() - sentMs)
    } while (!isOver)
    for (const { closed } of await floods) expect(closed).toBe(true)
  }
  // if they held the server, the total would be several seconds
  expect(longestMs).toBeLessThan(1_500)
  expect(residentMb(instance.pid()) - startMb).toBeLessThan(500)
}, 60_000)

test('a request with an absolute URL finds its route', async () => {
  const text = await talk(instance.port(), 'GET http://elsewhere/health/live HTTP/1.1\r\nhost: x\r\n\r\n')
  expect(text).toContain('"path":"/health/live"')
})

test('failures, bodies of unknown length, and answers without a body', async () => {
  const url = instance.url()
  expect((await fetch(`${url}/nothing`)).status).toBe(404)
  const head = await fetch(`${url}/health/live`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const body = reading(-1_000)
  const chunked = await fetch(`${url}/sensors/${sensor.id}/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sensor.key}` },
    body: new Blob([body]).stream(),
  })
  expect(((await chunked.json()) as Envelope<{ accepted: string[] }>).data.accepted).toHaveLength(1)
  const operator = { authorization: `Bearer ${instance.operatorToken()}` }
  expect((await fetch(`${url}/manage/v1/enterprises`, { headers: operator })).status).toBe(404)
  expect((await fetch(`${url}/manage/v1/enterprises`)).status).toBe(401)
})

test('HTTP/1.0 without Host finds its route', async () => {
  const body = reading(-2_000)
  const head = `POST /sensors/${sensor.id}/readings HTTP/1.0\r\nauthorization: Bearer ${sensor.key}\r\n`
  for (const port of [instance.port(), adminPort]) {
    const text = await talk(port, `${head}content-length: ${body.length}\r\n\r\n${body}`)
    expect(text).toContain('"code":"SENSOR_READINGS_RESULT"')
    expect(text).toContain(`"path":"/sensors/${sensor.id}/readings"`)
    expect(await talk(port, 'GET /health/live HTTP/1.0\r\n\r\n')).toContain('"path":"/health/live"')
  }
})

test('a known address with another method answers 405 and names the methods', async () => {
  const cases: [string, string, string][] = [
    ['GET', '/sensors/sen_x/readings', 'POST'],
    ['DELETE', '/health/live', 'GET, HEAD'],
    ['PUT', '/enterprise/v1/gis/jobs/job_x', 'DELETE, GET, HEAD'],
    ['GET', '/enterprise/v1/gis/buffer', 'POST'],
    ['PUT', '/tool-apis/tap_x/', 'GET, HEAD'],
    ['OPTIONS', '/enterprise/v1/assets/rules', 'GET, HEAD, POST'],
  ]
  for (const [method, path, allowed] of cases) {
    const response = await fetch(instance.url() + path, { method })
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, allowed])
    expect(await response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', method, path })
  }
  expect(await (await fetch(`${instance.url()}/sensors/sen_x/readings`)).json()).toHaveProperty('messageAr')
  for (const path of ['/nothing', '/sensors', '/sensors/a/b/c', '/enterprise/v1/gis/nothing', '/healthlive'])
    expect((await fetch(instance.url() + path, { method: 'PUT' })).status).toBe(404)
})

test('the operator’s routes are on their own port only', async () => {
  const headers = { authorization: `Bearer ${instance.operatorToken()}` }
  const admin = `http://127.0.0.1:${adminPort}`
  const spellings = ['/manage/v1/enterprises', '/manage/v1/enterprises/', '/metrics', '/manage/v1/audit', '/metrics/']
  for (const path of spellings) {
    const hidden = await fetch(instance.url() + path, { headers })
    expect([path, hidden.status]).toEqual([path, 404])
    expect([path, (await fetch(admin + path, { headers })).status]).toEqual([path, 200])
  }
  for (const target of [
    '//manage/v1/enterprises',
    '/%6danage/v1/enterprises',
    'http://x/manage/v1/enterprises',
    '/./metrics',
  ])
    expect(
      await talk(
        instance.port(),
        `GET ${target} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${headers.authorization}\r\n\r\n`,
      ),
    ).toContain('404')
  expect((await fetch(`${admin}/manage/v1/enterprises`)).status).toBe(401)
  expect((await fetch(`${admin}/health/live`)).status).toBe(200)
})

test('every answer has the headers that keep a browser from running or framing it', async () => {
  const operator = { authorization: `Bearer ${instance.operatorToken()}` }
  const cases: [string, RequestInit][] = [
    ['/health/live', {}],
    ['/nothing', {}],
    ['/openapi.json', {}],
    ['/docs', {}],
    ['/docs/assets/swagger-ui-bundle.js', {}],
    ['/enterprise/v1/gis/processes', {}],
    [`/sensors/${sensor.id}/readings`, { method: 'POST', body: '{' }],
    ['/manage/v1/enterprises', { headers: operator }],
  ]
  for (const [path, init] of cases) {
    const { headers } = await fetch(instance.url() + path, init)
    const values = ['x-content-type-options', 'x-frame-options', 'content-security-policy'].map((name) =>
      headers.get(name),
    )
    expect([path, ...values]).toEqual([path, 'nosniff', 'DENY', expect.stringMatching(/frame-ancestors 'none'/)])
  }
})

test('the log has the status that was sent, and long paths are shortened', async () => {
  const sent: [string, string, RequestInit][] = [
    ['404', '/nothing', {}],
    ['405', '/health/live', { method: 'PUT' }],
    ['401', `/sensors/sen_${'x'.repeat(15_000)}/readings`, { method: 'POST' }],
    ['413', '/manage/v1/enterprises', { method: 'POST', body: '{}', headers: { 'content-length': '2' } }],
  ]
  const operator = { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'application/json' }
  const requestIds: [string, string][] = []
  for (const [status, path, init] of sent) {
    const large = { method: 'POST', headers: operator, body: JSON.stringify({ name: 'x'.repeat(600_000) }) }
    const target = path.startsWith('/manage') ? `http://127.0.0.1:${adminPort}${path}` : instance.url() + path
    const response = await fetch(target, path.startsWith('/manage') ? large : init)
    requestIds.push([response.headers.get('x-request-id') as string, status])
    expect(String(response.status)).toBe(status)
  }
  // 0: the stop was orderly, although connections were closed in the middle of calls
  expect(await instance.kill('SIGTERM')).toBe(0)
  const lines = instance
    .log()
    .split('\n')
    .filter((line) => line.includes('"requestId"'))
    .map((line) => JSON.parse(line) as { requestId: string; status: number; path: string })
  for (const [requestId, status] of requestIds) {
    const line = lines.find((one) => one.requestId === requestId)
    expect(String(line?.status)).toBe(status)
    expect(line?.path.length).toBeLessThan(400)
  }
})
