/** Checks that each tool's description is true, complete and in both languages, and that its examples run. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { isFilesField, takesForm } from '../../src/tools/check.ts'
import { titleOf } from '../../src/tools/params.ts'
import { loadRegistry, modulePathOf, TOOLS_DIR } from '../../src/tools/registry.ts'
import type { Text, Tool } from '../../src/tools/tool.ts'
import { killRandom } from '../support/random.ts'
import { someOf } from '../support/rounds.ts'
import { type Schema, schemaFaults } from '../support/schema-faults.ts'
import type { Envelope } from '../support/server/instance.ts'
import { sharedInstance } from '../support/server/shared-instance.ts'
import { callTool, fieldsOf, GIS } from '../support/workers/tools.ts'

const { tools } = await loadRegistry()
const ARABIC = /[\u0600-\u06ff]/
const ROOT = join(import.meta.dir, '../..')

/** A schema with all schemas inside it. */
function schemasIn(schema: TSchema): TSchema[] {
  const inner = [...Object.values(schema.properties ?? {}), ...[schema.items ?? []].flat()] as TSchema[]
  return [schema, ...inner.flatMap(schemasIn)]
}

describe.each(tools.map((tool) => [tool.id, tool] as const))('%s', (id, tool) => {
  test('is in the file that its id names and has a test', () => {
    expect(existsSync(modulePathOf(id))).toBe(true)
    expect(id.split('.')[0]).toMatch(/^(convert|vector|measure|raster|image|document|export)$/)
    const place = relative(TOOLS_DIR, modulePathOf(id)).replace(/\.ts$/, '.test.ts')
    expect(existsSync(join(ROOT, 'test/unit/tools', place))).toBe(true)
  })

  test('has titles and descriptions in both languages, including every field', () => {
    for (const { en, ar } of [tool.title, tool.description]) {
      expect(en).toMatch(/[a-z]/)
      expect(ar).toMatch(ARABIC)
    }
    expect(tool.keywords.length).toBeGreaterThan(0)
    expect(tool.version).toMatch(/^\d+\.\d+\.\d+$/)
    const described = [...Object.entries(tool.input.properties), ...Object.entries(tool.output.properties)]
    for (const [name, schema] of described)
      expect({ name, en: schema.description, ar: ARABIC.test(String(schema['x-ar'])) }).toEqual({
        name,
        en: expect.stringMatching(/\S/),
        ar: true,
      })
    for (const [name, schema] of Object.entries(tool.input.properties))
      expect({ name, title: titleOf(schema) }).toEqual({
        name,
        title: { en: expect.stringMatching(/[a-z]/), ar: expect.stringMatching(ARABIC) },
      })
  })

  test('has a title in both languages for every value of a choice', () => {
    for (const schema of schemasIn(tool.input)) {
      if (schema.enum === undefined) continue
      const titles = schema['x-svc-enumTitles'] as Record<string, Text>
      expect(Object.keys(titles).sort()).toEqual([...(schema.enum as string[])].sort())
      for (const { en, ar } of Object.values(titles))
        expect([en, ar]).toEqual(Array(2).fill(expect.stringMatching(/\S/)))
    }
  })

  test('has nothing left to fill in from its template', () => {
    const path = modulePathOf(id)
    const testPath = join(ROOT, 'test/unit/tools', relative(TOOLS_DIR, path).replace(/\.ts$/, '.test.ts'))
    for (const file of [path, testPath]) expect(readFileSync(file, 'utf8')).not.toContain('FILL IN')
  })

  test('has defaults within its bounds, and valid references', () => {
    for (const [name, schema] of Object.entries(tool.input.properties) as [string, TSchema][]) {
      const { default: fallback, minimum = -Infinity, maximum = Infinity, enum: values } = schema
      if (typeof fallback === 'number') expect(fallback).toBeWithin(minimum, maximum + Number.EPSILON)
      if (values !== undefined && fallback !== undefined) expect(values).toContain(fallback)
      if (isFilesField(schema)) expect(schema.minItems).toBeLessThanOrEqual(schema.maxItems)
      const others = [schema['x-svc-columnOf'], schema['x-svc-unitInput'], schema['x-svc-usedWhen']?.field]
      for (const other of others.filter((field) => field !== undefined)) {
        expect(tool.input.properties).toHaveProperty(other)
        expect(other).not.toBe(name)
      }
    }
  })

  test('has routes and aliases that no other tool has', () => {
    const others = tools.filter((other) => other !== tool).flatMap(({ route, aliases }) => [route, ...aliases])
    for (const route of [tool.route, ...tool.aliases]) expect(others).not.toContain(route)
    expect(tool.examples.length).toBeGreaterThan(0)
  })
})

