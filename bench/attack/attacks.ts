/** Attacks that once stopped or stalled the server, each as the attacker sends it. */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { GIS } from '../../test/support/workers/tools.ts'
import { generatedColumn, pdfBomb, sparseTiff, zipOf } from './files.ts'
import { call, inParallel, type Outcomes, sendRaw, sendUntilClosed } from './send.ts'
import type { World } from './world.ts'

export type Attack = { name: string; run(world: World, outcomes: Outcomes): Promise<void> }

const ASSETS = '/enterprise/v1/assets'
const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const bomb = gzipSync(lists(2_500_000), { level: 9 })
const JSON_TYPE = { 'content-type': 'application/json' }
const POINT = '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[13.4,52.5]}}'

type Field = string | { name: string; content: Uint8Array<ArrayBuffer> | string }
function formOf(fields: [string, Field][]): FormData {
  const form = new FormData()
  for (const [name, value] of fields)
    form.append(name, typeof value === 'string' ? value : new File([value.content], value.name))
  return form
}

/** Sends one request `count` times, `at` at a time. */
const flood =
  (count: number, at: number, make: (world: World, i: number) => { path: string; init: RequestInit }): Attack['run'] =>
  (world, outcomes) =>
    inParallel(count, at, async (i) => {
      const { path, init } = make(world, i)
      outcomes.add(path.slice(0, 100), await call(world.server.url + path, init))
    })

const tool = (route: string, fields: [string, Field][]) => (world: World) => ({
  path: GIS + route,
  init: { method: 'POST', headers: world.attacker.pair, body: formOf(fields) },
})

const tooManyFiles = Array.from({ length: 40 }, (_, i): [string, Field] => [
  'files',
  { name: `${i}.png`, content: new Uint8Array(100_000) },
])

/** Written once: the attacker must not take the time that is measured. */
const dissolve: [string, Field][] = [
  [
    'file',
    {
      name: 'a.geojson',
      content: JSON.stringify({
        type: 'FeatureCollection',
        features: Array.from({ length: 3_000 }, (_, i) => ({
          type: 'Feature',
          properties: { group: i % 7 },
          geometry: { type: 'Point', coordinates: [(i % 100) / 10, Math.floor(i / 100) / 10] },
        })),
      }),
    },
  ],
  ['target_format', 'geojson'],
]

/** Holds connections open that were refused, or that never send a request. */
async function heldConnections(world: World): Promise<void> {
  const head = `POST ${GIS}/buffer HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 100000\r\n`
  const sockets = Array.from({ length: 300 }, (_, i) => {
    const socket = connect(world.server.port, '127.0.0.1', () =>
      socket.write(i % 2 === 0 ? `${head}\r\n` : 'POST / HT'),
    )
    socket.on('error', () => undefined)
    return socket
  })
  await Bun.sleep(5_000)
  for (const socket of sockets) socket.destroy()
}

async function eventStreams(world: World): Promise<void> {
  const aborts = Array.from({ length: 200 }, () => new AbortController())
  const streams = aborts.map(({ signal }) =>
    // a refused stream is an answer as well
    fetch(`${world.server.url}${ASSETS}/live/stream`, { headers: world.attacker.pair, signal }).catch(() => undefined),
  )
  await Bun.sleep(5_000)
  for (const abort of aborts) abort.abort()
  await Promise.all(streams)
}

async function generatedGeoPackages(world: World, outcomes: Outcomes): Promise<void> {
  const fields: [string, Field][] = [
    ['file', { name: 'a.geojson', content: POINT }],
    ['distance_m', '1'],
    ['target_format', 'gpkg'],
  ]
  const { path, init } = tool('/buffer', fields)(world)
  const { data } = (await (await fetch(world.server.url + path, init)).json()) as { data: { key: string } }
  const file = await fetch(`${world.server.url}${GIS}/files/${data.key}`, { headers: world.attacker.pair })
  const content = generatedColumn(new Uint8Array(await file.arrayBuffer()))
  const hostile: [string, Field][] = [
    ['file', { name: 'a.gpkg', content }],
    ['target_format', 'geojson'],
  ]
  await flood(4, 4, tool('/repair', hostile))(world, outcomes)
}

