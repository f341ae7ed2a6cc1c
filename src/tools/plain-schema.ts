/** A tool's schemas as plain JSON Schema in one language, for descriptions of processes and Tool APIs. */
import type { TSchema } from '@sinclair/typebox'
import type { Text } from './tool.ts'

export type Language = 'en' | 'ar'

export const textOf = (schema: TSchema, language: Language): string =>
  language === 'ar' && typeof schema['x-ar'] === 'string' ? schema['x-ar'] : String(schema.description ?? '')

/** Titles of a field's values in forms. */
export const enumTitles = (titles: Record<string, Text>, language: Language): Record<string, string> =>
  Object.fromEntries(Object.entries(titles).map(([value, title]) => [value, title[language]]))

/** Keywords internal to this server. */
const OMITTED = new Set(['x-ar', 'x-fileKind', 'x-secondFields', 'x-svc-bounds'])

export type PlainOptions = {
  /** Without descriptions and extensions. */
  bare?: boolean
  /** The fields of the second input that objects with `x-secondFields` contain; any fields when undefined. */
  secondFields?: readonly string[] | undefined
}

/** A schema without internal keywords. */
export function plainSchema(schema: TSchema, language: Language, options: PlainOptions = {}): Record<string, unknown> {
  const { bare = false, secondFields } = options
  const inner = (value: TSchema) => plainSchema(value, language, { secondFields })
  const plain: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (OMITTED.has(key) || (bare && (key === 'description' || key.startsWith('x-svc-')))) continue
    if (key === 'description') plain.description = textOf(schema, language)
    else if (key === 'properties')
      plain.properties = Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([name, property]) => [name, inner(property)]),
      )
    else if (key === 'x-svc-enumTitles') plain[key] = enumTitles(value as Record<string, Text>, language)
    else if (key === 'items') plain.items = inner(value as TSchema)
    else plain[key] = value
  }
  if (schema['x-secondFields'] === true && secondFields !== undefined) {
    // values may be of any type
    plain.properties = Object.fromEntries(secondFields.map((name) => [name, {}]))
    plain.additionalProperties = false
  }
  return plain
}
