/**
 * The delay of the server's event loop while each kind of route receives its largest legal body, or the largest body
 * that it reads before it refuses it. Each body is sent several times; the delay is of the whole time.
 * `bun run bench largest-bodies [times] [part of a name]`
 */
import { gzipSync } from 'node:zlib'
import { GIS } from '../test/support/workers/tools.ts'
import { startWorld, type World } from './attack/world.ts'
import { load, ms, say } from './support/tool-harness.ts'

const TIMES = Number(process.argv[2] ?? 5)
const NAMED = process.argv[3] ?? ''
const LIMIT_MS = 50
const MIB = 2 ** 20

type Body = { name: string; path: string; headers: Record<string, string>; body: () => string | Uint8Array | FormData }

/** Text that is filled up with whitespace to its limit. */
const upTo = (bytes: number, text: string): string => text.padEnd(bytes, ' ')
const points = Array.from({ length: 100_000 }, (_, i) => ({ lon: (i % 360) - 179.5, lat: ((i / 360) % 170) - 85 }))
const ring = Array.from({ length: 99_999 }, (_, i) => [Math.cos(i / 15_915) * 10, Math.sin(i / 15_915) * 10])
const manyLists = (bytes: number): string => `[${'[],'.repeat(bytes / 3 - 2)}[]]`

function bodies({ operator, attacker }: World): Body[] {
  const json = { 'content-type': 'application/json' }
  const pair = { ...attacker.pair, ...json }
  const readings = Array.from({ length: 500 }, (_, i) => ({
    at: new Date(Date.now() - 500_000 + i * 1_000).toISOString(),
    values: { level: i + 0.123456789 },
    location: [13.4, 52.5],
  }))
  const features = Array.from({ length: 10_000 }, (_, i) => ({
    type: 'Feature',
    properties: { i, text: 'x'.repeat(200) },
    geometry: { type: 'Point', coordinates: [(i % 360) - 180, (i % 180) - 90] },
  }))
  const collection = JSON.stringify({ type: 'FeatureCollection', features })
  const sensorPath = `/sensors/${attacker.sensor.id}/readings`
  const tool = (route: string, name: string, value: unknown): Body => {
    const text = upTo(5 * MIB, JSON.stringify(value))
    return { name, path: GIS + route, headers: pair, body: () => text }
  }
  const form = (): FormData => {
    const parts = new FormData()
    parts.append('file', new File([collection.repeat(30)], 'a.geojson'))
    parts.append('distance_m', '1')
    for (let i = 0; i < 10; i++) parts.append(`field-${i}`, 'x'.repeat(100_000))
    return parts
  }
  const layer = JSON.stringify({ name: 'Large', geojson: { type: 'FeatureCollection', features } })
  const operatorJson = { ...operator, ...json }
  return [
    {
      name: '500 readings, 1 MB',
      path: sensorPath,
      headers: attacker.sensor.bearer,
      body: () => upTo(MIB, JSON.stringify({ readings })),
    },
    {
      name: '500 readings with an unknown member, 1 MB',
      path: sensorPath,
      headers: attacker.sensor.bearer,
      body: () => upTo(MIB, JSON.stringify({ more: 1, readings })),
    },
    {
      name: '1 MB of different names as readings',
      path: sensorPath,
      headers: attacker.sensor.bearer,
      body: () => `{"readings":[{${Array.from({ length: 70_000 }, (_, i) => `"n${i}":1`).join(',')}}]}`,
    },
    {
      name: '1 MB of lists as readings',
      path: sensorPath,
      headers: attacker.sensor.bearer,
      body: () => `{"readings":${manyLists(MIB - 20)}}`,
    },
    ...gatewayBodies(attacker),
    tool('/convert-coordinates', '100,000 points', { from_format: 'dd', points }),
    tool('/line-to-polygon', '100,000 positions', { coordinates: ring }),
    tool('/transform-crs/json', '100,000 points to reproject', {
      source_crs: 'EPSG:4326',
      target_crs: 'EPSG:3857',
      points: points.map(({ lon, lat }) => ({ x: lon, y: lat })),
    }),
    tool('/distance-bearing', '100,000 points of a path', { points }),
    {
      name: '100,000 points, kept for idempotency',
      path: `${GIS}/convert-coordinates`,
      headers: { ...pair, 'idempotency-key': crypto.randomUUID() },
      body: () => JSON.stringify({ from_format: 'dd', points }),
    },
    {
      name: '100,000 points as gzip',
      path: `${GIS}/convert-coordinates`,
      headers: { ...pair, 'content-encoding': 'gzip' },
      body: () => gzipSync(JSON.stringify({ from_format: 'dd', points })),
    },
    {
      name: '5 MB of lists for a tool',
      path: `${GIS}/convert-coordinates`,
      headers: pair,
      body: () => manyLists(5 * MIB),
    },
    { name: 'a form with 100 MB and 1 MB of text', path: `${GIS}/buffer`, headers: attacker.pair, body: form },
    {
      name: '5 MB for a Tool API',
      path: `/tool-apis/${attacker.toolApi.id}/run`,
      headers: { ...attacker.toolApi.bearer, ...json },
      body: () => upTo(5 * MIB, `{"input":${collection}}`),
    },
    {
      name: '512 kB for /manage',
      path: '/manage/v1/enterprises',
      headers: operatorJson,
      body: () => upTo(MIB / 2, '{"name":"x","tier":"business"}'),
    },
    {
      name: '512 kB of unknown members for /manage',
      path: '/manage/v1/enterprises',
      headers: operatorJson,
      body: () => `{${Array.from({ length: 32_000 }, (_, i) => `"member${i}":1`).join(',')}}`,
    },
    {
      name: '1,000 sensors for a rule',
      path: '/enterprise/v1/assets/rules',
      headers: pair,
      body: () =>
        JSON.stringify({
          layerId: 'lay_x',
          when: 'enter',
          sensorIds: Array.from({ length: 1_000 }, (_, i) => `sen_${i}`),
        }),
    },
    {
      name: 'a layer of 64 MB',
      path: `/manage/v1/owners/${attacker.id}/layers`,
      headers: operatorJson,
      body: () => upTo(64 * MIB, layer),
    },
  ]
}

