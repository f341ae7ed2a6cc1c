/** The API's own descriptions as one list of operations, and their schemas as fields that can be read. */
import { plain } from '../../text/plain.ts'

export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  example?: unknown
  examples?: unknown[]
  description?: string
  format?: string
  required?: string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  minItems?: number
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  contentEncoding?: string
  contentMediaType?: string
}
export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema }
type Content = Record<string, { schema?: Schema; example?: unknown }>
type RawOperation = {
  tags?: string[]
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content?: Content }
  responses?: Record<string, { description?: string; content?: Content }>
  security?: Record<string, string[]>[]
}
export type OpenApi = {
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, RawOperation>>
  components?: { schemas?: Record<string, Schema> }
}

/** The API describes itself in English, and its tools in both languages. */
export type Arabic = {
  title: string
  description?: string
  /** Of a tool, whose process description has the Arabic descriptions of its fields. */
  processId?: string
}

export type Operation = RawOperation & {
  /** Stands in the address: `POST /sensors/{id}/readings`. */
  id: string
  method: string
  path: string
  tag: string
  /** In Arabic, on a page in Arabic. */
  arabic?: Arabic | undefined
  /** Arabic descriptions of parameters, fields and answers by the English ones, on a page in Arabic. */
  arabicTexts?: ReadonlyMap<string, string> | undefined
  /** The document that its references point into. */
  document: OpenApi
}

/** Paths that differ in the names of their parameters only are the same. */
const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/\{\w+\}/g, '{}')}`

/**
 * @param documents the later one describes its operations in more detail than the first
 * @returns the operations in the order of the first document
 */
export function operationsOf(documents: readonly OpenApi[]): Operation[] {
  const found = new Map<string, Operation>()
  for (const document of documents)
    for (const [path, methods] of Object.entries(document.paths))
      for (const [name, raw] of Object.entries(methods)) {
        const method = name.toUpperCase()
        const shape = shapeOf(method, path)
        const shown = found.get(shape)?.path ?? path
        const tag = raw.tags?.[0] ?? ''
        found.set(shape, { ...raw, id: `${method} ${shown}`, method, path: shown, tag, document })
      }
  return [...found.values()]
}

export type Words = { text: string; lang?: 'en'; dir?: 'ltr' }

/** In the language of the page where there is such a text. */
export const wordsOf = (english: string, arabic: string | undefined): Words =>
  arabic === undefined ? { text: english, lang: 'en', dir: 'ltr' } : { text: arabic }

export const titleOf = ({ arabic, summary, path }: Operation): Words => wordsOf(summary ?? path, arabic?.title)

/** Every word must be found somewhere. */
export function matches(operation: Operation, query: string): boolean {
  const text = plain(
    `${operation.id} ${operation.summary ?? ''} ${operation.description ?? ''} ${operation.tag} ${operation.arabic?.title ?? ''} ${operation.arabic?.description ?? ''}`,
  )
  return plain(query)
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A schema without references, with the members of all of its parts. */
export function resolved(schema: Schema | undefined, document: OpenApi): Schema {
  if (schema === undefined) return {}
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return resolved(document.components?.schemas?.[name], document)
  }
  if (schema.allOf === undefined) return schema
  const parts = schema.allOf.map((part) => resolved(part, document))
  const { allOf: _, ...own } = schema
  return {
    ...Object.assign({}, ...parts),
    ...own,
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), own.properties),
    required: [...new Set([...parts.flatMap(({ required = [] }) => required), ...(own.required ?? [])])],
  }
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
  const type = Array.isArray(own.type) ? own.type.join(' | ') : own.type
  return own.format === undefined ? (type ?? 'any') : `${type} (${own.format})`
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

/** The fields of a schema below each other, those of objects and lists indented. */
export function fieldsOf(schema: Schema | undefined, document: OpenApi, above: readonly string[] = []): Field[] {
  const own = resolved(schema, document)
  if (own.type === 'array') return fieldsOf(own.items, document, above)
  const choice = (own.anyOf ?? own.oneOf)?.map((one) => resolved(one, document)).find(({ properties }) => properties)
  const { properties, required = [] } = own.properties === undefined ? (choice ?? {}) : own
  return Object.entries(properties ?? {}).flatMap(([name, value]) => {
    const field = resolved(value, document)
    const description = value.description ?? field.description ?? ''
    const names = [...above, name]
    const isRequired = required.includes(name)
    const shown = { name, path: names.join('.'), type: typeOf(value, document), isRequired, description }
    return [{ ...shown, depth: above.length }, ...(names.length < DEEPEST ? fieldsOf(field, document, names) : [])]
  })
}

export function parametersOf({ parameters = [], document }: Operation): Field[] {
  return parameters.map(({ name, required, description = '', schema = {}, in: place }) => {
    const shown = place === 'header' ? `${name}:` : place === 'query' ? `?${name}` : `{${name}}`
    return {
      ...{ name: shown, path: shown, depth: 0 },
      type: typeOf(schema, document),
      isRequired: required === true,
      description: description || (schema.description ?? ''),
    }
  })
}

export type Body = { kind: 'json' | 'form'; schema: Schema; isRequired: boolean }

export function bodyOf({ requestBody }: Operation): Body | undefined {
  const content = requestBody?.content ?? {}
  const kind = content['application/json'] ? 'json' : content['multipart/form-data'] ? 'form' : undefined
  if (kind === undefined) return undefined
  const schema = content[kind === 'json' ? 'application/json' : 'multipart/form-data']?.schema ?? {}
  return { kind, schema, isRequired: requestBody?.required === true }
}

/** `data` of the answer to a call that succeeds. */
export function resultOf({ responses = {}, document }: Operation): Schema | undefined {
  const content = responses['200']?.content?.['application/json']
  return content === undefined ? undefined : resolved(content.schema, document).properties?.data
}
