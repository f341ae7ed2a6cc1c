/** Describes which rule of a JSON schema a value breaks. TypeBox identifies the rule by a number, ValueErrorType. */
import { ValueErrorType } from '@sinclair/typebox/errors'
import type { Bilingual, FieldText } from './field-texts/bilingual.ts'
import { fieldText, mustBe } from './field-texts/field-text.ts'

type Schema = Record<string, unknown>
/** The part of TypeBox's error that is used here. */
export type SchemaError = { type: ValueErrorType; schema: Schema }

const RULE_TEXTS = {
  minimum: (limit: unknown) => fieldText('atLeast', { least: Number(limit) }),
  maximum: (limit: unknown) => fieldText('atMost', { most: Number(limit) }),
  minLength: (limit: unknown) => fieldText('charactersAtLeast', { least: Number(limit) }),
  maxLength: (limit: unknown) => fieldText('charactersAtMost', { most: Number(limit) }),
  minItems: (limit: unknown) => fieldText('itemsAtLeast', { least: Number(limit) }),
  maxItems: (limit: unknown) => fieldText('itemsAtMost', { most: Number(limit) }),
  maxProperties: (limit: unknown) => fieldText('propertiesAtMost', { most: Number(limit) }),
  multipleOf: (limit: unknown) =>
    limit === 1 ? mustBe(fieldText('wholeNumber')) : fieldText('multiple', { step: Number(limit) }),
  uniqueItems: () => fieldText('itemTwice'),
  pattern: (pattern: unknown) => fieldText('pattern', { pattern: String(pattern) }),
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
export function ruleOf({ type, schema }: SchemaError): { rule: string; text: FieldText } {
  if (type === ValueErrorType.ObjectRequiredProperty) return { rule: 'required', text: fieldText('required') }
  if (type === ValueErrorType.ObjectAdditionalProperties || type === ValueErrorType.IntersectUnevaluatedProperties)
    return { rule: 'additionalProperties', text: fieldText('unknown') }
  const allowed =
    (schema.enum as unknown[] | undefined) ??
    (schema.anyOf as { const?: unknown }[] | undefined)?.map((option) => option.const)
  if (allowed?.every((value) => value !== undefined) === true)
    return { rule: 'enum', text: fieldText('oneOf', { values: allowed.join(', ') }) }
  const keyword = KEYWORDS[type]
  const text = keyword === undefined ? typeText(type, schema) : RULE_TEXTS[keyword](schema[keyword])
  return {
    rule: keyword ?? String(schema.type ?? (type === ValueErrorType.Union ? 'anyOf' : 'schema')),
    // descriptions are in English only
    text: schema.description === undefined ? text : { ...text, en: `${text.en} (${schema.description})` },
  }
}

/** For a value of another type, and for rules without a keyword in the table. */
function typeText(type: ValueErrorType, schema: Schema): FieldText {
  switch (type) {
    case ValueErrorType.Union:
      return mustBe(kindOfUnion(schema))
    case ValueErrorType.IntegerExclusiveMinimum:
    case ValueErrorType.NumberExclusiveMinimum:
      return fieldText('moreThan', { limit: Number(schema.exclusiveMinimum) })
    case ValueErrorType.IntegerExclusiveMaximum:
    case ValueErrorType.NumberExclusiveMaximum:
      return fieldText('lessThan', { limit: Number(schema.exclusiveMaximum) })
    case ValueErrorType.StringFormat:
      return fieldText('textFormat', { format: String(schema.format) })
    default:
      return mustBe(kindOf(schema))
  }
}

function kindOfUnion(schema: Schema): Bilingual {
  // a number read from a query string is a union of text and number, and declares itself a number
  const all = (schema.anyOf as Schema[] | undefined) ?? []
  const kinds = all.filter(({ type }) => schema.type === undefined || type === schema.type).map(kindOf)
  const listed = (names: string[], comma: string, or: string): string =>
    [...names.slice(0, -2), names.slice(-2).join(or)].join(comma)
  return {
    en: listed(
      kinds.map(({ en }) => en),
      ', ',
      ' or ',
    ),
    ar: listed(
      kinds.map(({ ar }) => ar),
      '، ',
      ' أو ',
    ),
  }
}

/** The values that a schema accepts, in words. */
function kindOf(schema: Schema): Bilingual {
  const { type, minimum: least, maximum: most, minItems = 0, maxItems } = schema
  if (schema.const !== undefined) return fieldText('constant', { value: JSON.stringify(schema.const) })
  const range = least === undefined || most === undefined ? undefined : { least: Number(least), most: Number(most) }
  switch (type) {
    case 'integer':
      return range === undefined ? fieldText('wholeNumber') : fieldText('wholeNumberBetween', range)
    case 'number':
      return range === undefined ? fieldText('number') : fieldText('numberBetween', range)
    case 'string':
      return fieldText('string')
    case 'boolean':
      return fieldText('trueOrFalse')
    case 'array':
      return maxItems === undefined
        ? fieldText('list')
        : fieldText('listBetween', { least: Number(minItems), most: Number(maxItems) })
    case 'null':
      return fieldText('null')
    default:
      return fieldText('object')
  }
}
