/** Forms whose files a worker process reads while they arrive slowly, through a real server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInstance, type Envelope, type Instance, type Organization } from './support/instance.ts'
import { geotiff, terrain } from './support/rasters.ts'
import { callTool, type FilePart, formOf, GIS, keysOf } from './support/tools.ts'
import { eventually } from './support/until.ts'

let instance: Instance
let organization: Organization

beforeAll(async () => {
  instance = await createInstance({ TOOL_WORKERS: '1', CALLS_PER_MINUTE: '100000', FILES_PER_HOUR: '100000' })
  organization = await instance.organization()
  // starts the process of the lane
  await call('/centroids', { file: layerOf(10), target_format: 'geojson' })
}, 120_000)
afterAll(async () => {
  expect(instance.log()).not.toMatch(/"level":60|"status":5\d\d/)
  await instance.remove()
})

type Answer = { status: number; code: string; message: string; data: Record<string, unknown> }

async function call(route: string, input: Record<string, unknown>): Promise<Answer> {
  const response = await callTool(instance, organization, route, input, true)
  return { status: response.status, ...((await response.json()) as Envelope) } as Answer
}

/** Squares of 2 km with a text that makes the file large. */
function layerOf(count: number): FilePart {
  const features = Array.from({ length: count }, (_, i) => {
    const [x, y] = [(i % 100) * 0.1, Math.floor(i / 100) * 0.1]
    const ring = [
      [x, y],
      [x + 0.02, y],
      [x + 0.02, y + 0.02],
      [x, y + 0.02],
      [x, y],
    ]
    const properties = { i, text: `${i} `.repeat(40) }
    return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } }
  })
  return { name: 'squares.geojson', content: JSON.stringify({ type: 'FeatureCollection', features }) }
}
const LAYER = layerOf(20_000)
const COUNT = 20_000