const instance = await sharedInstance()
const organization = await instance.organization()

const get = async (path: string): Promise<Response> =>
  fetch(`${instance.url()}/enterprise/v1/gis${path}`, {
    headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
  })

type Post = { responses: Record<number, { content: Record<string, { schema: Schema }> }> }
const document = (await (await get('/openapi.json')).json()) as {
  paths: Record<string, { post?: Post }>
  components: { schemas: Record<string, Schema> }
}

test.each(tools.flatMap((tool) => tool.examples.map((example) => [tool.id, example.name, tool, example] as const)))(
  '%s: the example "%s" runs',
  async (_id, _name, tool, example) => {
    const response = await callTool(instance, organization, tool.route, example.input, takesForm(tool))
    const envelope = (await response.json()) as Envelope
    const { code, message, data } = envelope
    expect({ code, message }).toEqual({ code: 'SUCCESS', message: 'Done.' })
    const expected = Object.keys(tool.output.properties)
    expect(Object.keys(data)).toEqual(expect.arrayContaining([...expected, 'usage']))
    const answer = document.paths[GIS + tool.route]?.post?.responses[envelope.statusCode]
    const schema = answer?.content['application/json']?.schema as Schema
    expect(schemaFaults(document.components.schemas, envelope, schema, tool.route)).toEqual([])
    if (tool.outputKind !== 'json') {
      const file = await get(`/files/${data.key}`)
      expect(file.status).toBe(200)
      expect((await file.arrayBuffer()).byteLength).toBe((data.usage as { outputBytes: number }).outputBytes)
    }
  },
  120_000,
)

test('routes, operations and processes list the same tools', async () => {
  const { processes } = (await (await get('/processes')).json()) as { processes: { id: string }[] }
  const others = ['uploads', 'recipes'].map((name) => `/enterprise/v1/gis/${name}`)
  const posts = Object.entries(document.paths).filter(
    ([path, { post }]) => post !== undefined && !others.includes(path),
  )
  expect(processes.map(({ id }) => id)).toEqual(tools.map(({ id }) => id))
  expect(posts.map(([path]) => path).sort()).toEqual(tools.map(({ route }) => `/enterprise/v1/gis${route}`).sort())
})

test('aliases give the same answers as their routes', async () => {
  const renamed = tools.filter(({ aliases }) => aliases.length > 0)
  const ofNothing = async (route: string, tool: Tool): Promise<unknown> =>
    ((await (await callTool(instance, organization, route, {}, takesForm(tool))).json()) as Envelope).errors
  for (const tool of renamed)
    for (const alias of tool.aliases) expect(await ofNothing(alias, tool)).toEqual(await ofNothing(tool.route, tool))
  for (const tool of someOf(renamed, 5, killRandom('registry')('aliases')))
    for (const alias of tool.aliases) {
      const example = tool.examples[0] as Tool['examples'][number]
      const response = await callTool(instance, organization, alias, example.input, takesForm(tool))
      expect(response.status).toBe(200)
    }
})

test('a field that is missing, unknown or wrong is named by every tool', async () => {
  for (const tool of tools) {
    const form = takesForm(tool)
    const missing = (await (await callTool(instance, organization, tool.route, {}, form)).json()) as Envelope
    const required = fieldsOf(tool).filter(({ required }) => required)
    expect(missing.code).toBe('VALIDATION_FAILED')
    expect(missing.errors?.map(({ field }) => field)).toEqual(expect.arrayContaining(required.map(({ name }) => name)))
    const unknown = (await (
      await callTool(instance, organization, tool.route, { surprise: '1' }, form)
    ).json()) as Envelope
    expect({ code: unknown.code, field: unknown.errors?.[0]?.field }).toEqual({
      code: 'VALIDATION_FAILED',
      field: 'surprise',
    })
  }
})
