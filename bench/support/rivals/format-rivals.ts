/** Conversions from GeoJSON to the other vector formats and back, compared with `ogr2ogr`, which repairs geometries too. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolData } from '../tool-data.ts'
import type { Contest } from '../tool-rivals.ts'

type Format = {
  /** As `target_format`. */
  name: string
  driver: string
  /** The file that the driver writes, and reads again with `open` before its path. */
  extension: string
  open?: string
}

const FORMATS: Format[] = [
  { name: 'gpkg', driver: 'GPKG', extension: 'gpkg' },
  { name: 'fgb', driver: 'FlatGeobuf', extension: 'fgb' },
  { name: 'shp', driver: 'ESRI Shapefile', extension: 'shp.zip', open: '/vsizip/' },
  { name: 'kml', driver: 'KML', extension: 'kml' },
  { name: 'gml', driver: 'GML', extension: 'gml' },
]

const convert = (driver: string, out: string, from: string): string[] => {
  return ['ogr2ogr', '-makevalid', '-f', driver, out, from]
}

/** The parcels in a format, as GDAL writes them. */
function sourceIn({ driver, extension }: Format, { parcels }: ToolData): string {
  const path = parcels.replace(/\.geojson$/, `-source.${extension}`)
  if (!existsSync(path)) spawnSync('ogr2ogr', ['-f', driver, path, parcels])
  return path
}

const tool = { tool: 'convert.validate-convert', route: '/validate-convert' }

export const FORMAT_CONTESTS: Contest[] = FORMATS.flatMap((format): Contest[] => {
  const { name, driver, extension, open = '' } = format
  return [
    {
      ...tool,
      on: `GeoJSON to ${name}`,
      fields: () => ({ target_format: name }),
      files: ({ parcels: file }) => ({ file }),
      rival: { kind: 'gdal', command: ({ parcels }, out) => [convert(driver, join(out, `out.${extension}`), parcels)] },
    },
    {
      ...tool,
      on: `${name} to GeoJSON`,
      fields: () => ({ target_format: 'geojson' }),
      files: (data) => ({ file: sourceIn(format, data) }),
      rival: {
        kind: 'gdal',
        command: (data, out) => [convert('GeoJSON', join(out, 'out.geojson'), `${open}${sourceIn(format, data)}`)],
      },
    },
  ]
})
