/** Validates the fields of a call against the tool's schema, and converts form text to the types of the schema. */
import { Kind, type TObject, type TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { type FieldError, fieldError, fieldsFailure, invalidField } from '../errors.ts'
import { fieldText, mustBe } from '../field-texts/field-text.ts'
import { JsonTextError, parseJson } from '../json-text.ts'
import { append } from '../lists.ts'
import { ruleOf } from '../schema-rules.ts'
import type { FileKind } from './params.ts'
import type { InputFile, Tool } from './tool.ts'

/** Lists and objects in a field of a form that is JSON text: such fields are parsed on the server's thread. */
const MAX_FIELD_ITEMS = 20_000

const compiled = new WeakMap<TObject, TypeCheck<TObject>>()

function checkOf(schema: TObject): TypeCheck<TObject> {
  let check = compiled.get(schema)
  if (check === undefined) {
    check = TypeCompiler.Compile(schema)
    compiled.set(schema, check)
  }
  return check
}

export const isFileField = (schema: TSchema): boolean => schema[Kind] === 'File' || schema[Kind] === 'Files'
/** The kind whose size limit applies to a field. Unknown fields get one too; they are rejected after the upload. */
export const fileKindOf = (schema: TSchema | undefined): FileKind => (schema?.['x-fileKind'] as FileKind) ?? 'vector'

/** Whether a field takes files of features, for which a layer may stand. */
export const takesFeatures = (schema: TSchema): boolean =>
  isFileField(schema) && (schema.items ?? schema).contentMediaType === 'application/geo+json'

export const isFilesField = (schema: TSchema): boolean => schema[Kind] === 'Files'

/** Whether calls are multipart forms; JSON otherwise. */
export const takesForm = (tool: Pick<Tool, 'input'>): boolean => Object.values(tool.input.properties).some(isFileField)

/** One part of a form: text or a file. */
export type FormPart = { field: string; value: string | InputFile }

/** A text in a file field: the key of a stored file. */
export const isKeyInPlaceOfFile = ({ input }: Pick<Tool, 'input'>, { field, value }: FormPart): boolean => {
  const schema = input.properties[field]
  return typeof value === 'string' && value !== '' && schema !== undefined && isFileField(schema)
}

const isEmptyPart = (value: FormPart['value']): boolean =>
  typeof value === 'string' ? value === '' : value.bytes === 0 && value.filename === ''

/** @throws AppError VALIDATION_FAILED naming every invalid field */
export function inputFromForm(tool: Pick<Tool, 'input'>, parts: readonly FormPart[]): Record<string, unknown> {
  const { properties } = tool.input
  const raw: Record<string, unknown> = {}
  const errors: FieldError[] = []
  for (const { field, value } of parts) {
    const schema = Object.hasOwn(properties, field) ? properties[field] : undefined
    if (schema === undefined) errors.push(unknownField(field, Object.keys(properties)))
    // browsers send a field that was not filled in as empty text, and one without a file as an empty file without a name
    else if (isEmptyPart(value)) continue
    else if (isFilesField(schema)) {
      if (typeof value === 'string') errors.push(fieldError(field, 'file', mustBe(fieldText('file'))))
      else raw[field] = [...((raw[field] as InputFile[] | undefined) ?? []), value]
    } else if (Object.hasOwn(raw, field)) errors.push(fieldError(field, 'once', fieldText('once')))
    else if (isFileField(schema) !== (typeof value !== 'string'))
      errors.push(
        isFileField(schema)
          ? fieldError(field, 'file', mustBe(fieldText('file')))
          : fieldError(field, 'text', mustBe(fieldText('text'))),
      )
    else raw[field] = typeof value === 'string' ? fromText(field, value, schema, errors) : value
  }
  if (errors.length > 0) throw fieldsFailure('VALIDATION_FAILED', errors)
  return checkInput(tool, raw)
}

function fromText(field: string, value: string, schema: TSchema, errors: FieldError[]): unknown {
  if (schema['x-svc-encoding'] === 'json-text')
    try {
      return parseJson(Buffer.from(value), { maxItems: MAX_FIELD_ITEMS, maxNames: MAX_FIELD_ITEMS })
    } catch (cause) {
      if (!(cause instanceof JsonTextError)) throw cause
      errors.push(fieldError(field, cause.rule, cause.text))
      return undefined
    }
  switch (schema.type) {
    case 'number':
    case 'integer': {
      const number = Number(value.trim() || Number.NaN)
      if (Number.isFinite(number)) return number
      errors.push(fieldError(field, 'number', mustBe(fieldText('number'))))
      return undefined
    }
    case 'boolean':
      if (/^(true|1|on)$/i.test(value)) return true
      if (/^(false|0|off)$/i.test(value)) return false
      errors.push(fieldError(field, 'boolean', mustBe(fieldText('trueOrFalse'))))
      return undefined
    default:
      return value
  }
}

/** Fills in defaults and checks. @throws AppError VALIDATION_FAILED naming every invalid field */
export function checkInput(tool: Pick<Tool, 'input'>, raw: unknown): Record<string, unknown> {
  const { properties } = tool.input
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw invalidField('body', 'object', mustBe(fieldText('jsonObject')))
  const input: Record<string, unknown> = {}
  const errors: FieldError[] = []
  for (const [field, value] of Object.entries(raw))
    if (!Object.hasOwn(properties, field)) errors.push(unknownField(field, Object.keys(properties)))
    else if (value !== undefined) input[field] = value
  for (const [field, schema] of Object.entries(properties))
    if (input[field] === undefined && schema.default !== undefined) input[field] = schema.default
  const check = checkOf(tool.input)
  if (!check.Check(input)) append(errors, errorsOf(check, input))
  if (errors.length > 0) throw fieldsFailure('VALIDATION_FAILED', errors)
  return input
}

const MAX_ERRORS = 20

function errorsOf(check: TypeCheck<TObject>, input: unknown): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const { path, type, schema } of check.Errors(input)) {
    const field = path.slice(1).replaceAll('/', '.')
    if (errors.has(field)) continue
    const { rule, text } = schema[Kind] === 'Files' ? filesRule(schema) : ruleOf({ type, schema })
    errors.set(field, fieldError(field, rule, schema[Kind] === 'File' ? fieldText('requiredFile') : text))
    if (errors.size >= MAX_ERRORS) break
  }
  return [...errors.values()]
}

const filesRule = ({ minItems, maxItems }: TSchema) => ({
  rule: 'items',
  text: fieldText('fileCount', { least: minItems, most: maxItems }),
})

function unknownField(field: string, known: string[]): FieldError {
  return fieldError(field.slice(0, 60), 'unknown', fieldText('knownFields', { fields: known.join(', ') }))
}
