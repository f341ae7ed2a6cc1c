/** The fields that tools are made of, each described in both languages, with its bounds and default. */
import { Kind, type SchemaOptions, type TSchema, type TUnsafe, Type, TypeRegistry } from '@sinclair/typebox'
import type { InputFile, Text } from './tool.ts'

/** Arabic texts lie beside the English ones; the process description picks. */
function descriptionOf({ en, ar }: Text): SchemaOptions {
  return { description: en, 'x-ar': ar }
}

export type FileKind = 'vector' | 'raster' | 'image' | 'jpeg' | 'png' | 'pdf' | 'scan' | 'csv'

const MEDIA_TYPES: Record<FileKind, string> = {
  vector: 'application/geo+json',
  raster: 'image/tiff',
  image: 'image/*',
  jpeg: 'image/jpeg',
  png: 'image/png',
  pdf: 'application/pdf',
  /** A picture or a PDF. */
  scan: 'application/octet-stream',
  csv: 'text/csv',
}

const isFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as InputFile).path === 'string'

TypeRegistry.Set('File', (_schema, value) => isFile(value))
TypeRegistry.Set<{ minItems: number; maxItems: number }>(
  'Files',
  ({ minItems, maxItems }, value) =>
    Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every(isFile),
)
TypeRegistry.Set<{ enum: string[] }>('Choice', (schema, value) => schema.enum.includes(value as string))

const binary = (kind: FileKind) => ({
  type: 'string',
  contentEncoding: 'binary',
  contentMediaType: MEDIA_TYPES[kind],
})

/** One file. */
export function file(kind: FileKind, text: Text): TUnsafe<InputFile> {
  return Type.Unsafe<InputFile>({ [Kind]: 'File', ...binary(kind), ...descriptionOf(text), 'x-fileKind': kind })
}

/** A field repeated once for each file. */
export function files(kind: FileKind, minItems: number, maxItems: number, text: Text): TUnsafe<InputFile[]> {
  return Type.Unsafe<InputFile[]>({
    [Kind]: 'Files',
    type: 'array',
    minItems,
    maxItems,
    items: binary(kind),
    ...descriptionOf(text),
    'x-fileKind': kind,
  })
}

export function choice<const T extends string>(values: readonly T[], text: Text, options: { default?: T } = {}) {
  return Type.Unsafe<T>({ [Kind]: 'Choice', type: 'string', enum: [...values], ...options, ...descriptionOf(text) })
}

type Bounds = { minimum?: number; maximum?: number; exclusiveMinimum?: number; default?: number }

export function number(text: Text, bounds: Bounds = {}, extensions: SchemaOptions = {}) {
  return Type.Number({ ...bounds, ...descriptionOf(text), ...extensions })
}

export function flag(text: Text, fallback: boolean) {
  return Type.Boolean({ default: fallback, ...descriptionOf(text) })
}

export function text(
  description: Text,
  options: { minLength?: number; maxLength?: number; pattern?: string; default?: string } = {},
  extensions: SchemaOptions = {},
) {
  return Type.String({ minLength: 1, maxLength: 1000, ...options, ...descriptionOf(description), ...extensions })
}

/** The name of a column of the file in another field. */
export function columnOf(fileField: string, description: Text, extensions: SchemaOptions = {}) {
  return Type.String({
    minLength: 1,
    maxLength: 256,
    ...descriptionOf(description),
    'x-svc-columnOf': fileField,
    ...extensions,
  })
}

/** A list or object that comes as JSON text in one field of a form. */
export function jsonText<T extends TSchema>(schema: T, description: Text): T {
  return { ...schema, ...descriptionOf(description), 'x-svc-encoding': 'json-text' }
}

/** A list of objects or positions in a JSON body. */
export function list<T extends TSchema>(items: T, text: Text, options: { minItems?: number; maxItems?: number } = {}) {
  return Type.Array(items, { maxItems: 100_000, ...options, ...descriptionOf(text) })
}

export const longitude = () => Type.Number({ minimum: -180, maximum: 180 })
export const latitude = () => Type.Number({ minimum: -90, maximum: 90 })

export const lonLatPoint = () =>
  Type.Object({ lon: longitude(), lat: latitude() }, { additionalProperties: false, description: '{lon, lat}' })

/** `[longitude, latitude]`; written as an array of two, since a tuple is no schema of OpenAPI 3.1's. */
export const lonLatPair = () =>
  Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '[longitude, latitude]' })

/** A value of an answer, described in both languages. */
export function described<T extends TSchema>(schema: T, text: Text): T {
  return { ...schema, ...descriptionOf(text) }
}

/** A coordinate reference system by its code. */
export function crsCode(description: Text) {
  return text(description, {
    maxLength: 60,
    pattern: '^(\\d{3,6}|(EPSG|ESRI|OGC|IGNF|IAU_2015|epsg|esri|ogc):[A-Za-z0-9_.]+)$',
  })
}
