/**
 * Bodies are checked here and not by Elysia: its error puts the value into a text, which takes long for a large value
 * and fails for one such as `{"toString":1}`.
 */
import { Kind, type Static, type TSchema, type TUnsafe, TypeRegistry } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { schemaFailure } from './schema-failure.ts'

let count = 0

/** The same schema for types and documents, whose check throws AppError VALIDATION_FAILED. */
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
