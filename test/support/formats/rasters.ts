/** Creates and reads rasters with the GDAL programs, as a reference for the tools. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf } from '../program.ts'
import { sharedFolder } from '../run-end.ts'

const home = sharedFolder('rasters')
let made = 0

const ENVIRONMENT = { PATH: process.env.PATH ?? '', GDAL_PAM_ENABLED: 'NO', GDAL_TIFF_INTERNAL_MASK: 'YES' }

/** @returns the standard output */
export function gdal(program: string, ...args: (string | number)[]): string {
  return outputOf(program, args.map(String), { env: ENVIRONMENT }).toString()
}

export const freshPath = (name: string): string => join(home, `${++made}-${name}`)

export type Made = { name: string; path: string; content: Buffer }
export const madeAt = (path: string): Made => ({ name: 'raster.tif', path, content: readFileSync(path) })

const ENVI_TYPES = [Uint8Array, Int16Array, Int32Array, Float32Array, Float64Array, Uint16Array, Uint32Array] as const
const ENVI_CODES = [1, 2, 3, 4, 5, 12, 13]
export type Samples = InstanceType<(typeof ENVI_TYPES)[number]>

/**
 * A GeoTIFF of the given values in EPSG:25833, with cells of 10 m and its upper left corner at 400000, 5800000.
 * @param args arguments for gdal_translate, such as `-co TILED=YES`
 */
export function geotiff(bands: readonly Samples[], width: number, ...args: (string | number)[]): Made {
  const [first] = bands as [Samples]
  const height = first.length / width
  const raw = freshPath('raw.bil')
  writeFileSync(
    raw,
    Buffer.concat(bands.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))),
  )
  const code = ENVI_CODES[ENVI_TYPES.findIndex((type) => first instanceof type)]
  const header = {
    samples: width,
    lines: height,
    bands: bands.length,
    'header offset': 0,
    'data type': code,
    interleave: 'bsq',
    'byte order': 0,
  }
  const lines = Object.entries(header).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(raw.replace('.bil', '.hdr'), ['ENVI', ...lines, ''].join('\n'))
  const path = freshPath('raster.tif')
  const place = ['-a_srs', 'EPSG:25833', '-a_ullr', 400_000, 5_800_000, 400_000 + 10 * width, 5_800_000 - 10 * height]
  gdal('gdal_translate', '-q', ...place, ...args, raw, path)
  return madeAt(path)
}

export type Info = {
  size: [number, number]
  wgs84Extent: { coordinates: [number, number][][] }
  cornerCoordinates: Record<'upperLeft' | 'lowerRight' | 'lowerLeft' | 'upperRight', [number, number]>
  metadata: Record<string, Record<string, string>>
  bands: {
    type: string
    colorInterpretation: string
    noDataValue?: number | string
    checksum?: number
    description?: string
    scale?: number
    overviews?: { size: [number, number]; checksum?: number }[]
    mask?: { flags: string[]; overviews?: unknown[] }
    colorTable?: { entries: number[][] }
    histogram?: { count: number; min: number; max: number; buckets: number[] }
    metadata: Record<string, Record<string, string>>
  }[]
}

export const info = (path: string, ...options: string[]): Info =>
  JSON.parse(gdal('gdalinfo', '-json', ...options, path)) as Info

/** Reproducible terrain: waves with a little noise, so that values differ. */
export function terrain(width: number, height: number, scale = 100, base = 500): Float64Array<ArrayBuffer> {
  let state = 42
  return new Float64Array(width * height).map((_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)]
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return base + scale * Math.sin(x / 13) * Math.cos(y / 19) + (scale / 40) * (state / 2 ** 32)
  })
}
