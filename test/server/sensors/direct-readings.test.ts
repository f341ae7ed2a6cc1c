/**
 * Calls with readings skip the router unless something about them is unusual. Each call is sent twice, unchanged and
 * with a query, which goes through the router: both must get the same answer, the same headers and the same line in the
 * log.
 */
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { type Channel, fromNow } from '../../support/server/instance.ts'
import { exchange } from '../../support/server/raw-http.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const instance = await sharedInstance()
const { id: enterpriseId } = await instance.organization()
const channels: Channel[] = [{ name: 'level', measurement: 'number' }]
const sensor = await instance.sensor(enterpriseId, channels)
const disabled = await instance.sensor(enterpriseId, channels)
await instance.manage('PATCH', `/sensors/${disabled.id}`, { enabled: false })

type Call = { id?: string; key?: string; body: string | Uint8Array; headers?: string; version?: string }

/** The whole answer, except fields that differ between any two calls. */
function comparable(text: string): { status: string; headers: string[]; body: Record<string, unknown> } {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n')
  const headers = lines
    .filter((line) => !/^(date|x-request-id|content-length):/i.test(line))
    .map((line) => line.toLowerCase())
  const { requestId, timestamp, ...rest } = JSON.parse(body) as Record<string, unknown>
  expect(lines.some((line) => line.toLowerCase() === `x-request-id: ${requestId}`)).toBe(true)
  expect(lines.map((line) => line.toLowerCase())).toContain(`content-length: ${Buffer.byteLength(body, 'latin1')}`)
  expect(Number.isNaN(Date.parse(String(timestamp)))).toBe(false)
  return { status, headers: headers.sort(), body: rest }
}

const requestOf = ({ id = sensor.id, key = sensor.key, body, headers = '', version = '1.1' }: Call, query: string) =>
  Buffer.concat([
    Buffer.from(
      `POST /sensors/${id}/readings${query} HTTP/${version}\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
        `${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ])

async function answerTo(call: Call, query = ''): Promise<ReturnType<typeof comparable>> {
  const { text } = await exchange([requestOf(call, query)], { port: instance.port(), firstMs: 10_000 })
  return comparable(text)
}

const readings = (...list: object[]): string => JSON.stringify({ readings: list })
const level = (ms: number, value: unknown = 1): object => ({ at: fromNow(ms), values: { level: value } })

test('a call gets the same answer with and without the router', async () => {
  const stored = readings(level(-60_000), level(-61_000))
  expect((await answerTo({ body: stored })).body).toMatchObject({ statusCode: 200, data: { duplicates: [] } })
  const future = { at: fromNow(86_400_000 * 30), values: { level: 1 } }
  const calls: [string, Call][] = [
    ['200', { body: stored }],
    ['200', { body: readings(level(-60_000, 'text'), future, { values: {} }, { at: 'قبل ساعة' }) }],
    ['200', { body: gzipSync(stored), headers: 'Content-Encoding: gzip\r\n' }],
    ['200', { body: stored, headers: 'Connection: close\r\n' }],
    ['200', { body: stored, version: '1.0' }],
    ['200', { body: stored, version: '1.0', headers: 'Connection: keep-alive\r\n' }],
    ['400', { body: '{"readings":' }],
    ['400', { body: '[]' }],
    ['400', { body: readings() }],
    ['400', { body: new Uint8Array([0xff, 0xfe, 0x00]) }],
    ['401', { body: stored, key: 'svcsn_wrong' }],
    ['401', { body: stored, key: '' }],
    ['401', { body: stored, id: 'sen_unknown' }],
    ['401', { body: stored, id: 'x' }],
    ['403', { body: stored, id: disabled.id, key: disabled.key }],
    ['415', { body: stored, headers: 'Content-Encoding: br\r\n' }],
    // sent twice
    ['422', { body: stored, headers: `Authorization: Bearer ${sensor.key}\r\n` }],
  ]
  for (const [status, call] of calls) {
    const direct = await answerTo(call)
    expect(direct.status).toContain(` ${status} `)
    expect(direct).toEqual(await answerTo(call, '?router'))
  }
}, 60_000)

test('a request keeps its caller’s id, if it is safe, and the log has one line for each call', async () => {
  const ids = ['direct-1', 'direct-2', 'direct-3']
  const body = readings(level(-70_000))
  const send = (call: Omit<Call, 'body'>, query = '') =>
    exchange([requestOf({ body, ...call }, query)], { port: instance.port() })
  await send({ headers: `X-Request-Id: ${ids[0]}\r\n` })
  await send({ headers: `X-Request-Id: ${ids[1]}\r\n` }, '?router')
  await send({ headers: `X-Request-Id: ${ids[2]}\r\n`, key: 'svcsn_wrong' })
  const { text } = await send({ headers: 'X-Request-Id: not {safe}\r\n' })
  expect(text).not.toContain('not {safe}')
  await instance.kill('SIGTERM')
  const lines = instance
    .log()
    .split('\n')
    .filter((line) => line.includes('"requestId":"direct-'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  await instance.restart()
  const path = `/sensors/${sensor.id}/readings`
  const same = { level: 30, method: 'POST', path, durationMs: expect.any(Number), time: expect.any(String) }
  expect(lines).toEqual([
    { ...same, requestId: 'direct-1', caller: sensor.id, status: 200 },
    { ...same, requestId: 'direct-2', caller: sensor.id, status: 200 },
    { ...same, requestId: 'direct-3', status: 401, code: 'SENSOR_KEY_INVALID' },
  ])
}, 60_000)

test('the metrics count calls under the name of the route', async () => {
  const count = async (): Promise<number[]> => {
    const text = await (await fetch(`${instance.url()}/metrics`)).text()
    const line = /^http_request_duration_seconds_count\{(.*route="\/sensors\/:id\/readings".*)\} (\d+)$/gm
    const counts = [...text.matchAll(line)].map(([, labels = '', value]) => ({ labels, value: Number(value) }))
    const of = (status: string): number =>
      counts.filter(({ labels }) => labels.includes(`status="${status}"`)).reduce((sum, { value }) => sum + value, 0)
    return [of('200'), of('400')]
  }
  const [accepted = 0, invalid = 0] = await count()
  for (const query of ['', '?router']) {
    await answerTo({ body: readings(level(-80_000)) }, query)
    await answerTo({ body: '{' }, query)
  }
  expect(await count()).toEqual([accepted + 2, invalid + 2])
})
