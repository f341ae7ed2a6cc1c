/** Two people who change one zone rule, and rules that are sent twice. */
import { beforeAll, expect, test } from 'bun:test'
import { sharedInstance } from './support/shared-instance.ts'
import { collectionOf, type Rule } from './support/zones.ts'

let layerId = ''
const instance = await sharedInstance()
const organization = await instance.organization('scale')
beforeAll(async () => {
  const geojson = collectionOf([{ id: 'A', west: 0, south: 0, east: 10, north: 10 }])
  const path = `/owners/${organization.id}/layers`
  layerId = (await instance.manage<{ id: string }>('POST', path, { name: 'Zones', geojson })).id
}, 120_000)

test('of two who change one rule the second is refused, and a rule that is sent twice exists once', async () => {
  const send = async (method: string, path: string, body: object | undefined, headers: Record<string, string>) => {
    const { publicKey, secretKey } = organization
    const response = await fetch(`${instance.url()}/enterprise/v1/assets/rules${path}`, {
      method,
      headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { ...((await response.json()) as { statusCode: number; data: Rule & { name: string } }), response }
  }
  const input = { name: 'Once', when: 'enter', layerId, sensorIds: 'all' }
  const key = { 'idempotency-key': 'one rule' }
  const [made, again] = [await send('POST', '', input, key), await send('POST', '', input, key)]
  expect(again.data).toEqual(made.data)
  expect(again.response.headers.get('idempotency-replayed')).toBe('true')
  expect((await send('POST', '', { ...input, name: 'Other' }, key)).statusCode).toBe(422)

  const path = `/${made.data.id}`
  const seen = { 'if-match': made.response.headers.get('etag') as string }
  expect((await send('GET', path, undefined, {})).response.headers.get('etag')).toBe(seen['if-match'])
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => send('PATCH', path, { name: `Name ${i}` }, seen)),
  )
  const changed = answers.filter(({ statusCode }) => statusCode === 200)
  expect([changed.length, answers.filter(({ statusCode }) => statusCode === 412).length]).toEqual([1, 7])
  const refused = answers.find(({ statusCode }) => statusCode === 412)
  expect(refused?.data.name).toBe(changed[0]?.data.name as string)
  expect((await send('DELETE', path, undefined, seen)).statusCode).toBe(412)
  const now = { 'if-match': changed[0]?.response.headers.get('etag') as string }
  expect((await send('DELETE', path, undefined, now)).statusCode).toBe(200)
})
