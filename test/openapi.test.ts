/** The OpenAPI documents: valid, complete, and true to the actual answers. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createInstance, type Envelope, type Instance, type Organization } from './support/instance.ts'
import { callTool, GIS } from './support/tools.ts'

let instance: Instance
let organization: Organization
type Schema = Record<string, unknown>
type Document = {
  paths: Record<
    string,
    Record<
      string,
      { operationId?: string; responses: Record<string, { content?: Record<string, { schema?: Schema }> }> }
    >
  >
  components: { schemas: Record<string, Schema>; securitySchemes: object }
}

beforeAll(async () => {
  instance = await createInstance()
  organization = await instance.organization()
}, 60_000)
afterAll(() => instance.remove())

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

test('answers match their schemas', async () => {
  const { paths, components } = await load(`${GIS}/openapi.json`)
  /** Violations of a schema; supports the part of JSON Schema that the documents use. */
  function faults(value: unknown, schema: Schema, at: string): string[] {
    if (typeof schema.$ref === 'string')
      return faults(value, components.schemas[schema.$ref.split('/').at(-1) as string] as Schema, at)
    if (Array.isArray(schema.allOf)) return schema.allOf.flatMap((part: Schema) => faults(value, part, at))
    if (Array.isArray(schema.anyOf)) {
      const all = schema.anyOf.map((part: Schema) => faults(value, part, at))
      return all.some((found) => found.length === 0) ? [] : (all[0] ?? [])
    }
    if ('const' in schema && value !== schema.const) return [`${at}: is not ${schema.const}`]
    const type =
      value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
    const types = [schema.type].flat().filter((name) => name !== undefined)
    const fits = types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'))
    if (!fits) return [`${at}: ${type} where ${types} should be`]
    if (type === 'array')
      return (value as unknown[]).flatMap((item, i) => faults(item, (schema.items ?? {}) as Schema, `${at}.${i}`))
    if (type !== 'object') return []
    const record = value as Record<string, unknown>
    const missing = ((schema.required ?? []) as string[])
      .filter((name) => !(name in record))
      .map((name) => `${at}.${name}: is missing`)
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    return [
      ...missing,
      ...properties.flatMap(([name, inner]) => (name in record ? faults(record[name], inner, `${at}.${name}`) : [])),
    ]
  }
  const answer = async (route: string, input: Record<string, unknown>, form: boolean): Promise<string[]> => {
    const envelope = (await (await callTool(instance, organization, route, input, form)).json()) as Envelope
    const schema = paths[GIS + route]?.post?.responses[envelope.statusCode]?.content?.['application/json']?.schema
    return faults(envelope, schema as Schema, `${route} ${envelope.code}`)
  }
  const { loadRegistry } = await import('../src/tools/registry.ts')
  const { takesForm } = await import('../src/tools/check.ts')
  for (const tool of (await loadRegistry()).tools)
    for (const { input } of tool.examples) expect(await answer(tool.route, input, takesForm(tool))).toEqual([])
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
}, 30_000)
