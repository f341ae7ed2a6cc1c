/** One tenant's calls beside a flood of calls of another tenant, through a real server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createInstance, type Envelope, type Organization } from '../../support/server/instance.ts'
import { callTool } from '../../support/workers/tools.ts'

const organizations: Organization[] = []

const instance = await createInstance({ TOOL_WORKERS: '2', CALLS_PER_MINUTE: '100000', FILES_PER_HOUR: '100000' })
beforeAll(async () => {
  organizations.push(await instance.organization(), await instance.organization())
  while (!(await fetch(`${instance.url()}/health/ready`)).ok) await Bun.sleep(50)
}, 120_000)
afterAll(instance.remove)

/** Squares that overlap their neighbours, so that dissolving them takes a while. */
const SQUARES = {
  name: 'squares.geojson',
  content: JSON.stringify({
    type: 'FeatureCollection',
    features: Array.from({ length: 2_000 }, (_, i) => {
      const [x, y] = [(i % 50) * 0.01, Math.floor(i / 50) * 0.01]
      const ring = [
        [x, y],
        [x + 0.015, y],
        [x + 0.015, y + 0.015],
        [x, y + 0.015],
        [x, y],
      ]
      return { type: 'Feature', properties: { i }, geometry: { type: 'Polygon', coordinates: [ring] } }
    }),
  }),
}

test('80 calls of one enterprise at the same time do not make the calls of another one fail', async () => {
  const [attacker, victim] = organizations as [Organization, Organization]
  const codeOf = async (who: Organization, route: string, input: Record<string, unknown>, form: boolean) =>
    ((await (await callTool(instance, who, route, input, form)).json()) as Envelope).code
  const flood = Array.from({ length: 80 }, () =>
    codeOf(attacker, '/dissolve', { file: SQUARES, target_format: 'geojson' }, true),
  )
  const points = [
    { lon: 0, lat: 0 },
    { lon: 1, lat: 1 },
  ]
  const own = [
    ...Array.from({ length: 20 }, () =>
      codeOf(victim, '/buffer', { file: 'stations.geojson', target_format: 'geojson' }, true),
    ),
    codeOf(victim, '/distance-bearing', { points }, false),
  ]
  expect(new Set(await Promise.all(own))).toEqual(new Set(['SUCCESS']))
  const codes = await Promise.all(flood)
  // the flooding tenant is served up to its share of the queue
  expect(new Set(codes)).toEqual(new Set(['SUCCESS', 'SERVICE_BUSY']))
}, 120_000)
