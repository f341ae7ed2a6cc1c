/** The API's own description as a list of operations, and its schemas as fields that can be read. */
import { CODES } from '../../../../errors.ts'
import { plain } from '../../../text/plain.ts'
import type { ProcessDescription, ProcessSummary, Schema as ToolSchema } from '../process-form/process.ts'

/** Keywords in addition to the keywords that tools use. */
export type Schema = Omit<ToolSchema, 'type' | 'enum' | 'properties' | 'items' | 'anyOf'> & {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  contentSchema?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
}
type Content = Record<string, { schema?: Schema }>
type RawOperation = {
  tags?: string[]
  summary?: string
  description?: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { content?: Content }
  responses?: Record<string, { description?: string; content?: Content }>
  security?: Record<string, string[]>[]
}
export type OpenApi = {
  paths: Record<string, Record<string, RawOperation>>
  components?: { schemas?: Record<string, Schema> }
}
export type Operation = RawOperation & {
  /** The key in the address: `POST /sensors/{id}/readings`. */
  id: string
  method: string
  path: string
  tag: string
  /** The document that its references point into. */
  document: OpenApi
  /** The description of a tool, on a page in Arabic. The rest of the API is described in English only. */
  arabic?: ProcessSummary | undefined
}

/** @param gis describes the operations of its tag in more detail than the document of everything */
export const operationsOf = (all: OpenApi, gis: OpenApi): Operation[] =>
  [all, gis].flatMap((document) =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([name, raw]): Operation[] => {
        const [method, tag] = [name.toUpperCase(), raw.tags?.[0] ?? '']
        if ((tag === 'GIS') !== (document === gis)) return []
        return [{ ...raw, id: `${method} ${path}`, method, path, tag, document }]
      }),
    ),
  )

/** The id by which the tool behind an operation describes itself. */
export const processIdOf = ({ description = '' }: RawOperation): string | undefined =>
  /Process id: `([\w.-]+)`/.exec(description)?.[1]

/** In the language of the page where there is a translation. */
export const wordsOf = (english: string, arabic?: string): { text: string; lang?: 'en'; dir?: 'ltr' } =>
  arabic === undefined ? { text: english, lang: 'en', dir: 'ltr' } : { text: arabic }

/** Every word must match somewhere. */
export function matches({ id, summary, description, tag, arabic }: Operation, query: string): boolean {
  const text = plain([id, summary, description, tag, arabic?.title, arabic?.description].join(' '))
  return plain(query)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A schema without references, with the members of all of its parts. */
export function resolved({ $ref, allOf, ...own }: Schema, document: OpenApi): Schema {
  if ($ref !== undefined) return resolved(document.components?.schemas?.[$ref.split('/').at(-1) ?? ''] ?? {}, document)
  if (allOf === undefined) return own
  const parts = [...allOf.map((part) => resolved(part, document)), own]
  const properties = Object.assign({}, ...parts.map((part) => part.properties))
  return Object.assign({}, ...parts, { properties, required: parts.flatMap(({ required = [] }) => required) })
}

/** The kinds of a value, in words of JSON. */
export function typeOf(schema: Schema, document: OpenApi): string {
  const own = resolved(schema, document)
  if (own.const !== undefined) return JSON.stringify(own.const)
  if (own.enum !== undefined) return own.enum.map((one) => JSON.stringify(one)).join(' | ')
  const choices = own.anyOf ?? own.oneOf
  if (choices !== undefined) return [...new Set(choices.map((one) => typeOf(one, document)))].join(' | ')
  if (own.contentEncoding === 'binary' || own.format === 'binary') return 'file'
  if (own.type === 'array') return `${typeOf(own.items ?? {}, document)}[]`
  const type = Array.isArray(own.type) ? own.type.join(' | ') : (own.type ?? 'any')
  return own.format === undefined ? type : `${type} (${own.format})`
}

export type Field = {
  name: string
  /** The names from the outermost field to this one, such as `results.at`. */
  path: string
  type: string
  isRequired: boolean
  description: string
  depth: number
}

const DEEPEST = 3

/** The fields of a schema below each other, fields of objects and lists indented. */
export function fieldsOf(schema: Schema, document: OpenApi, above: readonly string[] = []): Field[] {
  const own = resolved(schema, document)
  if (own.items !== undefined) return fieldsOf(own.items, document, above)
  const choices = own.anyOf ?? own.oneOf ?? []
  const { properties = {}, required = [] } =
    [own, ...choices.map((one) => resolved(one, document))].find((one) => one.properties !== undefined) ?? {}
  return Object.entries(properties).flatMap(([name, value]) => {
    const names = [...above, name]
    const field: Field = {
      name,
      path: names.join('.'),
      type: typeOf(value, document),
      depth: above.length,
      isRequired: required.includes(name),
      description: value.description ?? resolved(value, document).description ?? '',
    }
    return [field, ...(names.length < DEEPEST ? fieldsOf(value, document, names) : [])]
  })
}

export const parametersOf = ({ parameters = [], document }: Operation): Field[] =>
  parameters.map(({ name, required = false, description, schema = {}, in: place }) => {
    const shown = place === 'header' ? `${name}:` : place === 'query' ? `?${name}` : `{${name}}`
    return {
      name: shown,
      path: shown,
      type: typeOf(schema, document),
      isRequired: required,
      depth: 0,
      description: description ?? schema.description ?? '',
    }
  })

/** The body in the media type that the example uses. */
export function bodyOf({ requestBody }: RawOperation): { type: string; schema: Schema } | undefined {
  const content = Object.entries(requestBody?.content ?? {}).find(([name]) => /json$|form-data$/.test(name))
  return content && { type: content[0], schema: content[1].schema ?? {} }
}

/** `data` of the answer to a call that succeeds. */
export const resultOf = ({ responses = {}, document }: Operation): Schema =>
  resolved(responses['200']?.content?.['application/json']?.schema ?? {}, document).properties?.data ?? {}

/** Arabic descriptions of answers by the English ones: failures have both. */
export const FAILURES: ReadonlyMap<string, string> = new Map(Object.values(CODES).map(({ en, ar }) => [en, ar]))

/** @returns a tool's descriptions of fields in the language of its process, by the English ones */
export function toolFields(operation: Operation, { inputs, outputs }: ProcessDescription): Map<string, string> {
  const { document } = operation
  const body = Object.entries(inputs).map(([name, { schema, description }]) => [name, { ...schema, description }])
  const pairs: [english: Schema, translated: Schema][] = [
    [bodyOf(operation)?.schema ?? {}, { properties: Object.fromEntries(body) }],
    [resultOf(operation), outputs.result.schema],
  ]
  return new Map(
    pairs.flatMap(([english, translated]) => {
      const byPath = new Map(fieldsOf(translated, document).map(({ path, description }) => [path, description]))
      return fieldsOf(english, document).flatMap(({ path, description }) => {
        const own = byPath.get(path)
        return own ? [[description, own] as const] : []
      })
    }),
  )
}
