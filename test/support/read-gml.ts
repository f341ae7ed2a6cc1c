/**
 * A program for Node: reads every GML in a folder without GDAL where that is possible, and with GDAL. Prints the
 * outcomes as JSON, by the order of names.
 */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadGdal, parseCrs } from '../../src/lib/geo/gdal.ts'
import { readPlainGml } from '../../src/lib/geo/gml-plain.ts'
import { readAnyGml, readGml } from '../../src/lib/geo/gml-read.ts'
import type { Field, Layer } from '../../src/lib/geo/layer.ts'
import { rejectSrsDefinitions, withoutEntities } from '../../src/lib/geo/untrusted.ts'

/** Null if the file must be read with GDAL; a text if it is refused. */
export type GmlOutcome = GmlLayer | string | null
export type GmlLayer = {
  name: string
  fields: Field[]
  crs: unknown
  sourceCrs: unknown
  warnings: string[]
  /** Geometries are hexadecimal. */
  features: { values: unknown[]; geometry: string | null }[]
}
/** What both readers make of a file, and the reader that tools use, which chooses one. */
export type GmlOutcomes = { plain: GmlOutcome; any: GmlOutcome; chosen: GmlOutcome }
export type GmlReading = { crs?: string; maxFeatures?: number }

const [folder = '', given = '{}'] = process.argv.slice(2)
const { crs, maxFeatures = 1e6 } = JSON.parse(given) as GmlReading
const gdal = await loadGdal()
const target = crs === undefined ? {} : { crs: parseCrs(gdal, crs) }

type Reader = (path: string, name: string, options: Parameters<typeof readGml>[2]) => Promise<Layer | undefined>

async function outcomeOf(read: Reader, name: string, reader: string): Promise<GmlOutcome> {
  // GDAL writes and reads files beside the one that it opens
  const scratch = join(folder, reader, name)
  mkdirSync(scratch, { recursive: true })
  const path = join(folder, name)
  try {
    rejectSrsDefinitions(path)
    const layer = await read(withoutEntities(path, scratch), 'layer', {
      ...{ scratch, maxFeatures, maxUnpackedBytes: 1e9 },
      ...target,
    })
    return layer === undefined ? null : plainOf(layer)
  } catch (error) {
    const { name, rule, message } = error as { name: string; rule?: string; message: string }
    return `${name} ${rule ?? ''} ${message}`
  }
}

const plainOf = ({ features, ...layer }: Layer): GmlLayer => ({
  ...layer,
  features: features.map(({ values, geometry, ...more }) => ({
    ...more,
    values: values.map((value) => (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value)),
    geometry: geometry === null ? null : Buffer.from(geometry).toString('hex'),
  })),
})

const names = readdirSync(folder)
  .filter((name) => statSync(join(folder, name)).isFile())
  .sort()
const outcomes: GmlOutcomes[] = []
for (const name of names)
  outcomes.push({
    plain: await outcomeOf(readPlainGml, name, 'plain'),
    any: await outcomeOf(readAnyGml, name, 'any'),
    chosen: await outcomeOf(readGml, name, 'chosen'),
  })
writeFileSync(join(folder, 'outcomes.json'), JSON.stringify(outcomes))
