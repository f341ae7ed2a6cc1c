/** TypeBox reports paths and kinds of errors; the caller gets fields, rules and the allowed values. */

import { type AppError, type FieldError, fieldError, fieldsFailure } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { ruleOf, type SchemaError } from '../../schema-rules.ts'

/** Maximum number of fields that one answer lists, for a body with very many wrong items. */
const MAX_FIELDS = 64

type Found = SchemaError & { path?: unknown; value?: unknown; errors?: Iterable<Found>[] }

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

/**
 * In place of an error about a value that may also be null, or an object of another type: the errors within its type.
 * A text that a query gives for a number is no text to the caller, so its error stays.
 */
function* withinType(found: Iterable<Found>): Iterable<Found> {
  for (const error of found) {
    const options = (error.schema.anyOf as { type?: unknown }[] | undefined) ?? []
    const ofType = options.flatMap(({ type }, i) => (error.value !== null && type === typeOf(error.value) ? [i] : []))
    const isText = typeof error.value === 'string' && !options.some(({ type }) => type === 'null')
    const within = ofType.length === 1 && !isText ? error.errors?.[ofType[0] as number] : undefined
    if (within === undefined) yield error
    else yield* withinType(within)
  }
}

/** @param where the part of the request that the paths begin in */
export function schemaFailure(where: string, found: Iterable<Found>): AppError {
  const errors = new Map<string, FieldError>()
  for (const { path, type, schema } of withinType(found)) {
    if (typeof path !== 'string') continue
    const field = [where, ...path.split('/').filter((part) => part !== '')].join('.')
    if (errors.has(field)) continue
    const { rule, text } = ruleOf({ type, schema })
    errors.set(field, fieldError(field, rule, text))
    if (errors.size === MAX_FIELDS) break
  }
  const [first = fieldError(where, 'schema', fieldText('schemaMismatch')), ...rest] = errors.values()
  return fieldsFailure('VALIDATION_FAILED', [first, ...rest])
}
