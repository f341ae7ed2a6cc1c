/** Map layers from files that are stored already: results of tools, uploads and files of the owner. */
import { expect, test } from 'bun:test'
import { fileForm, ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Layer, toolApisOf } from '../../support/server/tool-apis.ts'

const { call } = toolApisOf(() => instance)

const instance = await sharedInstance()
const owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })).id
const keys = await instance.manage<{ publicKey: string; secretKey: string }>(
  'POST',
  `/enterprises/${owner}/applications`,
  { name: 'App', tools: 'all' },
)
const pair = `Bearer ${keys.publicKey}:${keys.secretKey}`

const KML = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>
  <Placemark><name>Gate</name><Point><coordinates>13.4,52.5</coordinates></Point></Placemark>
  <Placemark><name>بوابة</name><Point><coordinates>46.7,24.7</coordinates></Point></Placemark>
</Document></kml>`

async function convert(): Promise<string> {
  const body = fileForm('gates.kml', KML)
  body.set('target_format', 'geojson')
  const answer = await fetch(`${instance.url()}/enterprise/v1/gis/validate-convert`, {
    method: 'POST',
    body,
    headers: { authorization: pair },
  })
  return ((await answer.json()) as { data: { key: string } }).data.key
}
const fromFile = (of: string, body: object) => call<Layer>('POST', `/owners/${of}/layers/from-file`, body)

test('a result of a tool becomes a layer without being downloaded, and the result stays', async () => {
  const key = await convert()
  const made = await fromFile(owner, { name: 'Gates', file: key })
  expect(made).toMatchObject({ status: 200, data: { name: 'Gates', version: 1, featureCount: 2, dimensions: [0] } })
  const { items } = await instance.manage<{
    items: { properties: { name: string }; geometry: { coordinates: number[] } }[]
  }>('GET', `/owners/${owner}/layers/${made.data.id}/features?limit=10`)
  expect(items.map(({ properties, geometry }) => [properties.name, geometry.coordinates.slice(0, 2)])).toEqual([
    ['Gate', [13.4, 52.5]],
    ['بوابة', [46.7, 24.7]],
  ])
  const file = await fetch(`${instance.url()}/enterprise/v1/gis/files/${key}`, { headers: { authorization: pair } })
  expect(((await file.json()) as typeof SQUARE).features).toHaveLength(2)
})

test('a file of the owner becomes a layer', async () => {
  const { id } = await ownedThings(instance).file(owner)
  expect(await fromFile(owner, { name: 'Square', file: id })).toMatchObject({ status: 200, data: { featureCount: 1 } })
})

test('an error names the unreadable file, and files of other owners do not exist', async () => {
  const key = await convert()
  const other = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Other', tier: 'scale' })).id
  const unknown = `fil_${'0'.repeat(32)}`
  for (const [of, file] of [
    [other, key],
    [owner, unknown],
  ] as const) {
    const refused = await fromFile(of, { name: 'Gates', file })
    expect(refused).toMatchObject({ status: 422, errors: [{ field: 'body.file', rule: 'exists' }] })
  }
  const body = fileForm('table.csv', 'a,b\n1,2\n')
  const upload = await fetch(`${instance.url()}/manage/v1/owners/${owner}/files`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
  })
  const { data } = (await upload.json()) as { data: { id: string } }
  const refused = await fromFile(owner, { name: 'Table', file: data.id })
  expect(refused.status).toBe(422)
  expect(refused.errors?.[0]).toMatchObject({ field: 'body.file' })
  for (const [body, field] of [
    [{ file: key }, 'body.name'],
    [{ name: 'Gates', file: '../etc/passwd' }, 'body.file'],
    [{ name: 'Gates', file: key, geojson: SQUARE }, 'body.geojson'],
  ] as const)
    expect(await fromFile(owner, body)).toMatchObject({ status: 422, errors: [{ field }] })
})

test('a stored file becomes the next version of a layer, and the version before stays', async () => {
  const { id } = await ownedThings(instance).file(owner)
  const { data: layer } = await fromFile(owner, { name: 'Square', file: id })
  const path = `/owners/${owner}/layers/${layer.id}`
  const next = await call<Layer>('POST', `${path}/versions/from-file`, { file: await convert() })
  expect(next).toMatchObject({ status: 200, data: { id: layer.id, name: 'Square', version: 2, featureCount: 2 } })
  const { items } = await instance.manage<{ items: { version: number; featureCount: number }[] }>(
    'GET',
    `${path}/versions`,
  )
  expect(items.map(({ version }) => version)).toEqual([2, 1])
  const body = fileForm('table.csv', 'a,b\n1,2\n')
  const table = await fetch(`${instance.url()}/manage/v1/owners/${owner}/files`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
  })
  const { data } = (await table.json()) as { data: { id: string } }
  for (const file of [data.id, `fil_${'0'.repeat(32)}`])
    expect(await call('POST', `${path}/versions/from-file`, { file })).toMatchObject({
      status: 422,
      errors: [{ field: 'body.file' }],
    })
  expect(await instance.manage('GET', path)).toMatchObject({ version: 2 })
})