const RAW = [
  'GET / HTTP/9.9\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc',
  'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n',
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: x\r\n${'x: y\r\n'.repeat(20_000)}\r\n`,
  'GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100),
  `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(500_000)}`,
  '\r\n'.repeat(2_000_000),
  'GET /health/live HTTP/1.0\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  '\0'.repeat(10_000),
]

/** Connections that send thousands of requests before they read an answer. */
async function pipelined(world: World, outcomes: Outcomes): Promise<void> {
  const { sensor } = world.attacker
  const post = `POST /sensors/${sensor.id}/readings HTTP/1.1\r\nhost: a\r\nauthorization: ${sensor.bearer.authorization}\r\ncontent-length: 2\r\n\r\n{}`
  const requests = ['GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n', 'POST /nothing HTTP/1.1\r\nhost: a\r\n\r\n', post]
  await inParallel(60, 20, async (i) => {
    const request = requests[i % requests.length] as string
    outcomes.add('pipelined', await sendUntilClosed(world.server.port, request.repeat(20_000)))
  })
}

export const ATTACKS: readonly Attack[] = [
  { name: 'forms with too many files', run: flood(20, 5, tool('/merge-images', tooManyFiles)) },
  {
    name: 'too many files for an owner',
    run: flood(10, 5, ({ operator, attacker }) => ({
      path: `/manage/v1/owners/${attacker.id}/files`,
      init: {
        method: 'POST',
        headers: operator,
        body: formOf(Array.from({ length: 3 }, () => ['file', { name: 'a', content: new Uint8Array(300_000) }])),
      },
    })),
  },
  {
    name: 'gzip bombs without a key',
    run: flood(200, 32, (_world, i) => ({
      path: i % 2 === 0 ? '/manage/v1/enterprises' : `${ASSETS}/rules`,
      init: { method: 'POST', headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: bomb },
    })),
  },
  {
    name: 'nested JSON with a key',
    run: flood(60, 16, ({ attacker }, i) => ({
      path: GIS + (i % 2 === 0 ? '/convert-coordinates' : '/line-to-polygon'),
      init: {
        method: 'POST',
        body: i % 3 === 0 ? bomb : lists(2_500_000),
        headers: { ...attacker.pair, ...JSON_TYPE, ...(i % 3 === 0 && { 'content-encoding': 'gzip' }) },
      },
    })),
  },
  {
    name: 'series of a million points',
    run: flood(20, 10, ({ attacker }) => {
      const agg = 'avg,min,max,sum,count,first,last,p50,p95,p99'
      const range = 'from=2026-01-01T00:00:00Z&to=2026-01-12T00:00:00Z&step=1s&gaps=null'
      const path = `${ASSETS}/sensors/${attacker.sensor.id}/series?channel=level&${range}&agg=${agg}`
      return { path, init: { headers: attacker.pair } }
    }),
  },
  {
    name: 'series of as many points as are allowed',
    run: flood(40, 10, ({ attacker }) => {
      const agg = 'avg,min,max,sum,count,first,last,p50,p95,p99'
      const range = 'from=2026-01-01T00:00:00Z&to=2026-01-01T03:03:00Z&step=1s&gaps=null'
      const path = `${ASSETS}/sensors/${attacker.sensor.id}/series?channel=level&${range}&agg=${agg}`
      return { path, init: { headers: attacker.pair } }
    }),
  },
  { name: '80 dissolves at once', run: flood(160, 80, tool('/dissolve', dissolve)) },
  {
    name: 'sparse rasters',
    run: flood(4, 4, tool('/cog-optimize', [['file', { name: 'a.tif', content: sparseTiff(60_000) }]])),
  },
  { name: 'GeoPackages with a generated column', run: generatedGeoPackages },
  {
    name: 'a PDF that unpacks to 300 MB',
    run: (world, outcomes) =>
      flood(4, 4, tool('/compress-pdf', [['file', { name: 'a.pdf', content: pdfBomb(300) }]]))(world, outcomes),
  },
  {
    name: 'archives with impossible names',
    async run(world, outcomes) {
      const content = await zipOf({ [`${'x'.repeat(300)}.shp`]: POINT, 'with\0null.shp': POINT, 'a.geojson': POINT })
      const fields: [string, Field][] = [
        ['file', { name: 'a.zip', content }],
        ['target_format', 'geojson'],
      ]
      await flood(10, 5, tool('/repair', fields))(world, outcomes)
    },
  },
  {
    name: 'invalid keys with ids of 15,000 characters',
    run: flood(5_000, 64, (_world, i) => ({
      path: `/sensors/sen_${String(i).padStart(15_000, 'x')}/readings`,
      init: { method: 'POST', headers: { authorization: 'Bearer wrong' } },
    })),
  },
  { name: 'connections that are held open', run: heldConnections },
  { name: '200 event streams', run: eventStreams },
  { name: '1.2 million pipelined requests', run: pipelined },
  {
    name: 'bytes that are not HTTP',
    run: (world, outcomes) =>
      inParallel(RAW.length * 10, 10, async (i) =>
        outcomes.add('raw bytes', await sendRaw(world.server.port, RAW[i % RAW.length] as string)),
      ),
  },
]