/** Readings in the other formats of a sensor, and of many sensors in one call. */
function gatewayBodies({ sensor, fleetKey }: World['attacker']): Body[] {
  const at = (i: number): string => new Date(Date.now() - 6_000_000 + i * 1_000).toISOString()
  const long = { level: 1, ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`unknown-${i}`, i + 0.5])) }
  const readingsOf = (count: number, values: object) =>
    Array.from({ length: count }, (_, i) => ({ sensor: sensor.id, at: at(i), values }))
  const sensorBody = (name: string, type: string, text: () => string): Body => ({
    name,
    path: `/sensors/${sensor.id}/readings`,
    headers: { ...sensor.bearer, 'content-type': type },
    body: text,
  })
  const many = (name: string, text: () => string): Body => ({
    name,
    path: '/ingest/readings',
    headers: { ...fleetKey, 'content-type': 'application/json' },
    body: text,
  })
  const lines = (name: string, text: () => string): Body => ({
    name,
    path: '/api/v2/write?precision=ms',
    headers: { ...fleetKey, 'content-type': 'text/plain' },
    body: text,
  })
  const startMs = Date.now() - 50_000_000
  return [
    sensorBody('500 lines of NDJSON, 1 MB', 'application/x-ndjson', () =>
      readingsOf(500, { ...long, level: 2 })
        .map((reading) => JSON.stringify(reading).slice(0, -1).padEnd(2_090, ' ').concat('}'))
        .join('\n'),
    ),
    sensorBody('500 rows of CSV, 1 MB', 'text/csv', () =>
      ['at,level', ...readingsOf(499, {}).map((reading) => `"${reading.at}",${'9'.repeat(2_060)}`)].join('\n'),
    ),
    sensorBody('one row of quotes of CSV, 1 MB', 'text/csv', () => `at,level\n${at(0)},${'"'.repeat(MIB - 100)}`),
    sensorBody('19,900 records of SenML', 'application/senml+json', () =>
      JSON.stringify(Array.from({ length: 19_900 }, (_, i) => ({ n: 'level', bt: 0, t: -(i % 500), v: i + 0.5 }))),
    ),
    many('5,000 readings, 5 MB', () => upTo(5 * MIB, JSON.stringify({ readings: readingsOf(5_000, { level: 1.25 }) }))),
    many('2,000 readings with 100 unknown channels, 5 MB', () =>
      upTo(5 * MIB, JSON.stringify({ readings: readingsOf(2_000, long) })),
    ),
    many(
      'one reading of 5 MB',
      () =>
        `{"readings":[{"sensor":"${sensor.id}","at":"${at(0)}","values":{${Array.from({ length: 370_000 }, (_, i) => `"n${i}":1`).join(',')}}}]}`,
    ),
    lines('20,000 lines, 5 MB', () =>
      Array.from(
        { length: 20_000 },
        (_, i) => `m,sensor=${sensor.id} level=1.25,text="${'x'.repeat(170)}" ${startMs + i}`,
      ).join('\n'),
    ),
    lines('20,000 lines of unknown sensors', () =>
      Array.from({ length: 20_000 }, (_, i) => `m,sensor=device-${i} level=1.25,${'x'.repeat(190)}=1`).join('\n'),
    ),
    lines('20,000 lines of one millisecond', () =>
      Array.from({ length: 20_000 }, (_, i) => `m,sensor=${sensor.id} level=${i},${'x'.repeat(170)}=1 ${startMs}`).join(
        '\n',
      ),
    ),
    lines('a line of 5 MB', () => `m,sensor=${sensor.id} level=${'1'.repeat(5 * MIB - 100)}`),
  ]
}

