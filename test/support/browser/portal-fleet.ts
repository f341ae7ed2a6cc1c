/** A small fleet with every state that a page can show, and an account that sees it. */

import { firstRuleJudged } from '../alerts/alert-rules.ts'
import type { Instance, MadeSensor } from '../server/instance.ts'
import { type Account, callAs, memberAccount, nextEmail, operatorAccount } from '../sessions.ts'
import { tokenOf } from './browser-session.ts'
import { portalAlerts } from './portal-alerts.ts'
import { portalDashboard } from './portal-dashboards.ts'
import { portalToolApis } from './portal-tool-apis.ts'

export type SmallFleet = {
  enterpriseId: string
  sensors: MadeSensor[]
  /** The owner of the enterprise too. */
  operator: Account
  /** Cookie of the operator. */
  cookie: { name: string; value: string; url: string }
  /** A person with a plan. */
  person: { id: string; email: string }
}
/** With rules, alerts, a dashboard and whatever else has a page. */
export type PortalFleet = SmallFleet & {
  /** The address of a route with ids of this fleet; undefined where it has none. */
  addressOf(route: string): string | undefined
}

const NAMES = ['Pump 1', 'مضخة الميناء', 'Roof station', 'Cold store', 'Truck 7', 'Old gateway', 'New probe']
const DAY_MS = 86_400_000

/** A day of readings every ten minutes around a position. */
function dayOfReadings(seed: number, lastMs: number): object[] {
  const count = 145
  return Array.from({ length: count }, (_, i) => {
    const at = lastMs - (count - 1 - i) * 600_000
    // of the day's end, so that the newest values are the same at every hour of a run
    const phase = ((at - lastMs) / DAY_MS) * 2 * Math.PI + seed + 1
    return {
      at: new Date(at).toISOString(),
      values: { temperature: 18 + 6 * Math.sin(phase), humidity: 55 + 20 * Math.cos(phase) },
      location: [31.2 + seed / 50 + i / 20_000, 30.1 + Math.sin(phase) / 100],
    }
  })
}

/** A zone rule for a square around the first positions, and a rule about temperatures there. @returns their ids */
async function rulesAround(instance: Instance, enterpriseId: string): Promise<{ zone: string; threshold: string }> {
  const { publicKey, secretKey } = await instance.manage<{ publicKey: string; secretKey: string }>(
    'POST',
    `/enterprises/${enterpriseId}/applications`,
    { name: 'Zones', tools: 'all' },
  )
  const square = [31.19, 31.22, 30.08, 30.12] as const
  const [west, east, south, north] = square
  const { id: layerId } = await instance.manage<{ id: string }>('POST', `/owners/${enterpriseId}/layers`, {
    name: 'Yard',
    geojson: {
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
    },
  })
  const created = async (rule: object): Promise<string> => {
    const response = await fetch(`${instance.url()}/enterprise/v1/assets/rules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': publicKey, 'x-api-secret': secretKey },
      body: JSON.stringify(rule),
    })
    return ((await response.json()) as { data: { id: string } }).data.id
  }
  return {
    zone: await created({ name: 'Yard', layerId, when: 'enter', sensorIds: 'all' }),
    threshold: await created({
      kind: 'threshold',
      name: 'Too warm',
      sensorIds: 'all',
      severity: 'warning',
      note: 'Open the roof vents.',
      conditions: [{ channel: 'temperature', op: '>', value: 22, clearValue: 20 }],
      steps: [{ severity: 'critical', value: 30 }],
      forSeconds: 1_800,
      within: { layerId, when: 'inside' },
    }),
  }
}

/** An application with two key pairs, one of which ends soon, and a few runs. @returns its id */
async function importer(instance: Instance, enterpriseId: string): Promise<string> {
  const made = await instance.manage<{ id: string; publicKey: string; secretKey: string }>(
    'POST',
    `/enterprises/${enterpriseId}/applications`,
    { name: 'Nightly import', tools: ['measure.distance-bearing', 'vector.buffer'] },
  )
  await instance.manage('POST', `/applications/${made.id}/keys`, {
    name: 'gateway.example.org',
    expiresAt: new Date(Date.now() + 5 * DAY_MS).toISOString(),
  })
  const points = [
    { lon: 31.2, lat: 30.1 },
    { lon: 31.3, lat: 30.2 },
  ]
  for (let i = 0; i < 3; i++)
    await fetch(`${instance.url()}/enterprise/v1/gis/distance-bearing`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': made.publicKey, 'x-api-secret': made.secretKey },
      body: JSON.stringify({ points }),
    })
  return made.id
}

/** A layer with two versions. @returns its id */
async function layerOf(instance: Instance, enterpriseId: string): Promise<string> {
  const plots = Array.from({ length: 12 }, (_, i) => ({
    type: 'Feature',
    id: `plot-${i}`,
    properties: { name: `Plot ${i}`, depth: i * 1.5, active: i % 2 === 0 },
    geometry: { type: 'Point', coordinates: [31.2 + (i % 4) / 100, 30.1 + Math.floor(i / 4) / 100] },
  }))
  const { id } = await instance.manage<{ id: string }>('POST', `/owners/${enterpriseId}/layers`, {
    name: 'Plots',
    geojson: { type: 'FeatureCollection', features: plots },
  })
  await instance.manage('PATCH', `/owners/${enterpriseId}/layers/${id}/features`, { delete: ['plot-3'] })
  return id
}

/** A scanned file. @returns its id */
async function fileOf(instance: Instance, enterpriseId: string): Promise<string> {
  const form = new FormData()
  form.append('file', new File([JSON.stringify({ type: 'Point', coordinates: [31.2, 30.1] })], 'stations.geojson'))
  const response = await fetch(`${instance.url()}/manage/v1/owners/${enterpriseId}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
    body: form,
  })
  return ((await response.json()) as { data: { id: string } }).data.id
}

