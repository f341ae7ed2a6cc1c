/**
 * A program for Node: reads and writes vector files as the product does, many in one process. Takes a file with tasks and
 * prints a line of JSON for each.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadGdal, parseCrs } from '../../../src/lib/geo/formats/gdal/gdal.ts'
import type { TargetFormat } from '../../../src/lib/geo/formats/vector-formats.ts'
import { readVector } from '../../../src/lib/geo/formats/vector-read.ts'
import { writeVector } from '../../../src/lib/geo/formats/vector-write.ts'
import { type Feature, type Field, type Layer, WGS84 } from '../../../src/lib/geo/layers/layer.ts'
import { inEnglish } from '../../../src/warnings/warning.ts'

/** A layer as JSON: geometries are well-known binary in hexadecimal digits. */
export type PlainLayer = {
  fields: [name: string, type: Field['type']][]
  features: { id?: string | number; values: unknown[]; geometry: string | null }[]
  /** An EPSG code. */
  crs: number
}
export type Task = { dir: string } & ({ read: string } | { write: TargetFormat; layer: PlainLayer })
export type Done = {
  layer?: PlainLayer
  path?: string
  warnings: string[]
  /** Rule and message of a refusal. */
  refused?: [rule: string | undefined, message: string]
}

const gdal = await loadGdal()

async function done(task: Task): Promise<Done> {
  mkdirSync(task.dir, { recursive: true })
  if ('read' in task) {
    const limits = { scratch: task.dir, maxFeatures: 10_000, maxUnpackedBytes: 1e8 }
    const { fields, features, crs, warnings } = await readVector(task.read, task.read, limits)
    return {
      warnings: inEnglish(warnings),
      layer: {
        fields: fields.map(({ name, type }) => [name, type]),
        features: features.map(({ geometry, ...feature }) => ({
          ...feature,
          geometry: geometry && Buffer.from(geometry).toString('hex'),
        })),
        crs: Number(crs.code?.replace('EPSG:', '')),
      },
    }
  }
  const { fields, features, crs: code } = task.layer
  const crs = code === 4326 ? WGS84 : parseCrs(gdal, `EPSG:${code}`)
  const layer: Layer = {
    name: 'layer',
    crs,
    sourceCrs: crs,
    warnings: [],
    fields: fields.map(([name, type]) => ({ name, type })),
    features: features.map(
      ({ geometry, ...feature }): Feature => ({ ...feature, geometry: geometry === null ? null : fromHex(geometry) }),
    ),
  }
  const written = await writeVector(layer, task.write, 'layer', task.dir)
  return { path: written.path, warnings: inEnglish(written.layer.warnings) }
}

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'))

for (const line of readFileSync(join(process.argv[2] ?? '', 'tasks.jsonl'), 'utf8').split('\n')) {
  if (line === '') continue
  let result: Done
  try {
    result = await done(JSON.parse(line) as Task)
  } catch (error) {
    const { rule, message, stack } = error as Error & { rule?: string }
    result = { warnings: [], refused: [rule, rule === undefined ? (stack ?? message) : message] }
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
