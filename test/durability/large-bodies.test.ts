/** Large and compressed bodies: they arrive completely, within their limits, and cost the server's thread little. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sharedInstance } from '../support/server/shared-instance.ts'
import { feature, toolApisOf } from '../support/server/tool-apis.ts'
import { until } from '../support/until.ts'
import { GIS, keysOf } from '../support/workers/tools.ts'

const instance = await sharedInstance()
const organization = await instance.organization()
const sensor = await instance.sensor(organization.id, [{ name: 'level', measurement: 'number' }])
const toolApi = await toolApisOf(() => instance).save(organization.id, 'vector.centroids')

type Body = string | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>
type Sent = { status: number; code: string; data: unknown; headers: Headers }
const JSON_TYPE = { 'content-type': 'application/json' }

async function send(path: string, headers: Record<string, string>, body: Body): Promise<Sent> {
  const response = await fetch(instance.url() + path, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body })
  const { code, data } = (await response.json()) as { code: string; data: unknown }
  return { status: response.status, code, data, headers: response.headers }
}

/** Without `Content-Length`, in pieces. */
function chunked(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + 100_000))
      at += 100_000
    },
  })
}

const pointsOf = (count: number) => Array.from({ length: count }, (_, i) => ({ lon: (i % 360) - 180, lat: 50 }))
const callOf = (count: number): string => JSON.stringify({ from_format: 'dd', points: pointsOf(count) })

test.each([0, 1, 2_000, 50_000])(
  'a call with %d points is read completely, however its body is divided',
  async (count) => {
    const text = callOf(count)
    const pair = keysOf(organization)
    const forms: [string, Record<string, string>, Body][] = [
      ['with its length', {}, text],
      ['in chunks', {}, chunked(text)],
      ['as gzip', { 'content-encoding': 'gzip' }, new Uint8Array(gzipSync(text))],
      ['as zstd', { 'content-encoding': 'zstd' }, new Uint8Array(Bun.zstdCompressSync(text))],
      ['as it is', { 'content-encoding': 'identity' }, text],
    ]
    for (const [how, headers, body] of forms) {
      const { status, data } = await send(`${GIS}/convert-coordinates`, { ...pair, ...headers }, body)
      const results = (data as { results?: { dd: { lon: number } }[] } | undefined)?.results
      expect([how, status, results?.length, results?.at(-1)?.dd.lon]).toEqual(
        count === 0 ? [how, 422, undefined, undefined] : [how, 200, count, pointsOf(count).at(-1)?.lon],
      )
    }
  },
  60_000,
)