/** A recipe of two steps. @returns its id */
async function recipeOf(instance: Instance, enterprise: string, operator: Account): Promise<string> {
  const steps = [
    { tool: 'vector.centroids', settings: {} },
    { tool: 'vector.buffer', settings: { distance_m: 250 } },
  ]
  const body = { name: 'Rings around centres', document: { version: 1, steps } }
  const path = '/enterprise/v1/gis/recipes'
  return (await callAs<{ id: string }>(instance.url(), operator, 'POST', path, { enterprise, body })).data.id
}

/** Destinations of several forms; one has a log, and one is off. @returns the id of the first */
async function destinationOf(instance: Instance, enterpriseId: string): Promise<string> {
  const path = `/enterprises/${enterpriseId}/destinations`
  const created = (name: string, more: object): Promise<{ id: string }> =>
    instance.manage('POST', path, { kind: 'webhook', name, events: ['alert.firing', 'alert.resolved'], ...more })
  const { id } = await created('Control room', {
    url: 'https://hooks.example.org/groundwave/control-room',
    events: ['alert.firing', 'alert.resolved', 'sensor.state', 'job.finished'],
    headers: { Authorization: 'Bearer abc' },
    minSeverity: 'warning',
    tags: ['roof'],
  })
  await instance.manage('POST', `${path}/${id}/test`)
  await created('مناوبة الليل', { format: 'slack', url: 'https://hooks.example.org/services/night' })
  const old = await created('Old ticket system', { url: 'https://tickets.example.org/in' })
  await instance.manage('PATCH', `${path}/${old.id}`, { enabled: false })
  return id
}

/** A fleet key with devices that wait, and with refusals. @returns its id */
async function fleetKeyOf(instance: Instance, enterpriseId: string): Promise<string> {
  const { id, key } = await instance.manage<{ id: string; key: string }>(
    'POST',
    `/enterprises/${enterpriseId}/fleet-keys`,
    {
      name: 'Harbour gateway',
      tags: ['yard'],
      autoCreate: 'pending',
    },
  )
  const lines = [
    'weather,host=mast-1 temperature=21.5,wind=7',
    'weather,host=mast-2 temperature=19,door=true',
    'weather,host=',
  ]
  await fetch(`${instance.url()}/api/v2/write`, {
    method: 'POST',
    headers: { authorization: `Token ${key}` },
    body: lines.join('\n'),
  })
  return id
}