/** Sends the beginning of a form; the rest when the test says so. */
async function slowly(route: string, input: Record<string, unknown>) {
  await untilIdle()
  const form = new Response(formOf(input))
  const contentType = form.headers.get('content-type') ?? ''
  const body = Buffer.from(await form.arrayBuffer())
  const headers = {
    ...keysOf(organization),
    'content-type': contentType,
    'content-length': String(body.length),
    connection: 'close',
  }
  const lines = [`POST ${GIS}${route} HTTP/1.1`, 'host: x', ...Object.entries(headers).map((pair) => pair.join(': '))]
  const socket = connect(instance.port(), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.on('error', () => undefined)
  const send = (bytes: Uint8Array): Promise<void> => new Promise((resolve) => socket.write(bytes, () => resolve()))
  await send(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`))
  const steps = 12
  const half = body.length / 2
  for (let step = 0; step < steps; step++) {
    await send(body.subarray(Math.floor((half * step) / steps), Math.floor((half * (step + 1)) / steps)))
    await Bun.sleep(15)
  }
  return {
    leave: () => socket.destroy(),
    async finish(): Promise<Answer> {
      await send(body.subarray(Math.floor(half)))
      await closed
      const text = Buffer.concat(received).toString()
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const raw = rest.join('\r\n\r\n')
      // JSON text without indentation contains no line breaks
      const json = /chunked/i.test(head) ? raw.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/gi, '') : raw
      return { status: Number(head.split(' ')[1]), ...JSON.parse(json) }
    },
  }
}

type LaneState = { ready: number; busy: number }
async function lane(): Promise<LaneState> {
  const { data } = (await (await fetch(`${instance.url()}/health/ready`)).json()) as Envelope<{
    parts: { workers: { detail: { node: LaneState } } }
  }>
  return data.parts.workers.detail.node
}
/** A process is idle, which the last run may have made too large. */
const untilIdle = () =>
  eventually(async () => {
    const { ready, busy } = await lane()
    expect(ready).toBeGreaterThan(0)
    expect(busy).toBe(0)
  })
const untilBusy = (count: number) => eventually(async () => expect((await lane()).busy).toBe(count))
/** No folder of a call is left. */
const untilClean = () =>
  eventually(() => {
    const left = readdirSync(join(instance.dir, 'scratch')).filter((name) => name !== 'processes')
    expect(left).toEqual([])
  })

/** Of an answer, without what differs between two calls. */
function comparable({ status, code, message, data }: Answer): unknown {
  const keys = /^(key|artifactId|inputKey|previewKey|usage)$/
  return {
    status,
    code,
    message,
    data: data && Object.fromEntries(Object.entries(data).filter(([name]) => !keys.test(name))),
  }
}

const height = 1_100
const packed = geotiff([Float32Array.from(terrain(1_200, height))], 1_200, '-co', 'COMPRESS=DEFLATE')
const CALLS: [string, string, Record<string, unknown>][] = [
  ['a layer before the other fields', '/buffer', { file: LAYER, distance_m: '100', target_format: 'geojson' }],
  ['a layer after the other fields', '/simplify', { tolerance: '5', target_format: 'gpkg', file: LAYER }],
  ['the second layer of a join', '/spatial-join', { file: layerOf(50), join: LAYER, target_format: 'geojson' }],
  ['a raster', '/raster-inspect', { file: { name: 'dem.tif', content: packed.content } }],
]

test.each(CALLS)(
  '%s has the result of a fast call',
  async (_, route, input) => {
    expect(formSize(input)).toBeGreaterThan(4e6)
    const slow = await slowly(route, input)
    await untilBusy(1)
    const answer = await slow.finish()
    expect(answer).toMatchObject({ code: 'SUCCESS' })
    expect(comparable(answer)).toEqual(comparable(await call(route, input)))
    await untilBusy(0)
    await untilClean()
  },
  60_000,
)

const formSize = (input: Record<string, unknown>): number =>
  Object.values(input).reduce<number>((sum, value) => {
    const content = typeof value === 'object' && value !== null ? (value as FilePart).content : ''
    return sum + Buffer.byteLength(content)
  }, 0)

const text = LAYER.content as string
const BROKEN: [string, FilePart][] = [
  ['no end', { name: 'a.geojson', content: text.slice(0, -3) }],
  ['a damaged feature at the end', { name: 'a.geojson', content: text.replace('"i":19990,', '"i":19990') }],
  ['a geometry that is none at the beginning', { name: 'a.json', content: text.replace('Polygon', 'Polygram') }],
  ['the head of a raster', { name: 'a.tif', content: packed.content.subarray(0, 4_500_000) }],
]

test.each(BROKEN)(
  'a file with %s gives the same error',
  async (_, file) => {
    const [route, input] = file.name.endsWith('.tif')
      ? ['/raster-inspect', { file }]
      : ['/centroids', { file, target_format: 'geojson' }]
    const answer = await (await slowly(route, input)).finish()
    expect(answer.status).toBe(422)
    expect(comparable(answer)).toEqual(comparable(await call(route, input)))
  },
  60_000,
)

test('a form that turns out to be invalid costs nothing, and a caller that goes leaves nothing', async () => {
  const invalid = await slowly('/buffer', { file: LAYER, distance_m: '-x', target_format: 'geojson' })
  await untilBusy(1)
  expect(await invalid.finish()).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' })
  await untilBusy(0)
  await untilClean()
  const gone = await slowly('/buffer', { file: LAYER, distance_m: '100', target_format: 'geojson' })
  await untilBusy(1)
  gone.leave()
  await untilBusy(0)
  await untilClean()
}, 20_000)

test('a slow upload holds the only process until another call needs it', async () => {
  const slow = await slowly('/centroids', { file: LAYER, target_format: 'geojson' })
  await untilBusy(1)
  // it is too large for the reserved process
  expect(await call('/centroids', { file: layerOf(8_000), target_format: 'geojson' })).toMatchObject({
    code: 'SUCCESS',
    data: { featureCount: 8_000 },
  })
  expect(await slow.finish()).toMatchObject({ code: 'SUCCESS', data: { featureCount: COUNT } })
}, 20_000)

test('a process that is killed while it reads does not fail the call', async () => {
  const slow = await slowly('/centroids', { file: LAYER, target_format: 'geojson' })
  await untilBusy(1)
  process.kill(await pidOfReader(), 'SIGKILL')
  await untilBusy(0)
  expect(await slow.finish()).toMatchObject({ code: 'SUCCESS', data: { featureCount: COUNT } })
}, 20_000)

/** Of the process that reads, as the operator sees it. */
async function pidOfReader(): Promise<number> {
  type Processes = { items: { report: { lanes: { processes: { pid: number; tool: string | null }[] }[] } }[] }
  let pid = 0
  await eventually(async () => {
    const { items } = await instance.manage<Processes>('GET', '/operator/health')
    pid =
      items
        .flatMap(({ report: { lanes } }) => lanes.flatMap(({ processes }) => processes))
        .find(({ tool }) => tool !== null)?.pid ?? 0
    expect(pid).toBeGreaterThan(0)
  })
  return pid
}
