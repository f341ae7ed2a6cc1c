/**
 * Bodies are validated here and not by Elysia: its error message includes the value, which is slow for a large value
 * and fails for a value such as `{"toString":1}`.
 */
import { Kind, type Static, type TSchema, type TUnsafe, TypeRegistry } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { schemaFailure } from './schema-failure.ts'

let count = 0

/** Keeps the schema for types and documents, and replaces its check by one that throws AppError VALIDATION_FAILED. */
export function bodySchema<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  let check: TypeCheck<T> | undefined
  const kind = `Body${++count}`
  TypeRegistry.Set(kind, (_, value) => {
    check ??= TypeCompiler.Compile(schema)
    if (!check.Check(value)) throw schemaFailure('body', check.Errors(value))
    return true
  })
  return { ...schema, [Kind]: kind } as unknown as TUnsafe<Static<T>>
}
