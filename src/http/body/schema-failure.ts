/** TypeBox reports paths and kinds of errors; the caller gets fields, rules and the allowed values. */
import { type AppError, type FieldError, fieldError, fieldsFailure } from '../../errors.ts'
import { ruleOf, type SchemaError } from '../../schema-rules.ts'

/** Maximum number of fields that one answer lists, for a body with very many wrong items. */
const MAX_FIELDS = 64

type Found = SchemaError & { path?: unknown; value?: unknown; errors?: Iterable<Found>[] }

/** In place of an error about an object that may also be null, or of another type: the errors within the object. */
function* withinObjects(found: Iterable<Found>): Iterable<Found> {
  for (const error of found) {
    const options = (error.schema.anyOf as { type?: unknown }[] | undefined) ?? []
    const objects = options.flatMap(({ type }, i) => (type === 'object' ? [i] : []))
    const isObject = typeof error.value === 'object' && error.value !== null && !Array.isArray(error.value)
    const within = isObject && objects.length === 1 ? error.errors?.[objects[0] as number] : undefined
    if (within === undefined) yield error
    else yield* withinObjects(within)
  }
}

/** @param where the part of the request that the paths begin in */
export function schemaFailure(where: string, found: Iterable<Found>): AppError {
  const errors = new Map<string, FieldError>()
  for (const { path, type, schema } of withinObjects(found)) {
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