/** Sensors in each state, their readings, and the operator, who owns the enterprise. */
export async function smallFleet(instance: Instance): Promise<SmallFleet> {
  const operator = await operatorAccount(instance)
  const { id: enterpriseId } = await instance.manage<{ id: string }>('POST', '/enterprises', {
    name: 'Harbour works',
    tier: 'business',
  })
  const sensors: MadeSensor[] = []
  for (const [i, name] of NAMES.entries()) {
    const sensor = await instance.manage<MadeSensor>('POST', `/enterprises/${enterpriseId}/sensors`, {
      name,
      assetName: i < 3 ? 'North pier' : name,
      tags: i % 2 === 0 ? ['roof', 'north'] : ['yard'],
      channels: [
        { name: 'temperature', measurement: 'number', unit: '°C' },
        { name: 'humidity', measurement: 'number', unit: '%' },
      ],
    })
    sensors.push(sensor)
    const agoMs = [5, 60, 200, 2_400, 9_000][i]
    if (agoMs !== undefined) {
      const lastMs = Math.floor(Date.now() / 1000) * 1000 - agoMs * 1000
      await instance.send(sensor, { readings: dayOfReadings(i, lastMs) })
    }
  }
  await instance.manage('PATCH', `/sensors/${sensors[5]?.id}`, { enabled: false })
  await instance.send(sensors[2] as MadeSensor, {
    readings: [
      { at: new Date().toISOString(), values: { temperature: 'warm' } },
      { at: new Date().toISOString(), values: { presure: 3 } },
    ],
  })
  await memberAccount(instance, enterpriseId, 'owner', operator)
  const email = nextEmail('nour')
  const { id } = await instance.manage<{ id: string }>('POST', '/people', { email, plan: 'pro' })
  return {
    enterpriseId,
    sensors,
    operator,
    person: { id, email },
    cookie: { name: 'groundwave_session', value: operator.browser.cookieValue(), url: instance.url() },
  }
}

export async function portalFleet(instance: Instance): Promise<PortalFleet> {
  const fleet = await smallFleet(instance)
  const { enterpriseId, sensors, operator, person } = fleet
  const invite = (email: string, role: string): Promise<{ path: string }> =>
    instance.manage('POST', `/enterprises/${enterpriseId}/invitations`, { email, role })
  await instance.manage('POST', `/enterprises/${enterpriseId}/members`, { email: nextEmail('layla'), role: 'admin' })
  const pending = await invite(nextEmail('sami'), 'member')
  const dashboard = await portalDashboard(instance, enterpriseId, operator)
  await firstRuleJudged(instance)
  const alert = await portalAlerts(instance, enterpriseId, sensors)
  const rules = await rulesAround(instance, enterpriseId)
  const addresses: Record<string, string> = {
    '/alerts/:id': `/alerts/${alert}`,
    '/dashboards/:id': dashboard.address,
    '/shared': dashboard.link,
    '/welcome/:token': `/welcome/${tokenOf(pending)}`,
    '/tools/:process': '/tools/vector.buffer',
    '/sensors/:id': `/sensors/${sensors[0]?.id}`,
    '/sensors/compare': `/sensors/compare?with=${sensors
      .slice(0, 4)
      .map(({ id }) => id)
      .join()}`,
    '/operator/enterprises/:id': `/operator/enterprises/${enterpriseId}`,
    '/operator/people/:id': `/operator/people/${person.id}`,
    '/data/layers/:id': `/data/layers/${await layerOf(instance, enterpriseId)}`,
    '/data/files/:id': `/data/files/${await fileOf(instance, enterpriseId)}`,
    '/zones/:id': `/zones/${rules.zone}`,
    '/rules/:id': `/rules/${rules.threshold}`,
    '/tool-apis/:id': `/tool-apis/${await portalToolApis(instance, enterpriseId)}`,
    '/recipes/:id': `/recipes/${await recipeOf(instance, enterpriseId, operator)}`,
    '/tool-apis/new': '/tool-apis/new?tool=vector.inside-check',
    '/settings/destinations/:id': `/settings/destinations/${await destinationOf(instance, enterpriseId)}`,
    '/settings/fleet-keys/:id': `/settings/fleet-keys/${await fleetKeyOf(instance, enterpriseId)}`,
    '/settings/applications/:id': `/settings/applications/${await importer(instance, enterpriseId)}`,
  }
  return {
    ...fleet,
    addressOf: (route) => addresses[route] ?? (route.includes(':') ? undefined : route),
  }
}
