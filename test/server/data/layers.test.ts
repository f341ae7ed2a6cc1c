/** Map layers over HTTP: edits of all kinds, and their effect on the next call of a Tool API. */
import { expect, test } from 'bun:test'
import { seeded } from '../../support/random.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { collection, feature, type Layer, toolApisOf, type Verdict } from '../../support/server/tool-apis.ts'
import { box, point } from '../../support/workers/engine.ts'

const { layer, save, run, call } = toolApisOf(() => instance)

const instance = await sharedInstance()
const owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })).id

type Stored = {
  type: string
  id: string
  properties: Record<string, unknown>
  geometry: { coordinates: unknown } | null
}
async function features(id: string, limit = 1000): Promise<Stored[]> {
  const all: Stored[] = []
  for (let cursor = ''; ; ) {
    const page = await instance.manage<{ items: Stored[]; nextCursor: string | null }>(
      'GET',
      `/owners/${owner}/layers/${id}/features?limit=${limit}${cursor}`,
    )
    all.push(...page.items)
    if (page.nextCursor === null) return all
    cursor = `&cursor=${page.nextCursor}`
  }
}

test('features come back as sent, in their order and in pages', async () => {
  const sent = [
    feature(box(0, 0, 1, 1), { name: 'süß', n: 1.5, list: [1, { a: null }], yes: true }, 'first'),
    feature({ type: 'Point', coordinates: [1, 2, 3] }, null, 7),
    feature(null, { name: 'nowhere' }, 'third'),
    feature(
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
      { other: 2 },
    ),
  ]
  const made = await layer(owner, ...sent)
  expect(made).toMatchObject({
    version: 1,
    featureCount: 4,
    dimensions: [0, 1, 2],
    fields: ['name', 'n', 'list', 'yes', 'other'],
  })
  expect(made.id).toMatch(/^lay_[0-9a-f]{32}$/)
  const back = await features(made.id, 3)
  expect(back.slice(0, 3)).toEqual([
    { ...(sent[0] as object), id: 'first' },
    { ...(sent[1] as object), id: '7', properties: {} },
    sent[2],
  ] as never)
  expect(back[3]).toMatchObject({ geometry: (sent[3] as { geometry: object }).geometry, properties: { other: 2 } })
  const one = `/owners/${owner}/layers/${made.id}/features/${back[3]?.id}`
  expect(await instance.manage('GET', one)).toEqual(back[3] as never)
  const at = `/owners/${owner}/layers/${made.id}/features`
  const patched = await instance.manage<Layer>('PATCH', at, {
    upsert: [feature(point(5, 5), { late: 1 }, 'first')],
    delete: [7, 'third'],
  })
  expect(patched).toMatchObject({ version: 2, featureCount: 2, dimensions: [0, 1] })
  expect(patched.fields).toEqual(['name', 'n', 'list', 'yes', 'other', 'late'])
  expect((await features(made.id)).map(({ id }) => id)).toEqual(['first', back[3]?.id ?? ''])
  await instance.manage('PUT', `${at}/new`, feature(point(6, 6), {}, 'its id is that of the path'))
  expect((await features(made.id)).at(-1)).toMatchObject({ id: 'new', geometry: point(6, 6) })
  expect(await instance.manage('PUT', at, collection(feature(box(0, 0, 1, 1), { z: 1 })))).toMatchObject({
    version: 4,
    featureCount: 1,
    fields: ['z'],
    dimensions: [2],
  })
})

test('errors name the feature, and a rejected call stores nothing', async () => {
  const made = await layer(owner, feature(box(0, 0, 1, 1), {}, 'a'))
  const at = `/owners/${owner}/layers/${made.id}/features`
  const bad: [string, string, unknown, string, RegExp][] = [
    ['POST', `/owners/${owner}/layers`, { name: ' ', geojson: collection() }, 'body.name', /1 to 200/],
    ['POST', `/owners/${owner}/layers`, { name: 'x' }, 'body.geojson', /GeoJSON/],
    [
      'POST',
      `/owners/${owner}/layers`,
      { name: 'x', geojson: collection(), more: 1 },
      'body.more',
      /not a known field/,
    ],
    ['PUT', at, feature(box(0, 0, 1, 1)), 'body', /FeatureCollection/],
    [
      'PUT',
      at,
      collection(feature(point(0, 0), {}, 'x'), feature(point(0, 0), {}, 'x')),
      'body',
      /feature 1: id "x" must be unique/,
    ],
    ['PUT', at, collection(feature({ type: 'Point', coordinates: [0, 99] })), 'body', /feature 0: longitude/],
    ['PUT', at, collection(feature({ type: 'GeometryCollection', geometries: [] })), 'body', /feature 0/],
    ['PATCH', at, { upsert: [feature(point(1, 1), {}, 'b')], delete: ['unknown'] }, 'body.delete.0', /not a feature/],
    [
      'PATCH',
      at,
      { upsert: [{ type: 'Feature', properties: 3, geometry: null }] },
      'body.upsert',
      /feature 0: properties/,
    ],
    ['PATCH', at, { upsert: {} }, 'body.upsert', /list/],
    ['PATCH', at, { remove: [] }, 'body.remove', /not a known field/],
    [
      'PUT',
      at,
      { ...collection(), crs: { type: 'name', properties: { name: 'EPSG:999999' } } },
      'body',
      /not a known coordinate reference system/,
    ],
    ['PUT', at, '{', 'body', /JSON/],
  ]
  for (const [method, path, body, field, message] of bad)
    expect(await call(method, path, body)).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(message),
      errors: [{ field }],
    })
  expect(await call('GET', `/owners/${owner}/layers/${made.id}`)).toMatchObject({
    data: { version: 1, featureCount: 1 },
  })
  const other = await instance.manage<{ id: string }>('POST', '/people', { email: 'p@example.org', plan: 'free' })
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/features'],
    ['GET', '/features/a'],
    ['DELETE', '/features/a'],
  ] as const)
    expect(await call(method, `/owners/${other.id}/layers/${made.id}${path}`)).toMatchObject({ status: 404 })
  expect(await call('GET', '/owners/per_nobody/layers')).toMatchObject({ status: 404 })
  expect(await call('PATCH', `/owners/${owner}/layers/${made.id}`, { ownerId: 'per_nobody' })).toMatchObject({
    status: 422,
  })
  const audit = await call<{ items: { action: string }[] }>('GET', `/audit?subject=${made.id}`)
  expect(audit.data.items.map(({ action }) => action)).toEqual(['create'])
})

