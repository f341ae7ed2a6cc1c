/** TypeBox reports paths and kinds of errors; the caller gets fields, rules and the allowed values. */
import { AppError, type FieldError } from '../../errors.ts'
import { ruleOf, type SchemaError } from '../../schema-rules.ts'

/** Maximum number of fields that one answer lists, for a body with very many wrong items. */
const MAX_FIELDS = 64

/** @param where the part of the request that the paths begin in */
export function schemaFailure(where: string, found: Iterable<SchemaError & { path?: unknown }>): AppError {
  const errors = new Map<string, FieldError>()
  for (const { path, type, schema } of found) {
    if (typeof path !== 'string') continue
    const field = [where, ...path.split('/').filter((part) => part !== '')].join('.')
    if (!errors.has(field)) errors.set(field, { field, ...ruleOf({ type, schema }) })
    if (errors.size === MAX_FIELDS) break
  }
  const [first = { field: where, rule: 'schema', message: 'does not match the schema' }, ...rest] = errors.values()
  return new AppError('VALIDATION_FAILED', { message: `${first.field}: ${first.message}`, errors: [first, ...rest] })
}
