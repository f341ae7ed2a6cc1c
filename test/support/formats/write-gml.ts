/**
 * A program for Node: writes a layer, given as JSON in a folder, as `ours/layer.gml` with our writer, and as
 * `gdal/layer.gml` with GDAL alone. It reads names of folders, one in a line, and repeats each when its layer is written.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createWithGdal } from '../../../src/lib/geo/formats/gdal/gdal-write.ts'
import { encodeGeometry } from '../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { writeGml } from '../../../src/lib/geo/formats/gml/gml-write.ts'
import type { Crs, Feature, Field, Layer } from '../../../src/lib/geo/layers/layer.ts'

/** Binary values are given as base64. */
export type GivenLayer = { crs: Crs; fields: Field[]; rows: [values: unknown[], geometry: unknown][] }

async function write(folder: string): Promise<void> {
  const { crs, fields, rows } = JSON.parse(readFileSync(join(folder, 'layer.json'), 'utf8')) as GivenLayer
  const features = rows.map(
    ([values, geometry]): Feature => ({
      values: values.map((value, i) =>
        fields[i]?.type === 'binary' && value !== null ? Buffer.from(value as string, 'base64') : value,
      ),
      geometry: geometry === null ? null : encodeGeometry(geometry).wkb,
    }),
  )
  const layer: Layer = { name: 'layer', fields, features, crs, sourceCrs: crs, warnings: [] }
  for (const name of ['ours', 'gdal']) mkdirSync(join(folder, name))
  const path = join(folder, 'ours/layer.gml')
  const blocks = await writeGml(layer, 'layer', path)
  writeFileSync(path, Buffer.concat([...blocks]))
  await createWithGdal('GML', join(folder, 'gdal/layer.gml'), 'layer', layer, [], ['FORMAT=GML3.2'])
}

for await (const folder of createInterface({ input: process.stdin })) {
  await write(folder)
  process.stdout.write(`${folder}\n`)
}