/** Layers of these tests are subsets of the one-degree boxes of a grid of twelve by twelve. */
const SIDE = 12
const cell = (place: number) => {
  const [x, y] = [place % SIDE, Math.floor(place / SIDE)]
  return box(x + 0.1, y + 0.1, x + 0.9, y + 0.9)
}
const middles = collection(
  ...Array.from({ length: SIDE * SIDE }, (_, place) =>
    feature(point((place % SIDE) + 0.5, Math.floor(place / SIDE) + 0.5)),
  ),
)

test('every edit is visible to the next call, in every worker process', async () => {
  const random = seeded(77)
  const any = (n: number): number => Math.floor(random() * n)
  const made = await layer(owner, feature(cell(0), { tag: 0, filling: '' }, 'f0'))
  const at = `/owners/${owner}/layers/${made.id}/features`
  const api = await save(owner, 'vector.inside-check', {
    binding: { kind: 'layer', id: made.id },
    referenceFields: ['tag'],
  })
  /** Box number by feature id. */
  const model = new Map([['f0', { place: 0, tag: 0 }]])
  const filling = 'x'.repeat(30_000)
  const asFeature = (id: string, { place, tag }: { place: number; tag: number }) =>
    feature(cell(place), { tag, filling }, id)
  for (let edit = 0; edit < 60; edit++) {
    if (edit % 20 === 19) {
      model.clear()
      for (let i = any(10); i > 0; i--) model.set(`f${i}`, { place: i * 7, tag: edit })
      await instance.manage('PUT', at, collection(...[...model].map(([id, at]) => asFeature(id, at))))
    } else {
      const gone = [...model.keys()].filter(() => random() < 0.2)
      for (const id of gone) model.delete(id)
      const changed = new Map<string, { place: number; tag: number }>()
      for (let i = any(6); i > 0; i--) {
        // one box for each feature, often one that is already used
        const place = any(SIDE * SIDE)
        const id = `f${any(40)}`
        const taken = [...model, ...changed].some(([other, at]) => other !== id && at.place === place)
        if (!taken && !gone.includes(id)) changed.set(id, { place, tag: edit })
      }
      for (const [id, at] of changed) model.set(id, at)
      await instance.manage('PATCH', at, {
        upsert: [...changed].map(([id, at]) => asFeature(id, at)),
        delete: gone,
      })
    }
    // several concurrent calls reach both processes
    const answers = await Promise.all([1, 2, 3].map(() => run<Verdict>(api, { input: middles })))
    const expected = new Map([...model.values()].map(({ place, tag }) => [place, tag]))
    for (const { data } of answers) {
      expect(data.counts.inside).toBe(expected.size)
      for (const { index, relation, reference } of data.results)
        expect([relation, reference.tag]).toEqual(
          expected.has(index) ? ['inside', expected.get(index)] : ['outside', undefined],
        )
    }
  }
}, 120_000)

test('a layer in use gives the same results after a kill', async () => {
  const made = await layer(owner, feature(cell(5), { tag: 'five' }, 'a'))
  const api = await save(owner, 'vector.inside-check', {
    binding: { kind: 'layer', id: made.id },
    referenceFields: ['tag'],
  })
  const where = async () => {
    const { data } = await run<Verdict>(api, { input: middles })
    return data.results
      .filter(({ relation }) => relation === 'inside')
      .map(({ index, reference }) => [index, reference.tag])
  }
  expect(await where()).toEqual([[5, 'five']])
  await instance.manage('PATCH', `/owners/${owner}/layers/${made.id}/features`, {
    upsert: [feature(cell(9), { tag: 'nine' }, 'b')],
  })
  await instance.kill('SIGKILL')
  await instance.restart()
  expect(await where()).toEqual([
    [5, 'five'],
    [9, 'nine'],
  ])
}, 120_000)

test('deletion markers of features are purged, and nothing else', async () => {
  const all = Array.from({ length: 1500 }, (_, i) => feature(cell(i % (SIDE * SIDE)), { i }, `f${i}`))
  const made = await layer(owner, ...all)
  const api = await save(owner, 'vector.inside-check', { binding: { kind: 'layer', id: made.id } })
  const matches = async () => {
    const { data } = await run<Verdict>(api, { input: middles })
    return data.results.reduce((sum, { matchCount }) => sum + matchCount, 0)
  }
  expect(await matches()).toBe(1500)
  for (let from = 0; from < 1400; from += 350) {
    const gone = all.slice(from, from + 350).map(({ id }) => id)
    await instance.manage('PATCH', `/owners/${owner}/layers/${made.id}/features`, { delete: gone })
    expect(await matches()).toBe(1500 - from - 350)
  }
  expect((await features(made.id)).length).toBe(100)
})
