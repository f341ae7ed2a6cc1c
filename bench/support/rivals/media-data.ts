/** Deterministic rasters and images for the tools bench. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { star } from '../../../test/support/formats/geometries.ts'
import { seeded } from '../../../test/support/random.ts'
import { FIXTURES } from '../../../test/support/workers/tools.ts'

const SIDE = 10_000
/** Upper left corner in EPSG:25833, and the side of a cell in metres. */
const [X, Y, CELL_M] = [300_000, 5_900_000, 10]

function run(command: string[]): void {
  const { status, stderr } = spawnSync(command[0] as string, command.slice(1))
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
}

/** 100 megapixels of floats: hills, ridges between random heights, and noise, rounded to centimetres. */
function terrain(): Float32Array {
  const random = seeded(12_345)
  const knots = 512
  const heights = Float32Array.from({ length: (knots + 1) ** 2 }, () => random())
  const cells = new Float32Array(SIDE * SIDE)
  for (let y = 0; y < SIDE; y++) {
    const [gy, hills] = [y / 20, Math.cos(y / 900)]
    const [row, dy] = [(Math.floor(gy) % knots) * (knots + 1), gy % 1]
    for (let x = 0; x < SIDE; x++) {
      const gx = x / 20
      const [column, dx] = [Math.floor(gx) % knots, gx % 1]
      const at = (step: number): number => heights[row + column + step] as number
      const ridge = (at(0) * (1 - dx) + at(1) * dx) * (1 - dy) + (at(knots + 1) * (1 - dx) + at(knots + 2) * dx) * dy
      cells[y * SIDE + x] = Math.round((800 + 400 * Math.sin(x / 1100) * hills + 60 * ridge + random() / 2) * 100) / 100
    }
  }
  return cells
}

export type RasterData = Record<'dem' | 'packed' | 'part' | 'packedPart' | 'zones', string>

/** A DEM in uncompressed strips and in compressed tiles, a fifth of it as both, and 10,000 zones over it. */
export function writeRasterData(dir: string): RasterData {
  const fileOf = (name: string): string => join(dir, name)
  const [raw, dem, packed, zones] = [
    fileOf('dem.bil'),
    fileOf('dem.tif'),
    fileOf('dem_packed.tif'),
    fileOf('zones.geojson'),
  ]
  const [part, packedPart] = [fileOf('part.tif'), fileOf('part_packed.tif')]
  writeFileSync(raw, terrain())
  const header = { samples: SIDE, lines: SIDE, bands: 1, 'header offset': 0, 'data type': 4, interleave: 'bsq' }
  const lines = Object.entries({ ...header, 'byte order': 0 }).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(join(dir, 'dem.hdr'), ['ENVI', ...lines, ''].join('\n'))
  const place = [X, Y, X + SIDE * CELL_M, Y - SIDE * CELL_M].map(String)
  const georeference = ['-a_srs', 'EPSG:25833', '-a_nodata', '-9999']
  run(['gdal_translate', '-q', ...georeference, '-a_ullr', ...place, raw, dem])
  const options = ['COMPRESS=DEFLATE', 'PREDICTOR=3', 'TILED=YES', 'NUM_THREADS=ALL_CPUS']
  const deflate = options.flatMap((option) => ['-co', option])
  run(['gdal_translate', '-q', ...deflate, dem, packed])
  run(['gdal_translate', '-q', '-srcwin', '0', '0', '5000', '4000', dem, part])
  run(['gdal_translate', '-q', ...deflate, part, packedPart])
  const random = seeded(4)
  const features = Array.from({ length: 10_000 }, (_, id) => {
    const step = (SIDE * CELL_M) / 100
    const [x, y] = [X + ((id % 100) + 0.5) * step, Y - (Math.floor(id / 100) + 0.5) * step]
    const coordinates = [star(random, x, y, step * 0.55, 8 + Math.floor(random() * 13))]
    return { type: 'Feature', properties: { id }, geometry: { type: 'Polygon', coordinates } }
  })
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25833' } }
  writeFileSync(zones, JSON.stringify({ type: 'FeatureCollection', crs, features }))
  return { dem, packed, part, packedPart, zones }
}

export type ImageData = Record<'photo' | 'png' | 'large' | 'half' | 'logo', string>

/** A photo of 12 megapixels, as JPEG and as PNG, and enlarged to 50 and to 100 megapixels. */
export async function writeImageData(dir: string): Promise<ImageData> {
  const fileOf = (name: string): string => join(dir, name)
  const [photo, png, large, half] = [fileOf('photo.jpg'), fileOf('photo.png'), fileOf('large.jpg'), fileOf('half.jpg')]
  const pixels = await sharp(join(FIXTURES, 'dull.jpg'))
    .resize({ width: 4_000, height: 3_000, fit: 'cover' })
    .raw()
    .toBuffer()
  const random = seeded(8)
  // camera noise
  for (let i = 0; i < pixels.length; i++)
    pixels[i] = Math.min(255, Math.max(0, (pixels[i] as number) + 2 * (random() - 0.5)))
  const raw = { width: 4_000, height: 3_000, channels: 3 } as const
  await sharp(pixels, { raw }).jpeg({ quality: 92 }).toFile(photo)
  await sharp(pixels, { raw }).png().toFile(png)
  await sharp(pixels, { raw }).resize(SIDE, SIDE, { fit: 'fill' }).jpeg({ quality: 85 }).toFile(large)
  await sharp(pixels, { raw })
    .resize(SIDE, SIDE / 2, { fit: 'fill' })
    .jpeg({ quality: 85 })
    .toFile(half)
  return { photo, png, large, half, logo: join(FIXTURES, 'logo.png') }
}
