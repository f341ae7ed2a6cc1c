/** Versions of map layers, compared with a model that keeps a copy of every version. */
import { expect, test } from 'bun:test'
import { seeded, testSeed, whole } from '../../support/random.ts'
import { anyFeature, difference, type Feature, LayerModel } from '../../support/server/layer-model.ts'
import { managementOf } from '../../support/server/management.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

type Layer = { id: string; version: number; featureCount: number; fields: string[]; changedBy: string | null }
type Version = { version: number; actor: string | null; featureCount: number; fields: string[] } & Record<
  'added' | 'changed' | 'removed' | 'restored',
  number | null
>
type Difference = {
  featureId: string
  change: 'added' | 'changed' | 'removed'
  geometryChanged: boolean
  attributes: { name: string; before?: unknown; after?: unknown }[]
  before: Feature | null
  after: Feature | null
}

const instance = await sharedInstance()
const { all, call } = managementOf(instance)
const owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })).id

const at = (id: string): string => `/owners/${owner}/layers/${id}`

async function checkVersion(id: string, model: LayerModel, version: number): Promise<void> {
  const stored = await all<Feature>(`${at(id)}/versions/${version}/features`, 7)
  expect(stored.map((feature) => JSON.stringify(feature))).toEqual(
    (model.versions.get(version) as Feature[]).map(({ id: featureId, properties, geometry }) =>
      JSON.stringify({ type: 'Feature', id: featureId, properties, geometry }),
    ),
  )
}

test('every version equals the model’s copy, after random edits', async () => {
  process.stderr.write(`versions of layers: replay with TEST_SEED=${testSeed}\n`)
  const random = seeded(testSeed)
  const names = Array.from({ length: 24 }, (_, i) => (i % 5 === 0 ? `عنصر ${i}` : `f${i}`))
  const model = new LayerModel()
  const first = names.slice(0, 12).map((name) => anyFeature(random, name))
  const { id } = await instance.manage<Layer>('POST', `/owners/${owner}/layers`, {
    name: 'Model',
    geojson: { type: 'FeatureCollection', features: first },
  })
  model.replace(first)
  for (let edit = 0; edit < 60; edit++) {
    const kind = random()
    if (kind < 0.7) {
      const present = model.now.map((feature) => feature.id)
      const remove = present.filter(() => random() < 0.12)
      const upsert = names
        .filter(() => random() < 0.2)
        .map((name) => {
          const known = model.now.find((feature) => feature.id === name)
          // the same content again does not count as a change
          return known !== undefined && random() < 0.3 ? known : anyFeature(random, name)
        })
      await instance.manage('PATCH', `${at(id)}/features`, { upsert, delete: remove })
      model.patch(upsert, remove)
    } else if (kind < 0.85) {
      const features = names
        .filter(() => random() < 0.5)
        .map((name) => {
          const known = model.now.find((feature) => feature.id === name)
          return known !== undefined && random() < 0.6 ? known : anyFeature(random, name)
        })
      await instance.manage('PUT', `${at(id)}/features`, { type: 'FeatureCollection', features })
      model.replace(features)
    } else {
      const wanted = 1 + whole(random, model.version)
      await instance.manage('POST', `${at(id)}/versions/${wanted}/restore`, {})
      model.restore(wanted)
    }
    if (edit % 10 === 0) await checkVersion(id, model, model.version)
  }
  const versions = await all<Version>(`${at(id)}/versions`, 9)
  expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 61 }, (_, i) => 61 - i))
  for (const { version, added, changed, removed, featureCount, fields } of versions) {
    await checkVersion(id, model, version)
    const before = model.versions.get(version - 1) ?? []
    const kinds = difference(before, model.versions.get(version) as Feature[]).map(({ change }) => change)
    const count = (kind: string): number => kinds.filter((one) => one === kind).length
    expect([version, added, changed, removed]).toEqual([version, count('added'), count('changed'), count('removed')])
    expect(featureCount).toBe(model.versions.get(version)?.length as number)
    expect([...fields].sort()).toEqual([...(model.fields.get(version) as string[])].sort())
  }
  for (let i = 0; i < 25; i++) {
    const from = 1 + whole(random, 61)
    const to = 1 + whole(random, 61)
    if (from === to) continue
    const found = await all<Difference>(`${at(id)}/versions/compare?from=${from}&to=${to}`, 5)
    const expected = difference(model.versions.get(from) as Feature[], model.versions.get(to) as Feature[])
    expect(found.map(({ featureId, change, before, after }) => [featureId, change, before, after])).toEqual(
      expected.map(({ id: featureId, change, a, b }) => [featureId, change, a ?? null, b ?? null]),
    )
    for (const [n, { attributes, geometryChanged, change }] of found.entries()) {
      const { a, b } = expected[n] as (typeof expected)[number]
      if (change !== 'changed' || a === undefined || b === undefined) {
        expect([attributes, geometryChanged]).toEqual([[], false])
        continue
      }
      const differing = [...new Set([...Object.keys(a.properties), ...Object.keys(b.properties)])].filter(
        (name) => JSON.stringify(a.properties[name]) !== JSON.stringify(b.properties[name]),
      )
      expect(attributes.map(({ name }) => name).sort()).toEqual(differing.sort())
      for (const attribute of attributes) {
        expect(attribute.before).toEqual(a.properties[attribute.name] as never)
        expect(attribute.after).toEqual(b.properties[attribute.name] as never)
      }
      expect(geometryChanged).toBe(JSON.stringify(a.geometry) !== JSON.stringify(b.geometry))
    }
  }
}, 240_000)

