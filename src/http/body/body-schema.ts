/**
 * Bodies are validated here and not by Elysia: its error message includes the value, which is slow for a large value
 * and fails for a value such as `{"toString":1}`.
 */
import { Kind, type Static, type TSchema, type TUnsafe, TypeRegistry } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { isStorableText } from '../../json-text.ts'
import { schemaFailure } from './schema-failure.ts'

let count = 0

/** Keeps the schema for types and documents, and replaces its check by one that throws AppError VALIDATION_FAILED. */
export function bodySchema<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  let check: TypeCheck<T> | undefined
  const kind = `Body${++count}`
  TypeRegistry.Set(kind, (_, value) => {
    check ??= TypeCompiler.Compile(schema)
    if (!check.Check(value)) throw schemaFailure('body', check.Errors(value))
    const field = unstorableIn(schema, value, 'body')
    if (field !== undefined) throw invalidField(field, 'text', fieldText('storableText'))
    return true
  })
  return { ...schema, [Kind]: kind } as unknown as TUnsafe<Static<T>>
}

/**
 * The first text that the schema describes and that no store can keep. A driver would replace an unpaired surrogate, so
 * that two different names become one.
 */
function unstorableIn(schema: TSchema, value: unknown, field: string): string | undefined {
  for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])] as TSchema[]) {
    const found = unstorableIn(part, value, field)
    if (found !== undefined) return found
  }
  if (typeof value === 'string') return schema.type === 'string' && !isStorableText(value) ? field : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const { items, properties } = schema as { items?: TSchema; properties?: Record<string, TSchema> }
  for (const [name, member] of Object.entries(value)) {
    const within = Array.isArray(value) ? items : properties?.[name]
    const found = within && unstorableIn(within, member, `${field}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
