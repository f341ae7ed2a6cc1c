/** Describes which rule of a JSON schema a value breaks. TypeBox identifies the rule by a number, ValueErrorType. */
import { ValueErrorType } from '@sinclair/typebox/errors'

type Schema = Record<string, unknown>
/** The part of TypeBox's error that is used here. */
export type SchemaError = { type: ValueErrorType; schema: Schema }

const count = (amount: unknown, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`

const RULE_TEXTS = {
  minimum: (limit: unknown) => `must be at least ${limit}`,
  maximum: (limit: unknown) => `must be at most ${limit}`,
  minLength: (limit: unknown) => `must have at least ${count(limit, 'character')}`,
  maxLength: (limit: unknown) => `must have at most ${count(limit, 'character')}`,
  minItems: (limit: unknown) => `must have at least ${count(limit, 'item')}`,
  maxItems: (limit: unknown) => `must have at most ${count(limit, 'item')}`,
  maxProperties: (limit: unknown) => `must have at most ${limit} ${limit === 1 ? 'property' : 'properties'}`,
  multipleOf: (limit: unknown) => (limit === 1 ? 'must be a whole number' : `must be a multiple of ${limit}`),
  uniqueItems: () => 'must not contain an item twice',
  pattern: (pattern: unknown) => `must match the pattern ${pattern}`,
}

/** The schema's keyword that an error is about. */
const KEYWORDS: Partial<Record<ValueErrorType, keyof typeof RULE_TEXTS>> = {
  [ValueErrorType.IntegerMinimum]: 'minimum',
  [ValueErrorType.NumberMinimum]: 'minimum',
  [ValueErrorType.IntegerMaximum]: 'maximum',
  [ValueErrorType.NumberMaximum]: 'maximum',
  [ValueErrorType.IntegerMultipleOf]: 'multipleOf',
  [ValueErrorType.NumberMultipleOf]: 'multipleOf',
  [ValueErrorType.StringMinLength]: 'minLength',
  [ValueErrorType.StringMaxLength]: 'maxLength',
  [ValueErrorType.StringPattern]: 'pattern',
  [ValueErrorType.ArrayMinItems]: 'minItems',
  [ValueErrorType.ArrayMaxItems]: 'maxItems',
  [ValueErrorType.ArrayUniqueItems]: 'uniqueItems',
  [ValueErrorType.ObjectMaxProperties]: 'maxProperties',
}

/** The name of the broken rule, and a text with the allowed values. */
export function ruleOf({ type, schema }: SchemaError): { rule: string; message: string } {
  if (type === ValueErrorType.ObjectRequiredProperty) return { rule: 'required', message: 'is required' }
  if (type === ValueErrorType.ObjectAdditionalProperties || type === ValueErrorType.IntersectUnevaluatedProperties)
    return { rule: 'additionalProperties', message: 'is not a known field' }
  const allowed =
    (schema.enum as unknown[] | undefined) ??
    (schema.anyOf as { const?: unknown }[] | undefined)?.map((option) => option.const)
  if (allowed?.every((value) => value !== undefined) === true)
    return { rule: 'enum', message: `must be one of ${allowed.join(', ')}` }
  const keyword = KEYWORDS[type]
  const text = keyword === undefined ? typeText(type, schema) : RULE_TEXTS[keyword](schema[keyword])
  return {
    rule: keyword ?? String(schema.type ?? (type === ValueErrorType.Union ? 'anyOf' : 'schema')),
    message: schema.description === undefined ? text : `${text} (${schema.description})`,
  }
}

/** For a value of another type, and for rules without a keyword in the table. */
function typeText(type: ValueErrorType, schema: Schema): string {
  switch (type) {
    case ValueErrorType.Union:
      return `must be ${describeUnion(schema)}`
    case ValueErrorType.IntegerExclusiveMinimum:
    case ValueErrorType.NumberExclusiveMinimum:
      return `must be greater than ${schema.exclusiveMinimum}`
    case ValueErrorType.IntegerExclusiveMaximum:
    case ValueErrorType.NumberExclusiveMaximum:
      return `must be less than ${schema.exclusiveMaximum}`
    case ValueErrorType.StringFormat:
      return `must have the format ${schema.format}`
    default:
      return `must be ${describeSchema(schema)}`
  }
}

function describeUnion(schema: Schema): string {
  // a number read from a query string is a union of text and number, and declares itself a number
  const all = (schema.anyOf as Schema[] | undefined) ?? []
  const options = all.filter(({ type }) => schema.type === undefined || type === schema.type).map(describeSchema)
  return [...options.slice(0, -2), options.slice(-2).join(' or ')].join(', ')
}

/** The values that a schema accepts, in words. */
function describeSchema(schema: Schema): string {
  const { type, minimum, maximum, minItems, maxItems } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`
  switch (type) {
    case 'integer':
      return `a whole number${range}`
    case 'number':
      return `a number${range}`
    case 'string':
      return 'a string'
    case 'boolean':
      return 'true or false'
    case 'array':
      return maxItems === undefined ? 'a list' : `a list of ${minItems ?? 0} to ${maxItems}`
    case 'null':
      return 'null'
    default:
      return 'an object'
  }
}