const point = (x: number, n: number, id: string): Feature => ({
  type: 'Feature',
  id,
  properties: { n },
  geometry: { type: 'Point', coordinates: [x, 1] },
})
const layerOf = (...features: Feature[]): Promise<Layer> =>
  instance.manage('POST', `/owners/${owner}/layers`, {
    name: 'Layer',
    geojson: { type: 'FeatureCollection', features },
  })

test('a hundred versions are kept, the oldest are discarded, and all but the current one on request', async () => {
  const { id } = await layerOf(point(0, 0, 'a'), point(1, 0, 'b'))
  for (let n = 1; n <= 104; n++) await instance.manage('PUT', `${at(id)}/features/a`, point(n % 90, n, 'a'))
  const versions = await all<Version>(`${at(id)}/versions`, 1000)
  expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 100 }, (_, i) => 105 - i))
  expect(await call('GET', `${at(id)}/versions/5/features`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  const oldest = await all<Feature>(`${at(id)}/versions/6/features`, 10)
  expect(oldest.map(({ properties }) => properties.n)).toEqual([5, 0])
  expect(await call('POST', `${at(id)}/versions/5/restore`, {})).toMatchObject({ status: 404 })
  expect(await call('GET', `${at(id)}/versions/compare?from=5&to=9`)).toMatchObject({ status: 404 })
  expect(await call('GET', `${at(id)}/versions/compare?from=9&to=9`)).toMatchObject({
    status: 422,
    errors: [{ field: 'query.to', rule: 'differs' }],
  })
  expect(await call('GET', `${at(id)}/versions/x/features`)).toMatchObject({ status: 422 })
  const before = await instance.manage<{ historyBytes: number }>('GET', at(id))
  expect(before.historyBytes).toBeGreaterThan(0)
  expect(await instance.manage('DELETE', `${at(id)}/versions`)).toMatchObject({ historyBytes: 0, version: 105 })
  expect((await all<Version>(`${at(id)}/versions`, 10)).map(({ version }) => version)).toEqual([105])
  expect(await call('GET', `${at(id)}/versions/104/features`)).toMatchObject({ status: 404 })
}, 120_000)

