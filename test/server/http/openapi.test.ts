/** The OpenAPI documents: valid, complete, and true to the actual answers. */
import { expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Schema, schemaFaults } from '../../support/schema-faults.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { callTool, GIS } from '../../support/workers/tools.ts'

type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId?: string
        requestBody?: { content: Record<string, { schema?: Schema }> }
        responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
      }
    >
  >
  components: { schemas: Record<string, Schema>; securitySchemes: object }
}

const instance = await sharedInstance()
const organization = await instance.organization()

const load = async (path: string): Promise<Document> => (await (await fetch(instance.url() + path)).json()) as Document

test.each([`${GIS}/openapi.json`, '/openapi.json'])('%s is valid OpenAPI with resolvable references', async (path) => {
  const document = await load(path)
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name as string,
  )
  expect(references.length).toBeGreaterThan(10)
  for (const name of new Set(references)) expect(document.components.schemas).toHaveProperty(name)
  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test('every operation describes its body and its response', async () => {
  const { paths } = await load('/openapi.json')
  const hasSchema = (content: Record<string, { schema?: Schema }> = {}): boolean =>
    Object.entries(content).some(
      ([type, { schema }]) => type !== 'application/json' || Object.keys(schema ?? {}).length > 0,
    )
  const incomplete: string[] = []
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { requestBody, responses = {} }] of Object.entries(operations)) {
      if (requestBody !== undefined && !hasSchema(requestBody.content)) incomplete.push(`${method} ${path}: body`)
      // a mark has no content
      const isMark = path.endsWith('/favourite')
      if (requestBody === undefined && ['put', 'patch'].includes(method) && !isMark)
        incomplete.push(`${method} ${path}: body`)
      const success = Object.entries(responses).filter(([status]) => status.startsWith('2'))
      // a redirecting page has no body, nor do answers of the upload protocol
      if (method === 'head' || Object.hasOwn(responses, '302') || Object.hasOwn(responses, '204')) continue
      if (!success.some(([, { content }]) => hasSchema(content))) incomplete.push(`${method} ${path}: response`)
    }
  expect(incomplete).toEqual([])
})

test('operations describe their headers, also where the path has parameters', async () => {
  const { paths } = (await load('/openapi.json')) as unknown as {
    paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>
  }
  const described = (path: string, method: string) =>
    paths[path]?.[method]?.parameters?.map(({ name, in: at }) => `${at} ${name}`)
  expect(described('/tool-apis/{id}/run', 'post')).toEqual(['path id', 'header Idempotency-Key'])
  expect(described('/enterprise/v1/gis/uploads/{id}', 'head')).toEqual(['path id', 'header Tus-Resumable'])
})

const OPERATION_FIELDS = [
  'description',
  'operationId',
  'parameters',
  'requestBody',
  'responses',
  'security',
  'summary',
  'tags',
]

test.each([`${GIS}/openapi.json`, '/openapi.json'])('%s publishes no other declarations of routes', async (path) => {
  const { paths } = await load(path)
  const fields = Object.values(paths).flatMap((operations) => Object.values(operations).flatMap(Object.keys))
  expect([...new Set(fields)].toSorted()).toEqual(OPERATION_FIELDS)
})

test('answers match their schemas', async () => {
  const { paths, components } = await load(`${GIS}/openapi.json`)
  const faults = (value: unknown, schema: Schema, at: string): string[] =>
    schemaFaults(components.schemas, value, schema, at)
  const answer = async (route: string, input: Record<string, unknown>, form: boolean): Promise<string[]> => {
    const envelope = (await (await callTool(instance, organization, route, input, form)).json()) as Envelope
    const schema = paths[GIS + route]?.post?.responses[envelope.statusCode]?.content?.['application/json']?.schema
    return faults(envelope, schema as Schema, `${route} ${envelope.code}`)
  }
  // registry.test.ts checks the operations of all tools
  expect(await answer('/buffer', { file: 'stations.geojson', target_format: 'dwg' }, true)).toEqual([])
  const response = await callTool(
    instance,
    organization,
    '/buffer',
    { file: 'stations.geojson', target_format: 'fgb' },
    true,
    { prefer: 'respond-async' },
  )
  const accepted = (await response.json()) as Envelope
  expect(faults(accepted.data, components.schemas.Job as Schema, 'job')).toEqual([])
}, 120_000)

