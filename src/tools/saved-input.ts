/** The main input of a saved tool: GeoJSON in the body of a request. */
import { readFileSync } from 'node:fs'
import { type AppError, fieldFailure } from '../errors.ts'
import type { FieldText } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { JsonTextError, parseJson } from '../json-text.ts'
import { readStrictly } from '../lib/geo/formats/geojson/geojson-strict.ts'
import { type Layer, WGS84 } from '../lib/geo/layers/layer.ts'
import { InputError } from '../lib/input-error.ts'
import { requireKind } from './layers.ts'
import type { InputFile, SavedForm } from './tool.ts'

/** @throws AppError TOOL_API_INPUT_INVALID, TOOL_API_INPUT_TOO_LARGE; INPUT_UNREADABLE for geometries of another kind */
export function readInput(file: InputFile, body: NonNullable<InputFile['body']>, saved: SavedForm | undefined): Layer {
  const layer = readBody(file, body)
  if (saved?.input === 'polygons') requireKind(layer.features, 2, 'file')
  return layer
}

function readBody({ path }: InputFile, { maxFeatures, base64 }: NonNullable<InputFile['body']>): Layer {
  const body = parse(base64 === undefined ? readFileSync(path) : Buffer.from(base64, 'base64'))
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('body', 'object', fieldText('inputObject'))
  for (const field of Object.keys(body))
    if (field !== 'input') throw invalid(`body.${field.slice(0, 60)}`, 'unknown', fieldText('onlyInput'))
  if (!('input' in body)) throw invalid('body.input', 'required', fieldText('required'))
  try {
    const { fields, features } = readStrictly(body.input, maxFeatures)
    return { name: 'result', fields, features, crs: WGS84, sourceCrs: WGS84, warnings: [] }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const { rule, text } = error
    const code = rule === 'maxFeatures' ? 'TOOL_API_INPUT_TOO_LARGE' : 'TOOL_API_INPUT_INVALID'
    throw fieldFailure(code, 'body.input', rule, text)
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause
    throw invalid('body', cause.rule, cause.text)
  }
}

const invalid = (field: string, rule: string, text: FieldText): AppError =>
  fieldFailure('TOOL_API_INPUT_INVALID', field, rule, text)
