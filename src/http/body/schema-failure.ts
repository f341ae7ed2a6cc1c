/** TypeBox reports paths and kinds of errors; the caller gets fields, rules and the allowed values. */
import { type AppError, type FieldError, fieldError, fieldsFailure } from '../../errors.ts'
import { ruleOf, type SchemaError } from '../../schema-rules.ts'

/** Maximum number of fields that one answer lists, for a body with very many wrong items. */
const MAX_FIELDS = 64

/** @param where the part of the request that the paths begin in */
export function schemaFailure(where: string, found: Iterable<SchemaError & { path?: unknown }>): AppError {
  const errors = new Map<string, FieldError>()
  for (const { path, type, schema } of found) {
    if (typeof path !== 'string') continue
    const field = [where, ...path.split('/').filter((part) => part !== '')].join('.')
    if (errors.has(field)) continue
    const { rule, text } = ruleOf({ type, schema })
    errors.set(field, fieldError(field, rule, text))
    if (errors.size === MAX_FIELDS) break
  }
  const [first = fieldError(where, 'schema', 'does not match the schema'), ...rest] = errors.values()
  return fieldsFailure('VALIDATION_FAILED', [first, ...rest])
}