test('answers of management and analytics match their schemas', async () => {
  const { paths, components } = await load('/openapi.json')
  const { id, publicKey, secretKey, applicationId } = organization
  const call = async (method: string, name: string, path: string, body?: object): Promise<Record<string, string>> => {
    const headers: Record<string, string> = name.startsWith('/manage')
      ? { authorization: `Bearer ${instance.operatorToken()}` }
      : { 'x-api-key': publicKey, 'x-api-secret': secretKey }
    const response = await fetch(instance.url() + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const envelope = (await response.json()) as Envelope<Record<string, string>>
    const operation = paths[name]?.[method.toLowerCase()]
    const schema = operation?.responses[response.status]?.content?.['application/json']?.schema
    expect([method, name, response.status, schema === undefined]).toEqual([method, name, 200, false])
    expect(schemaFaults(components.schemas, envelope, schema as Schema, `${method} ${name}`)).toEqual([])
    return envelope.data
  }
  const M = '/manage/v1'
  const owner = `${M}/owners/{ownerId}`
  const own = `${M}/owners/${id}`
  await call('GET', `${M}/tiers`, `${M}/tiers`)
  await call('GET', `${M}/enterprises/{id}`, `${M}/enterprises/${id}`)
  await call('GET', `${M}/enterprises`, `${M}/enterprises`)
  await call('POST', `${M}/enterprises/{id}/members`, `${M}/enterprises/${id}/members`, {
    email: 'a@b.c',
    role: 'member',
  })
  await call('GET', `${M}/enterprises/{id}/members`, `${M}/enterprises/${id}/members`)
  await call('GET', `${M}/applications/{id}`, `${M}/applications/${applicationId}`)
  await call('POST', `${M}/applications/{id}/keys`, `${M}/applications/${applicationId}/keys`)
  await call('GET', `${M}/applications/{id}/keys`, `${M}/applications/${applicationId}/keys`)
  await call('POST', `${M}/people`, `${M}/people`, { email: 'd@e.f', plan: 'pro' })
  const channels = [{ name: 'level', measurement: 'number', unit: 'm' }]
  const sensors = `${M}/enterprises/{id}/sensors`
  const sensor = await call('POST', sensors, sensors.replace('{id}', id), { channels })
  await call('GET', sensors, sensors.replace('{id}', id))
  await call('POST', `${M}/sensors/{id}/keys`, `${M}/sensors/${sensor.id}/keys`)
  const fleetKeys = `${M}/enterprises/{id}/fleet-keys`
  const template = { channels: [{ name: 'level', measurement: 'number' }] }
  const fleetKey = await call('POST', fleetKeys, fleetKeys.replace('{id}', id), {
    name: 'Gateway',
    autoCreate: 'pending',
    template,
  })
  await call('GET', fleetKeys, fleetKeys.replace('{id}', id))
  await call('GET', `${M}/fleet-keys/{id}`, `${M}/fleet-keys/${fleetKey.id}`)
  await call('POST', `${M}/fleet-keys/{id}/keys`, `${M}/fleet-keys/${fleetKey.id}/keys`)
  await call('GET', `${M}/fleet-keys/{id}/refusals`, `${M}/fleet-keys/${fleetKey.id}/refusals`)
  const pending = `${M}/enterprises/{id}/pending-sensors`
  await call('GET', pending, pending.replace('{id}', id))
  for (const work of ['approve', 'dismiss'])
    await call('POST', `${pending}/${work}`, `${pending.replace('{id}', id)}/${work}`, { externalIds: ['none'] })
  await call('GET', `${M}/assets/{id}`, `${M}/assets/${sensor.assetId}`)
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ]
  const geojson = { type: 'Feature', properties: { a: 1 }, geometry: { type: 'Polygon', coordinates: [ring] } }
  const layer = await call('POST', `${owner}/layers`, `${own}/layers`, { name: 'Zones', geojson })
  await call('GET', `${owner}/layers/{id}/features`, `${own}/layers/${layer.id}/features`)
  const settings = { tool: 'vector.clip', name: 'Clip', binding: { kind: 'layer', id: layer.id } }
  const api = await call('POST', `${owner}/tool-apis`, `${own}/tool-apis`, settings)
  await call('GET', `${M}/tool-apis/{id}/usage`, `${M}/tool-apis/${api.id}/usage`)
  await call('GET', `${owner}/usage`, `${own}/usage`)
  await call('GET', `${M}/tool-api-tools`, `${M}/tool-api-tools`)
  await call('GET', `${M}/audit`, `${M}/audit`)
  const A = '/enterprise/v1/assets'
  const at = new Date(Date.now() - 60_000).toISOString()
  const reading = { at, values: { level: 1 }, location: [0.5, 0.2] }
  await instance.send({ id: sensor.id as string, key: sensor.key as string }, { readings: [reading] })
  await call('POST', `${A}/rules`, `${A}/rules`, { name: 'In', layerId: layer.id, when: 'inside', sensorIds: 'all' })
  await call('GET', `${A}/rules`, `${A}/rules`)
  await call('GET', `${A}/sensors`, `${A}/sensors`)
  for (const [name, path] of [
    ['/sensors/{id}/readings', `/sensors/${sensor.id}/readings?from=${at}`],
    ['/sensors/{id}/latest', `/sensors/${sensor.id}/latest`],
    ['/sensors/{id}/series', `/sensors/${sensor.id}/series?channel=level`],
    ['/latest', '/latest'],
    ['/tracks/{sensorId}', `/tracks/${sensor.id}`],
    ['/live', '/live'],
  ] as const)
    await call('GET', A + name, A + path)
  await call('GET', '/health/ready', '/health/ready')
}, 120_000)