async function loopDelays(url: string): Promise<[p999: number, max: number]> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const at = (share: string): number =>
    1000 * Number(new RegExp(`event_loop_delay_seconds\\{quantile="${share}"\\} (\\S+)`).exec(text)?.[1] ?? 0)
  return [at('0.999'), at('1')]
}

const world = await startWorld()
const { url } = world.server
say(`${TIMES} calls of each body, one after the other; load before ${load()}\n`)
say('| body | MB | status | call ms | loop p99.9 / max ms |')
say('| ---- | -: | -----: | ------: | ------------------: |')
const slow: string[] = []
await Bun.sleep(3_000)
for (const { name, path, headers, body } of bodies(world).filter((one) => one.name.includes(NAMED))) {
  const init = { method: 'POST', headers, body: body() as string }
  const bytes = typeof init.body === 'string' || (init.body as unknown) instanceof Uint8Array ? init.body.length : 0
  let status = 0
  const times: number[] = []
  // one call compiles the code, and the metrics are reset by reading them
  for (let i = -1; i < TIMES; i++) {
    if (i === 0) await loopDelays(url)
    const startedMs = performance.now()
    const response = await fetch(url + path, init)
    await response.arrayBuffer()
    status = response.status
    if (i >= 0) times.push(performance.now() - startedMs)
  }
  // the loop measures itself every 20 ms
  await Bun.sleep(50)
  const [p999, max] = await loopDelays(url)
  if (max > LIMIT_MS) slow.push(`${name}: ${ms(max)} ms`)
  const size = bytes === 0 ? '–' : (bytes / MIB).toFixed(1)
  say(
    `| ${name} | ${size} | ${status} | ${ms(times.toSorted((a, b) => a - b)[TIMES >> 1] ?? 0)} | ${ms(p999)} / ${ms(max)} |`,
  )
}
await world.stop()
say(
  `\nLoad after ${load()}. ${slow.length === 0 ? `No body held the loop for more than ${LIMIT_MS} ms.` : `MISSED: ${slow.join('; ')}`}`,
)
process.exit(slow.length === 0 ? 0 : 1)
