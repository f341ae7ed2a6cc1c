/** Bodies, queries and headers with which each route would succeed; for the matrix of routes and roles. */

import { A, G, M, O } from './role-policy.ts'
import { fileForm, SQUARE } from './server/owned-things.ts'
import { OCTETS } from './server/uploads.ts'

/** Headers and body of a call of an upload route. */
export const UPLOAD_HEADERS: Record<string, Record<string, string>> = {
  POST: { 'upload-length': '3', 'content-type': OCTETS['content-type'] },
  PATCH: { 'upload-offset': '0', 'content-type': OCTETS['content-type'] },
}

export const CHANGES: Record<string, unknown> = {
  [`PATCH ${M}/tiers/{name}`]: {},
  [`PATCH ${M}/enterprises/{id}`]: { name: 'Renamed' },
  [`PATCH ${M}/members/{id}`]: { role: 'admin' },
  [`PATCH ${M}/applications/{id}`]: { name: 'Renamed' },
  [`PATCH ${M}/enterprises/{id}/destinations/{destinationId}`]: { name: 'Renamed' },
  [`PATCH ${M}/people/{id}`]: { plan: 'max' },
  [`PATCH ${M}/sensors/{id}`]: { enabled: false },
  [`PATCH ${M}/fleet-keys/{id}`]: { name: 'Renamed' },
  [`PATCH ${M}/assets/{id}`]: { name: 'Renamed' },
  [`PATCH ${O}/layers/{id}`]: { name: 'Renamed' },
  [`PUT ${O}/layers/{id}/features`]: SQUARE,
  [`PATCH ${O}/layers/{id}/features`]: { upsert: [] },
  [`PUT ${O}/layers/{id}/features/{featureId}`]: SQUARE.features[0],
  [`PATCH ${O}/files/{id}`]: { name: 'Renamed' },
  [`PATCH ${O}/files/{id}/versions/{version}`]: { scanStatus: 'clean' },
  [`PATCH ${M}/tool-apis/{id}`]: { enabled: false },
  [`PATCH ${A}/rules/{id}`]: { enabled: false },
  [`PATCH ${G}/recipes/{id}`]: { name: 'Renamed' },
  [`PATCH ${A}/dashboards/{id}`]: { name: 'Renamed' },
  [`PATCH ${A}/notes/{id}`]: { text: 'Changed' },
  [`PATCH ${A}/views/{id}`]: { name: 'Renamed' },
  [`PATCH ${G}/runs/{id}`]: { name: 'Named' },
  [`PATCH ${G}/uploads/{id}`]: 'a',
}
export const PERIOD = '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'
export const QUERIES: Record<string, string> = {
  [`GET ${M}/audit`]: '?owner=OWNER',
  [`GET ${M}/audit/actors`]: '?owner=OWNER',
  [`GET ${M}/audit/export`]: '?owner=OWNER&format=csv',
  [`DELETE ${M}/sensors/{id}/readings`]: PERIOD,
  [`GET ${M}/sensors/{id}/deletions/preview`]: PERIOD,
  [`GET ${A}/live/values`]: '?channel=a',
  [`GET ${A}/series`]: '?channel=a',
  [`GET ${A}/sensors/{id}/series`]: '?channel=a',
  [`GET ${A}/export`]: '?format=csv',
  [`GET ${O}/layers/{id}/export`]: '?format=csv',
  [`GET ${O}/layers/{id}/versions/compare`]: '?from=1&to=2',
}
export const readings = () => ({ readings: [{ at: new Date().toISOString(), values: { a: 1 } }] })
let addresses = 0
export const CREATES: Readonly<Record<string, () => unknown>> = {
  [`POST ${A}/sensors/{id}/readings`]: readings,
  [`POST ${G}/recipes`]: () => ({
    name: 'New',
    document: { version: 1, steps: [{ tool: 'vector.buffer', settings: { distance_m: 5 } }] },
  }),
  [`POST ${A}/dashboards`]: () => ({ name: 'New', document: { version: 1, panels: [] } }),
  [`POST ${A}/dashboards/{id}/links`]: () => ({ days: 1 }),
  [`POST ${A}/panels`]: () => ({
    panel: { id: 'a', type: 'states', x: 0, y: 0, w: 4, h: 4 },
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  }),
  [`POST ${A}/views`]: () => ({ name: 'New', document: { version: 1, page: '/sensors', query: '' } }),
  [`POST ${A}/notes`]: () => ({ at: '2026-01-31T12:00:00Z', text: 'Filter changed' }),
  [`POST ${A}/alerts/{id}/acknowledge`]: () => ({ comment: 'On the way' }),
  [`POST ${A}/alert-silences`]: () => ({ tags: ['workshop'], to: new Date(Date.now() + 60_000).toISOString() }),
  [`POST ${A}/rules/preview`]: () => ({
    rule: { kind: 'silence', all: true },
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  }),
  [`POST ${A}/inside`]: () => ({ polygon: SQUARE.features[0]?.geometry }),
  [`POST ${M}/enterprises`]: () => ({ name: 'New', tier: 'starter' }),
  [`POST ${M}/enterprises/{id}/members`]: () => ({ email: `n${++addresses}@example.org`, role: 'member' }),
  [`POST ${M}/enterprises/{id}/invitations`]: () => ({ email: `n${++addresses}@example.org`, role: 'member' }),
  [`POST ${M}/operators/tokens`]: () => ({ name: 'Script' }),
  [`POST ${M}/operators/invitations`]: () => ({ email: `n${++addresses}@example.org` }),
  [`POST ${M}/enterprises/{id}/applications`]: () => ({ name: 'New' }),
  [`POST ${M}/people/{id}/api-keys`]: () => ({ name: 'Script' }),
  [`POST ${M}/enterprises/{id}/destinations`]: () => ({
    kind: 'webhook',
    name: 'New',
    url: 'https://example.org/hook',
    events: ['alert.firing'],
  }),
  [`POST ${M}/enterprises/{id}/destinations/{destinationId}/replay`]: () => ({
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
  }),
  [`POST ${M}/people`]: () => ({ email: `n${++addresses}@example.org`, plan: 'free' }),
  [`POST ${M}/enterprises/{id}/fleet-keys`]: () => ({ name: 'Gateway' }),
  [`POST ${M}/enterprises/{id}/pending-sensors/approve`]: () => ({ externalIds: ['unknown'] }),
  [`POST ${M}/enterprises/{id}/pending-sensors/dismiss`]: () => ({ externalIds: ['unknown'] }),
  [`POST ${M}/enterprises/{id}/sensors/import`]: () =>
    new Blob(['{"name":"New","channels":[]}\n'], { type: 'application/x-ndjson' }),
  [`POST ${M}/enterprises/{id}/sensors`]: () => ({ name: 'New', channels: [] }),
  [`POST ${M}/enterprises/{id}/assets`]: () => ({ name: 'New' }),
  [`POST ${O}/layers`]: () => ({ name: 'New', geojson: SQUARE }),
  [`POST ${O}/files`]: () => fileForm(),
  [`POST ${O}/files/{id}/versions`]: () => fileForm(),
  // a body of three bytes
  [`POST ${G}/uploads`]: () => 'a',
  [`POST ${O}/tool-apis`]: () => ({ tool: 'vector.centroids', name: 'New' }),
  [`POST ${M}/tool-apis/{id}/try`]: () => ({ input: SQUARE }),
  [`POST ${O}/tool-api-previews`]: () => ({ tool: 'vector.centroids', input: SQUARE }),
}
