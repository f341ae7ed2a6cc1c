/**
 * What a customer's program does with a generated client: it compiles against the types of /openapi.json alone, without
 * a cast. Arguments: the server's URL and the operator token. Prints what it created.
 */
import createClient from 'openapi-fetch'
import type { paths } from '#api'

const [url, token] = process.argv.slice(2) as [string, string]
const operator = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } })

/** The data of a successful response. */
function dataOf<T>({ data, error }: { data?: { data: T } | undefined; error?: { code: string; message: string } }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.message}`)
  return data.data
}

const enterprise = dataOf(await operator.POST('/manage/v1/enterprises', { body: { name: 'Client', tier: 'business' } }))
const {
  keys,
  publicKey,
  secretKey,
  id: applicationId,
} = dataOf(
  await operator.POST('/manage/v1/enterprises/{id}/applications', {
    params: { path: { id: enterprise.id } },
    body: { name: 'Client', tools: 'all' },
  }),
)
const sensor = dataOf(
  await operator.POST('/manage/v1/enterprises/{id}/sensors', {
    params: { path: { id: enterprise.id } },
    body: { channels: [{ name: 'level', measurement: 'number', unit: 'm' }], assetName: 'Pump' },
  }),
)
const device = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${sensor.key}` } })
const at = new Date().toISOString()
const batch = dataOf(
  await device.POST('/sensors/{id}/readings', {
    params: { path: { id: sensor.id } },
    body: { readings: [{ at, values: { level: 1.5 }, location: [13.4, 52.5] }] },
  }),
)
const [west, south, east, north] = [13, 52, 14, 53]
const polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
}
const layer = dataOf(
  await operator.POST('/manage/v1/owners/{ownerId}/layers', {
    params: { path: { ownerId: enterprise.id } },
    body: { name: 'Zones', geojson: { type: 'Feature', properties: { zone: 'north' }, geometry: polygon } },
  }),
)
const toolApi = dataOf(
  await operator.POST('/manage/v1/owners/{ownerId}/tool-apis', {
    params: { path: { ownerId: enterprise.id } },
    body: {
      tool: 'vector.inside-check',
      name: 'Inside',
      binding: { kind: 'layer', id: layer.id },
      rule: { kind: 'inside' },
    },
  }),
)
const caller = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${toolApi.key}` } })
const checked = dataOf(
  await caller.POST('/tool-apis/{id}/run', {
    params: { path: { id: toolApi.id } },
    body: {
      input: {
        type: 'FeatureCollection',
        features: [
          { type: 'Feature', properties: { name: 'a' }, geometry: { type: 'Point', coordinates: [13.4, 52.5] } },
        ],
      },
    },
  }),
)
const organization = createClient<paths>({
  baseUrl: url,
  headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey },
})
const rule = dataOf(
  await organization.POST('/enterprise/v1/assets/rules', {
    body: { name: 'Enters', layerId: layer.id, when: 'enter', sensorIds: [sensor.id] },
  }),
)
const sensors = dataOf(await organization.GET('/enterprise/v1/assets/sensors', { params: { query: { limit: 10 } } }))
const audit = dataOf(await operator.GET('/manage/v1/audit', { params: { query: { subject: sensor.id } } }))

process.stdout.write(
  JSON.stringify({
    ...{ enterprise, applicationId, lastFour: keys[0]?.lastFour, sensor, batch, layer, toolApi, checked, rule },
    sensors: sensors.items.map(({ id, assetName }) => ({ id, assetName })),
    audit: audit.items.map(({ action, subjectKind }) => ({ action, subjectKind })),
  }),
)
