/** All features of a version in one streamed answer, as a GeoJSON text sequence. */
import { expect, test } from 'bun:test'
import { seeded } from '../../support/random.ts'
import { anyFeature, type Feature } from '../../support/server/layer-model.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const SEED = 20_261_123

const instance = await sharedInstance()
const owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })).id

const layerOf = async (features: readonly Feature[]): Promise<string> => {
  const body = { name: 'Layer', geojson: { type: 'FeatureCollection', features } }
  return (await instance.manage<{ id: string }>('POST', `/owners/${owner}/layers`, body)).id
}
const ask = (id: string, version: number, signal?: AbortSignal): Promise<Response> =>
  fetch(`${instance.url()}/manage/v1/owners/${owner}/layers/${id}/versions/${version}/features`, {
    headers: { authorization: `Bearer ${instance.operatorToken()}`, accept: 'application/geo+json-seq' },
    ...(signal && { signal }),
  })

/** RFC 8142: each feature stands between a record separator and a line feed. */
function recordsOf(text: string): Feature[] {
  const records = text.split('\u001e')
  expect(records.shift()).toBe('')
  return records.map((record) => {
    expect(record.endsWith('\n')).toBe(true)
    return JSON.parse(record) as Feature
  })
}

test('every feature of a version, also of an earlier one, is sent once and in order', async () => {
  const random = seeded(SEED)
  // more than several pieces
  const features = Array.from({ length: 9_001 }, (_, i) => anyFeature(random, `feature ${i}`))
  const id = await layerOf(features)
  const change = { upsert: [anyFeature(random, 'feature 7')], delete: ['feature 0', 'feature 9000'] }
  await instance.manage('PATCH', `/owners/${owner}/layers/${id}/features`, change)

  const first = await ask(id, 1)
  expect(first.status).toBe(200)
  expect(first.headers.get('content-type')).toBe('application/geo+json-seq')
  expect(recordsOf(await first.text())).toEqual(features)
  const second = recordsOf(await (await ask(id, 2)).text())
  expect(second.map((feature) => feature.id)).toEqual(features.slice(1, -1).map((feature) => feature.id))
  expect(second.find((feature) => feature.id === 'feature 7')).toEqual(change.upsert[0] as Feature)
}, 120_000)

test('a layer without features is an empty sequence, and a discarded version is not found', async () => {
  const id = await layerOf([])
  const empty = await ask(id, 1)
  expect([empty.status, await empty.text()]).toEqual([200, ''])
  const missing = await ask(id, 2)
  expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([404, 'NOT_FOUND'])
})

test('a version that is discarded while it is read ends as an aborted transfer, not as a shorter layer', async () => {
  const random = seeded(SEED)
  const note = 'x'.repeat(2_000)
  const features = Array.from({ length: 12_000 }, (_, i) => {
    const feature = anyFeature(random, `feature ${i}`)
    return { ...feature, properties: { ...feature.properties, note } }
  })
  const id = await layerOf(features)
  await instance.manage('PATCH', `/owners/${owner}/layers/${id}/features`, { delete: features.map((one) => one.id) })
  const response = await ask(id, 1)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  expect((await reader.read()).done).toBe(false)
  await instance.manage('DELETE', `/owners/${owner}/layers/${id}/versions`)
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  await expect(rest()).rejects.toThrow()
}, 120_000)
