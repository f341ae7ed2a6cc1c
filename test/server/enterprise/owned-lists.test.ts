/** Lists of layers and files: search, order, pages, and references to them. */
import { expect, test } from 'bun:test'
import type { Envelope } from '../../support/server/instance.ts'
import type { Feature } from '../../support/server/layer-model.ts'
import { managementOf } from '../../support/server/management.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

type Layer = { id: string; name: string; featureCount: number }

const instance = await sharedInstance()
const { all, call } = managementOf(instance)

const point = (x: number, n: number, id: string): Feature => ({
  type: 'Feature',
  id,
  properties: { n },
  geometry: { type: 'Point', coordinates: [x, 1] },
})
test('lists of layers are searched and sorted in pages', async () => {
  const own = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Lists', tier: 'scale' })).id
  const names = ['Zones', 'alpha', 'Beta', 'مناطق', 'Beta', '100% a_b', '<b>x</b>']
  const made: { id: string; name: string; featureCount: number }[] = []
  for (const [i, name] of names.entries())
    made.push(
      await instance.manage('POST', `/owners/${own}/layers`, {
        name,
        geojson: {
          type: 'FeatureCollection',
          features: Array.from({ length: (i * 3) % 4 }, (_, n) => point(n, n, `${n}`)),
        },
      }),
    )
  const list = (query: string) => all<(typeof made)[number]>(`/owners/${own}/layers?${query}`, 2)
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  for (const order of ['asc', 'desc']) {
    const sign = order === 'asc' ? 1 : -1
    const byFeatures = [...made].sort((a, b) => sign * (a.featureCount - b.featureCount || compare(a.id, b.id)))
    expect((await list(`sort=features&order=${order}`)).map(({ id }) => id)).toEqual(byFeatures.map(({ id }) => id))
    const byName = await list(`sort=name&order=${order}`)
    expect(byName.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort())
    const changed = await list(`sort=changed&order=${order}`)
    expect(changed.map(({ id }) => id)).toEqual((order === 'asc' ? made : [...made].reverse()).map(({ id }) => id))
  }
  expect((await list('q=BETA')).length).toBe(2)
  expect((await list(`q=${encodeURIComponent('100% A_')}`)).map(({ name }) => name)).toEqual(['100% a_b'])
  expect((await list('q=_')).length).toBe(1)
  expect((await list(`q=${encodeURIComponent('مناطق')}`)).length).toBe(1)
  expect(await call('GET', `/owners/${own}/layers?sort=name&cursor=nonsense`)).toMatchObject({
    status: 422,
    errors: [{ field: 'query.cursor' }],
  })
  expect(await call('GET', `/owners/${own}/layers?sort=weight`)).toMatchObject({ status: 422 })
})

test('a layer and a file list their users, and a bound version of a file stays', async () => {
  const own = await instance.organization('scale')
  const square = [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ]
  const polygon: Feature = {
    type: 'Feature',
    id: 'p',
    properties: {},
    geometry: { type: 'Polygon', coordinates: square },
  }
  const { id } = await instance.manage<Layer>('POST', `/owners/${own.id}/layers`, { name: 'Yard', geojson: polygon })
  const rule = await fetch(`${instance.url()}/enterprise/v1/assets/rules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey },
    body: JSON.stringify({ name: 'Gate', layerId: id, when: 'enter', sensorIds: 'all' }),
  })
  expect(rule.status).toBe(200)
  const form = new FormData()
  form.append('file', new File([JSON.stringify(polygon)], 'yard.geojson'))
  const uploaded = await fetch(`${instance.url()}/manage/v1/owners/${own.id}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
    body: form,
  })
  const file = ((await uploaded.json()) as Envelope<{ id: string }>).data.id
  for (const binding of [
    { kind: 'layer', id },
    { kind: 'file-version', id: file, version: 1 },
  ])
    await instance.manage('POST', `/owners/${own.id}/tool-apis`, { tool: 'vector.clip', name: 'Clip', binding })
  const uses = (kind: string, of: string) =>
    instance.manage<{ items: object[] }>('GET', `/owners/${own.id}/${kind}/${of}/uses`)
  expect((await uses('layers', id)).items).toMatchObject([
    { kind: 'zone-rule', name: 'Gate', enabled: true, version: null },
    { kind: 'tool-api', name: 'Clip', version: null },
  ])
  expect((await uses('files', file)).items).toMatchObject([{ kind: 'tool-api', name: 'Clip', version: 1 }])
  const lists = await Promise.all(
    ['layers', 'files'].map((kind) => instance.manage<{ items: object[] }>('GET', `/owners/${own.id}/${kind}`)),
  )
  expect(lists.map(({ items }) => items)).toMatchObject([
    [{ usedBy: { zoneRules: 1, toolApis: 1 } }],
    [{ usedBy: { zoneRules: 0, toolApis: 1 } }],
  ])
  const refused = await call('DELETE', `/owners/${own.id}/files/${file}/versions/1`)
  expect(refused).toMatchObject({ status: 409, code: 'CONFLICT' })
  expect(refused.message).toContain('"Clip"')
})