test('a version keeps only the replaced features, and history counts towards the quota', async () => {
  const own = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Small', tier: 'scale' })).id
  const long = (n: number, id: string): Feature => ({
    ...point(n, n, id),
    properties: { text: `${n}`.padEnd(300_000, 'x') },
  })
  const post = (body: object) => call('POST', `/owners/${own}/layers`, body)
  const { data } = await post({
    name: 'Layer',
    geojson: { type: 'FeatureCollection', features: [long(1, 'a'), long(2, 'b')] },
  })
  const path = `/owners/${own}/layers/${data.id}`
  const history = async () => Number((await instance.manage('GET', path)).historyBytes)
  expect(await history()).toBe(0)
  // the complete content again, unchanged
  const again = { type: 'FeatureCollection', features: [long(1, 'a'), long(2, 'b')] }
  await instance.manage('PUT', `${path}/features`, again)
  await instance.manage('PATCH', `${path}/features`, { upsert: [long(1, 'a')] })
  expect(await history()).toBe(0)
  await instance.manage('PATCH', `${path}/features`, { upsert: [long(3, 'a')] })
  expect(await history()).toBeGreaterThan(300_000)
  expect(await history()).toBeLessThan(301_000)
  await instance.manage('PATCH', `/enterprises/${own}`, { storedMb: 1 })
  const full = await call('PATCH', `${path}/features`, { upsert: [long(4, 'a')] })
  expect(full.code).toBe('STORAGE_QUOTA_EXCEEDED')
  await instance.manage('DELETE', `${path}/versions`)
  expect((await call('PATCH', `${path}/features`, { upsert: [long(4, 'a')] })).code).toBe('SUCCESS')
}, 60_000)

test('a version is not restored over a newer one that the caller has not seen, and the audit log names the author', async () => {
  const { id } = await layerOf(point(0, 0, 'a'))
  const seen = await call('GET', at(id))
  await instance.manage('PATCH', `${at(id)}/features`, { upsert: [point(5, 1, 'a')] })
  const tag = seen.headers.get('etag') as string
  const refused = await call('POST', `${at(id)}/versions/1/restore`, {}, { 'if-match': tag })
  expect(refused).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED', data: { version: 2 } })
  const fresh = (await call('GET', at(id))).headers.get('etag') as string
  const done = await call('POST', `${at(id)}/versions/1/restore`, {}, { 'if-match': fresh })
  expect(done).toMatchObject({ status: 200, data: { version: 3, featureCount: 1, changedBy: 'operator' } })
  const [newest] = await all<Version>(`${at(id)}/versions`, 10)
  expect(newest).toMatchObject({ version: 3, restored: 1, actor: 'operator', added: 0, changed: 1, removed: 0 })
  const { items } = await instance.manage<{ items: { action: string; actor: string; after: { version: number } }[] }>(
    'GET',
    `/audit?subject=${id}`,
  )
  expect(items.map(({ action, actor, after }) => [action, actor, after.version])).toEqual([
    ['update', 'operator', 3],
    ['update', 'operator', 2],
    ['create', 'operator', 1],
  ])
}, 60_000)

test("another owner's layers have no versions", async () => {
  const { id } = await layerOf(point(0, 0, 'a'))
  const other = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'scale' })).id
  const path = `/owners/${other}/layers/${id}`
  for (const [method, rest] of [
    ['GET', '/versions'],
    ['DELETE', '/versions'],
    ['GET', '/versions/1/features'],
    ['GET', '/versions/compare?from=1&to=2'],
    ['POST', '/versions/1/restore'],
    ['GET', '/export?format=csv'],
    ['GET', '/uses'],
  ] as const)
    expect(await call(method, path + rest, method === 'POST' ? {} : undefined)).toMatchObject({ status: 404 })
  expect((await all<Version>(`${at(id)}/versions`, 10)).length).toBe(1)
})

test('columns are renamed and removed with their order', async () => {
  const { id } = await layerOf(point(0, 3, 'a'))
  const renamed = { ...point(0, 3, 'a'), properties: { depth: 3 } }
  const edit = (fields: unknown) => call('PATCH', `${at(id)}/features`, { upsert: [renamed], fields } as object)
  expect(await edit(['depth'])).toMatchObject({ status: 200, data: { fields: ['depth'] } })
  expect(await edit(['later'])).toMatchObject({ status: 200, data: { fields: ['later', 'depth'] } })
  expect(await edit('depth')).toMatchObject({ status: 422, errors: [{ field: 'body.fields', rule: 'array' }] })
  expect(await edit(['a', 'a'])).toMatchObject({ status: 422, errors: [{ field: 'body.fields', rule: 'unique' }] })
  expect((await all<Version>(`${at(id)}/versions`, 10)).map(({ fields }) => fields)).toEqual([
    ['later', 'depth'],
    ['depth'],
    ['n'],
  ])
})
