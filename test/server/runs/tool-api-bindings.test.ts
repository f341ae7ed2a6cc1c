/** Bound layers and files of Tool APIs: their versions, kinds, CRS, and the secrecy of their content. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { collection, feature, toolApisOf, type Verdict } from '../../support/server/tool-apis.ts'
import { box, point } from '../../support/workers/engine.ts'
import { FIXTURES } from '../../support/workers/tools.ts'

const { layer, save, run, upload } = toolApisOf(() => instance)

const instance = await sharedInstance()
const { id: owner } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })

test('a bound item may be deleted, transferred, changed in kind, and restored', async () => {
  const other = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'starter' })
  const bound = await layer(owner, feature(box(0, 0, 1, 1), {}, 'only'))
  const api = await save(owner, 'vector.inside-check', { binding: { kind: 'layer', id: bound.id } })
  const answer = async () => {
    const { code, data } = await run<Verdict>(api, { input: point(0.5, 0.5) })
    return data === undefined ? code : (data.results[0]?.relation as string)
  }
  const at = `/layers/${bound.id}`
  expect(await answer()).toBe('inside')
  await instance.manage('PATCH', `/owners/${owner}${at}`, { ownerId: other.id })
  expect(await answer()).toBe('TOOL_API_BINDING_MISSING')
  await instance.manage('PATCH', `/owners/${other.id}${at}`, { ownerId: owner })
  expect(await answer()).toBe('inside')
  await instance.manage('PATCH', `/owners/${owner}${at}/features`, { upsert: [feature(point(0, 0), {}, 'a point')] })
  expect(await answer()).toBe('TOOL_API_BINDING_MISSING')
  await instance.manage('PATCH', `/owners/${owner}${at}/features`, { delete: ['a point'] })
  expect(await answer()).toBe('inside')
  await instance.manage('DELETE', `/owners/${owner}${at}/features/only`)
  expect(await answer()).toBe('outside')
  await instance.manage('DELETE', `/owners/${owner}${at}`)
  expect(await answer()).toBe('TOOL_API_BINDING_MISSING')
})

test('a bound file is read in its newest clean version, or in the pinned version', async () => {
  const zone = (x: number) => JSON.stringify(collection(feature(box(x, 0, x + 1, 1), { x })))
  const files = `/owners/${owner}/files`
  const { data: file } = await upload(files, 'zone.geojson', zone(0))
  const versions = `${files}/${file.id}/versions`
  const more = { referenceFields: ['x'] }
  const newest = await save(owner, 'vector.inside-check', { binding: { kind: 'file', id: file.id }, ...more })
  const pinned = await save(owner, 'vector.inside-check', {
    binding: { kind: 'file-version', id: file.id, version: 1 },
    ...more,
  })
  const where = async (api: { id: string; key: string }) => {
    const input = collection(...[0, 1, 2].map((x) => feature(point(x + 0.5, 0.5))))
    const { code, data } = await run<Verdict>(api, { input })
    return data === undefined ? code : data.results.findIndex(({ relation }) => relation === 'inside')
  }
  expect([await where(newest), await where(pinned)]).toEqual([0, 0])
  expect((await upload(versions, 'zone.geojson', zone(1))).data).toMatchObject({ version: 2, scanStatus: 'clean' })
  expect([await where(newest), await where(pinned)]).toEqual([1, 0])
  const eicar = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`
  const infected = JSON.stringify({ ...JSON.parse(zone(2)), name: eicar })
  expect((await upload(versions, 'zone.geojson', infected)).data).toMatchObject({ version: 3, scanStatus: 'clean' })
  // escaped in JSON the file is clean; as raw text it is infected
  const raw = zone(2).replace('"type":"FeatureCollection"', `"type":"FeatureCollection"}${eicar}`)
  expect((await upload(versions, 'zone.geojson', raw)).data).toMatchObject({ version: 4, scanStatus: 'infected' })
  expect([await where(newest), await where(pinned)]).toEqual([2, 0])
  await instance.manage('DELETE', `${versions}/3`)
  expect(await where(newest)).toBe(1)
  await instance.manage('PATCH', `${versions}/2`, { scanStatus: 'infected' })
  expect(await where(newest)).toBe(0)
  await instance.manage('PATCH', `${versions}/1`, { scanStatus: 'failed' })
  expect([await where(newest), await where(pinned)]).toEqual(['TOOL_API_BINDING_MISSING', 'TOOL_API_BINDING_MISSING'])
  await instance.manage('PATCH', `${versions}/1`, { scanStatus: 'clean' })
  expect([await where(newest), await where(pinned)]).toEqual([0, 0])
  // replaced with a file of another kind
  await upload(versions, 'zone.geojson', JSON.stringify(collection(feature(point(0, 0)))))
  expect([await where(newest), await where(pinned)]).toEqual(['TOOL_API_BINDING_MISSING', 0])
  await instance.manage('DELETE', `${files}/${file.id}`)
  expect([await where(newest), await where(pinned)]).toEqual(['TOOL_API_BINDING_MISSING', 'TOOL_API_BINDING_MISSING'])
})

test('bound files of other CRS and formats are read correctly', async () => {
  for (const name of ['zones.geojson', 'districts_utm.zip'])
    if (await Bun.file(join(FIXTURES, name)).exists()) {
      const file = await upload(`/owners/${owner}/files`, name, readFileSync(join(FIXTURES, name)))
      expect(file.data).toMatchObject({ scanStatus: 'clean', kind: 'vector' })
    }
  // a square kilometre in UTM zone 32 at 9° east, where grid north is true north
  const utm = {
    crs: { type: 'name', properties: { name: 'EPSG:25832' } },
    ...collection(feature(box(499_500, 5_499_500, 500_500, 5_500_500), { a: 1 })),
  }
  const { data } = await upload(`/owners/${owner}/files`, 'utm.geojson', JSON.stringify(utm))
  const asLayer = await instance.manage<{ id: string }>('POST', `/owners/${owner}/layers`, {
    name: 'UTM',
    geojson: utm,
  })
  for (const binding of [
    { kind: 'file', id: data.id },
    { kind: 'layer', id: asLayer.id },
  ]) {
    const api = await save(owner, 'vector.clip', { binding })
    const answer = await run<{ result: { features: { geometry: { coordinates: number[][][] } }[] } }>(api, {
      input: box(8.9, 49.6, 9.1, 49.7),
    })
    const ring = answer.data.result.features[0]?.geometry.coordinates[0] as number[][]
    // one degree of longitude is 72.2 km there, of latitude 111.2 km (closed form on the ellipsoid, within 0.1 %)
    expect(Math.max(...ring.map(([x = 0]) => x)) - Math.min(...ring.map(([x = 0]) => x))).toBeCloseTo(1 / 72.23, 4)
    expect(Math.max(...ring.map(([, y = 0]) => y)) - Math.min(...ring.map(([, y = 0]) => y))).toBeCloseTo(1 / 111.21, 4)
  }
})

test('no answer reveals anything of the bound layer except the picked fields', async () => {
  const secret = { name: 'reported', secret: 'hush-hush', 'secret column': 123_456_789 }
  const odd = box(10.123454321, 20.123454321, 11.987656789, 21.987656789)
  const bound = await layer(owner, feature(odd, secret, 'hidden-id'))
  const binding = { kind: 'layer', id: bound.id }
  const apis = [
    await save(owner, 'vector.inside-check', { binding, referenceFields: ['name'] }),
    await save(owner, 'vector.inside-check', { binding }),
    await save(owner, 'vector.spatial-join', { binding, referenceFields: ['name'] }),
    await save(owner, 'vector.clip', { binding }),
    await save(owner, 'vector.erase', { binding }),
  ]
  const inputs = [
    box(10.5, 20.5, 10.6, 20.6),
    box(0, 0, 1, 1),
    point(10.5, 20.5),
    'bad',
    null,
    { type: 'Polygon', coordinates: [[]] },
  ]
  const hidden = ['hush', 'secret', '123456789', 'hidden-id', '123454321', '987656789', bound.id, owner]
  const look = async (): Promise<void> => {
    for (const api of apis)
      for (const input of inputs) {
        const { text, headers } = await run(api, { input })
        for (const word of hidden) expect(text + JSON.stringify([...headers])).not.toContain(word)
      }
  }
  await look()
  expect((await run<Verdict>(apis[0] as never, { input: inputs[0] })).data.results[0]?.reference).toEqual({
    name: 'reported',
  })
  expect((await run<Verdict>(apis[1] as never, { input: inputs[0] })).data.results[0]?.reference).toEqual({})
  // invalid bound layers: a bow-tie, points among polygons, no features
  for (const features of [
    [
      feature(
        {
          type: 'Polygon',
          coordinates: [
            [
              [10, 20],
              [11, 21],
              [11, 20],
              [10, 21],
              [10, 20],
            ],
          ],
        },
        secret,
      ),
    ],
    [feature(point(10.5, 20.5), secret)],
    [],
  ]) {
    await instance.manage('PUT', `/owners/${owner}/layers/${bound.id}/features`, collection(...features))
    await look()
  }
  const description = await fetch(`${instance.url()}/tool-apis/${apis[0]?.id}`, {
    headers: { authorization: `Bearer ${apis[0]?.key}` },
  })
  const text = await description.text()
  for (const word of hidden) expect(text).not.toContain(word)
  expect(JSON.parse(text)).toMatchObject({
    id: apis[0]?.id,
    svc: { toolKey: 'vector.inside-check', maxFeatures: 10_000 },
  })
  expect((await fetch(`${instance.url()}/tool-apis/${apis[0]?.id}`)).status).toBe(401)
})