test('a large body with a repeated idempotency key is compared by its bytes', async () => {
  const headers = { ...keysOf(organization), 'idempotency-key': 'large' }
  const text = callOf(20_000)
  const first = await send(`${GIS}/convert-coordinates`, headers, text)
  const again = await send(`${GIS}/convert-coordinates`, headers, chunked(text))
  expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true'])
  const other = await send(`${GIS}/convert-coordinates`, headers, text.replace('-180', '-170'))
  expect([other.status, other.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
}, 60_000)

test('bodies over the limit are refused, also without Content-Length', async () => {
  const text = ' '.repeat(5 * 2 ** 20 + 1)
  const bearer = { authorization: `Bearer ${toolApi.key}` }
  for (const [path, headers] of [[`${GIS}/convert-coordinates`, keysOf(organization)], [toolApi.path, bearer]] as const) // biome-ignore format: short
    for (const body of [text, chunked(text)]) {
      const { status, code } = await send(path, headers, body)
      expect([status, code]).toEqual([413, expect.stringMatching(/^(BODY_TOO_LARGE|TOOL_API_INPUT_TOO_LARGE)$/)])
    }
}, 60_000)

test('a Tool API and a layer accept chunked bodies of several megabytes', async () => {
  const features = Array.from({ length: 8_000 }, (_, i) =>
    feature({ type: 'Point', coordinates: [i / 100, 1] }, { text: 'x'.repeat(300) }),
  )
  const collection = { type: 'FeatureCollection', features }
  const run = await send(
    toolApi.path,
    { authorization: `Bearer ${toolApi.key}` },
    chunked(JSON.stringify({ input: collection })),
  )
  expect([run.status, (run.data as { featureCount: number }).featureCount]).toEqual([200, features.length])
  const operator = { authorization: `Bearer ${instance.operatorToken()}` }
  const body = chunked(JSON.stringify({ name: 'Large', geojson: collection }))
  const layer = await send(`/manage/v1/owners/${organization.id}/layers`, operator, body)
  expect([layer.status, (layer.data as { featureCount: number }).featureCount]).toEqual([200, features.length])
}, 60_000)

test('a body that is shorter than its Content-Length is a failure of the caller, not of the server', async () => {
  const socket = connect(instance.port(), '127.0.0.1')
  const headers = Object.entries({ ...keysOf(organization), ...JSON_TYPE, host: 'x', 'content-length': '1000000' })
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const route = `${GIS}/convert-coordinates`
  socket.write(`POST ${route} HTTP/1.1\r\n${head}\r\n{"from_format":"dd",${' '.repeat(200_000)}`, () => socket.end())
  await new Promise((resolve) => socket.resume().once('close', resolve).once('error', resolve))
  expect((await send(route, keysOf(organization), callOf(1))).status).toBe(200)
  const isRefused = (): boolean => /"status":499,.*"code":"BAD_REQUEST"/.test(instance.log())
  await until(isRefused, 'the log line of the call')
  expect(instance.log()).not.toMatch(/"status":5\d\d/)
})

/** Nanoseconds of CPU that a thread of the server has used. */
const threadCpu = (thread: number): number =>
  Number(readFileSync(`/proc/${instance.pid()}/task/${thread}/schedstat`, 'utf8').split(' ')[0])

/** Gzip whose blocks each declare a Huffman table and contain no data: the slowest input to unpack. */
function emptyBlocks(bytes: number): Buffer {
  const out = Buffer.alloc(bytes)
  let bit = 0
  const put = (value: number, bits: number): void => {
    for (let i = 0; i < bits; i++, bit++)
      if ((value >> i) & 1) out[bit >> 3] = (out[bit >> 3] as number) | (1 << (bit & 7))
  }
  // lengths of the codes for lengths, of which only 1 and a run of 11 to 138 zeros are used
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1]
  while (bit < (bytes - 60) * 8) {
    put(0b100, 3)
    put(0, 10)
    put(14, 4)
    for (const code of order) put(code === 18 || code === 1 ? 1 : 0, 3)
    put(1 | (127 << 1), 8)
    put(1 | (107 << 1), 8)
    // the end of the block and a distance have codes of one bit
    put(0, 3)
  }
  // an empty last block with fixed codes
  put(0b011, 3)
  put(0, 7)
  const end = Buffer.alloc(8)
  return Buffer.concat([Buffer.from([31, 139, 8, 0, 0, 0, 0, 0, 0, 3]), out.subarray(0, Math.ceil(bit / 8)), end])
}

test('a body that is slow to decompress is decompressed on other threads', async () => {
  const hostile = emptyBlocks(2 ** 20 - 200)
  expect(gunzipSync(hostile)).toHaveLength(0)
  const headers = { authorization: `Bearer ${sensor.key}`, 'content-encoding': 'gzip' }
  const post = () => send(`/sensors/${sensor.id}/readings`, headers, new Uint8Array(hostile))
  await Promise.all(Array.from({ length: 10 }, post))
  const before = threadCpu(instance.pid())
  const started = process.cpuUsage()
  for (let i = 0; i < 20; i++) gunzipSync(hostile)
  const { user, system } = process.cpuUsage(started)
  const here = (user + system) / 1e3
  expect((await Promise.all(Array.from({ length: 20 }, post))).map(({ status }) => status)).toEqual(Array(20).fill(400))
  const server = (threadCpu(instance.pid()) - before) / 1e6
  expect(server / here).toBeLessThan(0.5)
}, 60_000)
