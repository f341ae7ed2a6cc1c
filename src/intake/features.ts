/** Parses the features of a map layer: validates them, converts them to WGS 84 and writes rows for the database. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { defineWorkerTask } from '../engine/worker-task.ts'
import { invalidField } from '../errors.ts'
import { inPlace } from '../field-texts/bilingual.ts'
import { fieldText, mustBe } from '../field-texts/field-text.ts'
import { JsonTextError, parseJson } from '../json-text.ts'
import { encodeGeometry, requireHeights } from '../lib/geo/formats/geojson/geojson-geometry.ts'
import { checkFeatures } from '../lib/geo/formats/geojson/geojson-strict.ts'
import { toWgs84 } from '../lib/geo/formats/geojson/geojson-wgs84.ts'
import { dimensionOf } from '../lib/geo/geometry/wkb.ts'
import { InputError } from '../lib/input-error.ts'

/** Length of the text of one list of rows. */
const CHUNK_CHARACTERS = 1 << 20

/**
 * The kinds of body: `{name, geojson}`, a FeatureCollection, `{upsert, delete, fields}`, or one Feature. A `file` of
 * the owner replaces a body.
 */
type Form = 'layer' | 'file' | 'collection' | 'changes' | 'feature'
type Input = { path: string; form: Form; featureId?: string }
type Members = Record<string, unknown>

/** The allowed members of each kind of body, and the field that contains the features. */
const FORMS: Record<Form, { members: readonly string[] | undefined; features: string }> = {
  layer: { members: ['name', 'geojson'], features: 'body.geojson' },
  file: { members: undefined, features: 'body.file' },
  collection: { members: undefined, features: 'body' },
  changes: { members: ['upsert', 'delete', 'fields'], features: 'body.upsert' },
  feature: { members: undefined, features: 'body' },
}

const MAX_ID_LENGTH = 256

/**
 * Returns `fields`, the `name` of a new layer, and the ids to `remove` and the `columns` of changes. Each line of the output file is a list
 * of rows `[id, dimension, properties as text, geometry in base64]`.
 */
export default defineWorkerTask<Input>({
  id: 'intake.features',
  lane: 'node',
  async run({ path, form, featureId }, { scratch, limits }) {
    const body = parse(path, form === 'file' ? 'body.file' : 'body')
    const { members, features: field } = FORMS[form]
    for (const name of members === undefined ? [] : Object.keys(body))
      if (members?.includes(name) === false)
        throw invalidField(
          `body.${name.slice(0, 60)}`,
          'additionalProperties',
          fieldText('fieldsOfBody', { fields: members.join(', ') }),
        )
    const name = form === 'layer' ? nameOf(body.name) : undefined
    const remove = form === 'changes' ? idsOf(body.delete) : undefined
    const columns = form === 'changes' ? columnsOf(body.fields) : undefined
    const features = await ofField(field, () => featuresOf(body, form, limits.maxFeatures))
    const rows = join(scratch, 'rows')
    const fields = await ofField(field, async () => writeRows(rows, features, field, featureId))
    const data = {
      fields: [...fields],
      ...(name !== undefined && { name }),
      ...(remove && { remove }),
      ...(columns && { columns }),
    }
    return { data, files: [{ role: 'output', path: rows, filename: 'rows', mediaType: 'application/x-ndjson' }] }
  },
})

/** @returns the property names in order of first appearance */
function writeRows(path: string, features: InputFeature[], field: string, featureId: string | undefined): Set<string> {
  const ids = new Set<string>()
  const fields = new Set<string>()
  let chunk: string[] = []
  let length = 0
  const file = openSync(path, 'w')
  const flush = (): void => {
    if (chunk.length > 0) writeSync(file, `[${chunk.join(',')}]\n`)
    chunk = []
    length = 0
  }
  try {
    for (const [i, { id: given, properties, geometry }] of features.entries()) {
      const place = { feature: i }
      const id = idOf(featureId ?? given, `${field}: feature ${i}`)
      if (ids.has(id)) throw invalidField(field, 'unique', inPlace(place, fieldText('featureIdTwice', { id })))
      ids.add(id)
      for (const property in properties) fields.add(property)
      const encoded = geometry === null ? undefined : encodeGeometry(geometry, place)
      if (encoded !== undefined) requireHeights(encoded, place)
      const wkb = encoded?.wkb ?? null
      const dimension = wkb === null ? null : dimensionOf(wkb)
      const row = [id, dimension, JSON.stringify(properties ?? {}), wkb && Buffer.from(wkb).toString('base64')]
      const text = JSON.stringify(row)
      chunk.push(text)
      length += text.length
      if (length > CHUNK_CHARACTERS) flush()
    }
    flush()
  } finally {
    closeSync(file)
  }
  return fields
}

/** @param field that a fault is reported for */
function parse(path: string, field: string): Members {
  let body: unknown
  try {
    body = parseJson(readFileSync(path))
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause
    throw invalidField(field, cause.rule, cause.text)
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidField(field, 'object', mustBe(fieldText('jsonObject')))
  return body as Members
}

async function ofField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InputError) throw invalidField(field, error.rule, error.text)
    throw error
  }
}

type InputFeature = { id?: unknown; properties: Members | null; geometry: unknown }

async function featuresOf(body: Members, form: Form, maxFeatures: number): Promise<InputFeature[]> {
  const root = rootOf(body, form)
  if (form === 'collection' && root?.type !== 'FeatureCollection')
    throw new InputError('featureCollection', fieldText('featureCollection'))
  if (form === 'feature' && root?.type !== 'Feature') throw new InputError('feature', fieldText('feature'))
  const moved = await toWgs84(root)
  return checkFeatures(moved, maxFeatures).map(({ id, properties = null, geometry }) => ({
    id,
    properties: properties as Members | null,
    geometry,
  }))
}

function rootOf(body: Members, form: Form): Members {
  if (form === 'layer') return body.geojson as Members
  if (form !== 'changes') return body
  const { upsert = [] } = body
  if (!Array.isArray(upsert)) throw new InputError('array', fieldText('listOfFeatures'))
  return { type: 'FeatureCollection', features: upsert }
}

function nameOf(name: unknown): string {
  if (typeof name !== 'string' || !/\S/.test(name) || name.length > 200)
    throw invalidField('body.name', 'string', fieldText('layerName'))
  return name
}

function idsOf(list: unknown = []): string[] {
  if (!Array.isArray(list)) throw invalidField('body.delete', 'array', fieldText('listOfFeatureIds'))
  return list.map((id, i) => idOf(id ?? '', `body.delete.${i}`))
}

const MAX_COLUMNS = 10_000

/** The columns that a layer is to have; undefined if they stay. */
function columnsOf(list: unknown): string[] | undefined {
  if (list === undefined) return undefined
  if (!Array.isArray(list) || !list.every((name): name is string => typeof name === 'string'))
    throw invalidField('body.fields', 'array', fieldText('listOfColumns'))
  if (list.length > MAX_COLUMNS)
    throw invalidField('body.fields', 'maxItems', fieldText('namesAtMost', { most: MAX_COLUMNS }))
  if (new Set(list).size < list.length) throw invalidField('body.fields', 'unique', fieldText('columnTwice'))
  return list
}

/** The id of a feature as text; a feature without an id gets one. */
function idOf(id: unknown, where: string): string {
  if (id === undefined || id === null) return crypto.randomUUID()
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text !== 'string' || text === '' || text.length > MAX_ID_LENGTH)
    throw invalidField(where, 'id', fieldText('featureId', { most: MAX_ID_LENGTH }))
  return text
}
