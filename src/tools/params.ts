/** Builders for the fields of tools: each has a title and a description in both languages, bounds and a default. */
import { Kind, type SchemaOptions, type TSchema, type TUnsafe, Type, TypeRegistry } from '@sinclair/typebox'
import type { InputFile, Text } from './tool.ts'

/** The description of a field, with its title in forms. Parts of a field, such as the items of a list, need no title. */
export type FieldText = Text & { title?: Text }

/** A symbol, so that the title stays out of the published JSON Schemas. */
const TITLE = Symbol.for('groundwave.title')

/** The Arabic text sits beside the English one; the process description picks one of them. */
function descriptionOf({ en, ar, title }: FieldText): SchemaOptions {
  return { description: en, 'x-ar': ar, ...(title && { [TITLE]: title }) }
}

/** Title of a field in forms. */
export const titleOf = (schema: TSchema): Text | undefined => schema[TITLE as unknown as string] as Text | undefined

/** Kinds of files. Each has its own size limit: VECTOR_FILE_MB, RASTER_FILE_MB, IMAGE_FILE_MB and PDF_FILE_MB. */
export type FileKind = 'vector' | 'raster' | 'image' | 'pdf'

const MEDIA_TYPES: Record<FileKind, string> = {
  vector: 'application/geo+json',
  raster: 'image/tiff',
  image: 'image/*',
  pdf: 'application/pdf',
}

/** Documented media type of a field that takes only one format of its kind, or several kinds. */
type FileOptions = { mediaType?: string }

const isFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as InputFile).path === 'string'

TypeRegistry.Set('File', (_schema, value) => isFile(value))
TypeRegistry.Set<{ minItems: number; maxItems: number }>(
  'Files',
  ({ minItems, maxItems }, value) =>
    Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every(isFile),
)
TypeRegistry.Set<{ enum: string[] }>('Choice', (schema, value) => schema.enum.includes(value as string))

const binary = (kind: FileKind, { mediaType = MEDIA_TYPES[kind] }: FileOptions) => ({
  type: 'string',
  contentEncoding: 'binary',
  contentMediaType: mediaType,
})

/** One file, of at most the size that its kind allows. */
export function file(kind: FileKind, text: FieldText, options: FileOptions = {}): TUnsafe<InputFile> {
  return Type.Unsafe<InputFile>({
    [Kind]: 'File',
    ...binary(kind, options),
    ...descriptionOf(text),
    'x-fileKind': kind,
  })
}

/** A field that is repeated once for each file. */
export function files(
  kind: FileKind,
  minItems: number,
  maxItems: number,
  text: FieldText,
  options: FileOptions = {},
): TUnsafe<InputFile[]> {
  return Type.Unsafe<InputFile[]>({
    [Kind]: 'Files',
    type: 'array',
    minItems,
    maxItems,
    items: binary(kind, options),
    ...descriptionOf(text),
    'x-fileKind': kind,
  })
}

/** @param titles the title of each value in forms */
export function choice<const T extends string>(
  values: readonly T[],
  text: FieldText,
  { titles, ...options }: { titles: Record<T, Text>; default?: T },
) {
  return Type.Unsafe<T>({
    [Kind]: 'Choice',
    type: 'string',
    enum: [...values],
    ...options,
    ...descriptionOf(text),
    'x-svc-enumTitles': titles,
  })
}

/** The title of a value that has the same name in every language, such as a format. */
export const named = (name: string): Text => ({ en: name, ar: name })

type Bounds = { minimum?: number; maximum?: number; exclusiveMinimum?: number; default?: number }

export function number(text: FieldText, bounds: Bounds = {}, extensions: SchemaOptions = {}) {
  return Type.Number({ ...bounds, ...descriptionOf(text), ...extensions })
}

export function integer(text: FieldText, bounds: Bounds = {}) {
  return Type.Integer({ ...bounds, ...descriptionOf(text) })
}

export function flag(text: FieldText, fallback: boolean) {
  return Type.Boolean({ default: fallback, ...descriptionOf(text) })
}

/** For tools that write CSV. */
export const escapeFormulas = () =>
  flag(
    {
      title: { en: 'Escape formulas', ar: 'تحييد الصيغ' },
      en: 'Put a quote in front of text that a spreadsheet would run as a formula: text that begins with =, +, -, @, a tab or a carriage return and is not a number. Only for CSV',
      ar: 'وضع علامة اقتباس قبل كل نص قد ينفّذه برنامج الجداول كصيغة: ما يبدأ بأحد الرموز =، +، -، @ أو بمسافة جدولة أو محرف إرجاع وليس عددًا. لصيغة CSV فقط',
    },
    false,
  )

export function text(
  description: FieldText,
  options: { minLength?: number; maxLength?: number; pattern?: string; default?: string } = {},
  extensions: SchemaOptions = {},
) {
  return Type.String({ minLength: 1, maxLength: 1000, ...options, ...descriptionOf(description), ...extensions })
}

/** The name of a column of the file that another field holds. */
export function columnOf(fileField: string, description: FieldText, extensions: SchemaOptions = {}) {
  return Type.String({
    minLength: 1,
    maxLength: 256,
    ...descriptionOf(description),
    'x-svc-columnOf': fileField,
    ...extensions,
  })
}

/** A list or object that a form sends as JSON text in one field. */
export function jsonText<T extends TSchema>(schema: T, description: FieldText, example?: unknown): T {
  const examples = example === undefined ? {} : { examples: [example] }
  return { ...schema, ...examples, ...descriptionOf(description), 'x-svc-encoding': 'json-text' }
}

/** A list of objects or positions in a JSON body. */
export function list<T extends TSchema>(
  items: T,
  text: FieldText,
  options: { minItems?: number; maxItems?: number } = {},
) {
  return Type.Array(items, { maxItems: 100_000, ...options, ...descriptionOf(text) })
}

export const longitude = () => Type.Number({ minimum: -180, maximum: 180 })
export const latitude = () => Type.Number({ minimum: -90, maximum: 90 })

export const lonLatPoint = () =>
  Type.Object({ lon: longitude(), lat: latitude() }, { additionalProperties: false, description: '{lon, lat}' })

/** `[longitude, latitude]`, as an array of length 2 because TypeBox writes tuples in a form that OpenAPI 3.1 rejects. */
export const lonLatPair = () =>
  Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '[longitude, latitude]' })

/** A field of the response, described in both languages. */
export function described<T extends TSchema>(schema: T, text: Text): T {
  return { ...schema, ...descriptionOf(text) }
}

export const integerResult = (en: string, ar: string) => described(Type.Integer(), { en, ar })
export const numberResult = (en: string, ar: string) => described(Type.Number(), { en, ar })
export const textResult = (en: string, ar: string) => described(Type.String(), { en, ar })
export const flagResult = (en: string, ar: string) => described(Type.Boolean(), { en, ar })

/** The code of a coordinate reference system, such as EPSG:25833. */
export function crsCode(description: FieldText) {
  return text(description, {
    maxLength: 60,
    pattern: '^(\\d{3,6}|(EPSG|ESRI|OGC|IGNF|IAU_2015|epsg|esri|ogc):[A-Za-z0-9_.]+)$',
  })
}
