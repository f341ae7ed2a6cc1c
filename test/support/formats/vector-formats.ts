/** A layer in every vector format, and the same layer as GDAL writes it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../program.ts'
import { box, type Given, geojson } from '../workers/engine.ts'

export const ARABIC = 'الرياض'
export const source = geojson([
  [
    { name: ARABIC, note: 'Straße "ß"', n: 1, big: 9_007_199_254_740_991, share: 0.25, when: '2024-02-29' },
    box(10, 50, 11, 51),
  ],
  [
    { name: 'two', note: '', n: -2, big: 2, share: -1.5e-7, when: null },
    { type: 'MultiPolygon', coordinates: [box(0, 0, 1, 1).coordinates, box(2, 2, 3, 3).coordinates] },
  ],
])
export const FORMATS = ['geojson', 'shp', 'kml', 'gml', 'gpkg', 'fgb', 'kmz', 'parquet'] as const

/** The layer in UTM zone 32, written to `dir` by ogr2ogr. */
export const utm = (dir: string, driver: string, name: string, options: string[] = []): Given => {
  const path = join(dir, name)
  writeFileSync(join(dir, 'source.geojson'), (source as { content: string }).content)
  outputOf('ogr2ogr', ['-f', driver, '-t_srs', 'EPSG:25832', ...options, path, join(dir, 'source.geojson')])
  return { name, content: readFileSync(path) }
}
