/** Opens untrusted GeoTIFFs with GDAL, after checking the sizes that their directories declare. Runs in Node only. */
import type * as Gdal from 'gdal-async'
import { fieldText } from '../../field-texts/field-text.ts'
import { largest, smallest } from '../../lists.ts'
import { describeCrs, type GdalModule, loadGdal, transformationBetween } from '../geo/formats/gdal/gdal.ts'
import { nearestTurn, wrapped } from '../geo/geometry/longitude.ts'
import { type Crs, WGS84 } from '../geo/layers/layer.ts'
import { type Pole, polesIn } from '../geo/projection/change-crs.ts'
import { rejectFiles } from '../geo/projection/safe-crs.ts'
import { newReference } from '../geo/projection/spatial-reference.ts'
import { InputError } from '../input-error.ts'
import { type ControlPoints, controlPointsOf } from './control-points.ts'
import { isCompressed, readTiffLayout, type TiffLayout } from './tiff-directory.ts'

/** The upper left corner of a cell: x = t[0] + column · t[1] + row · t[2], y = t[3] + column · t[4] + row · t[5]. */
export type GeoTransform = readonly [number, number, number, number, number, number]

export type OpenRaster = {
  dataset: Gdal.Dataset
  layout: TiffLayout
  width: number
  height: number
  bandCount: number
  crs: Crs | undefined
  /** Undefined when the file is not georeferenced. */
  transform: GeoTransform | undefined
  /** Set when the raster is located only by control points. */
  controlPoints: ControlPoints | undefined
  close(): void
}

/** A raster with more cells must have a byte for every thousand of them: omitted blocks take time to read as well. */
const FREE_SAMPLES = 250e6
const SAMPLES_PER_BYTE = 1_000

/** @throws InputError `samples` */
function checkDensity(samples: number, bytes: number): void {
  if (samples <= Math.max(FREE_SAMPLES, bytes * SAMPLES_PER_BYTE)) return
  throw new InputError(
    'samples',
    fieldText('emptyCells', {
      count: Math.round(samples / 1e6),
      bytes,
      most: FREE_SAMPLES / 1e6,
      each: SAMPLES_PER_BYTE,
    }),
  )
}

/** @throws InputError `format`, `unreadable`, `samples`, `blockBytes`, `crs` */
export async function openRaster(path: string, maxSamples: number): Promise<OpenRaster> {
  const layout = readTiffLayout(path)
  const [{ width, height, samplesPerPixel }] = layout.directories as [TiffLayout['directories'][number]]
  if (width * height * samplesPerPixel > maxSamples) {
    const values = { size: `${width} × ${height}`, bands: samplesPerPixel, most: Math.floor(maxSamples / 1e6) }
    throw new InputError('samples', fieldText('cellCount', values))
  }
  rejectFiles(layout.crsText)
  const gdal = await loadGdal()
  // decode compressed blocks in parallel; for uncompressed ones, threads only add overhead
  gdal.config.set('GDAL_NUM_THREADS', isCompressed(layout) ? 'ALL_CPUS' : '1')
  let dataset: Gdal.Dataset
  try {
    dataset = gdal.open(path, 'r', ['GTiff'])
  } catch (cause) {
    throw new InputError('unreadable', fieldText('unreadAs', { format: 'GeoTIFF' }), cause)
  }
  try {
    return opened(gdal, dataset, layout)
  } catch (error) {
    dataset.close()
    throw error
  }
}

/** @throws InputError `blockBytes`, `samples`, `crs` */
function opened(gdal: GdalModule, dataset: Gdal.Dataset, layout: TiffLayout): OpenRaster {
  const blockBytes = blockBytesOf(dataset)
  if (blockBytes > MAX_BLOCK_BYTES) {
    const [has, most] = [blockBytes, MAX_BLOCK_BYTES].map((bytes) => Math.round(bytes / 2 ** 20)) as [number, number]
    throw new InputError('blockBytes', fieldText('blockSize', { has, most }))
  }
  const [{ width, height, samplesPerPixel }] = layout.directories as [TiffLayout['directories'][number]]
  checkDensity(width * height * samplesPerPixel, layout.bytes)
  const given = dataset.geoTransform as unknown as GeoTransform | null
  const transform = given === null || given[1] * given[5] - given[2] * given[4] === 0 ? undefined : given
  return {
    dataset,
    layout,
    width: dataset.rasterSize.x,
    height: dataset.rasterSize.y,
    bandCount: dataset.bands.count(),
    crs: describeCrs(newReference(() => dataset.srs)),
    transform,
    controlPoints: transform === undefined ? controlPointsOf(gdal, dataset) : undefined,
    close: () => dataset.close(),
  }
}

/** @throws InputError `georeference` when the raster is not georeferenced, or only by control points */
export function georeferenceOf({ transform, controlPoints }: OpenRaster): GeoTransform {
  if (transform !== undefined) return transform
  if (controlPoints === undefined) throw new InputError('georeference', fieldText('noGeoreference'))
  const { count } = controlPoints
  throw new InputError('georeference', fieldText('onlyControlPoints', { count }))
}

/** Must fit into GDAL's cache (gdal.ts); otherwise a block would be decoded again for every part that is read. */
const MAX_BLOCK_BYTES = 120 * 2 ** 20
/** Blocks above this size are read in parts, so the blocks of all bands are held at once. */
const LARGE_BLOCK_BYTES = 8 * 2 ** 20

/** Bytes that must be decoded together; pixel-interleaved bands are always decoded together. */
function blockBytesOf(dataset: Gdal.Dataset): number {
  const { blockSize, dataType } = dataset.bands.get(1)
  const bits = Number(/\d+$/.exec(dataType ?? '')?.[0] ?? 8) * (dataType?.startsWith('C') ? 2 : 1)
  const { INTERLEAVE } = dataset.getMetadata('IMAGE_STRUCTURE') as { INTERLEAVE?: string }
  const one = (blockSize.x * blockSize.y * bits) / 8
  return INTERLEAVE === 'PIXEL' || one > LARGE_BLOCK_BYTES ? one * dataset.bands.count() : one
}

/** Map coordinates of a position in columns and rows. */
function toMap([x, dxColumn, dxRow, y, dyColumn, dyRow]: GeoTransform, column: number, row: number): [number, number] {
  return [x + column * dxColumn + row * dxRow, y + column * dyColumn + row * dyRow]
}

export type Bounds = [minX: number, minY: number, maxX: number, maxY: number]

const boundsOf = (points: readonly (readonly [number, number])[]): Bounds => {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return [smallest(xs), smallest(ys), largest(xs), largest(ys)]
}

/** Bounds in the CRS of the raster. */
export function mapBounds({ width, height }: OpenRaster, transform: GeoTransform): Bounds {
  const corners = [
    [0, 0],
    [width, 0],
    [0, height],
    [width, height],
  ] as const
  return boundsOf(corners.map(([column, row]) => toMap(transform, column, row)))
}

/** Points sampled along each side, because the sides of most rasters are curved in degrees. */
const POINTS_A_SIDE = 128

/** Bounds in degrees; undefined outside the area of the CRS. West is greater than east across the antimeridian. */
export async function wgs84Bounds(raster: OpenRaster, crs: Crs, transform: GeoTransform): Promise<Bounds | undefined> {
  const gdal = await loadGdal()
  const { width, height } = raster
  const shares = Array.from({ length: POINTS_A_SIDE }, (_, i) => i / POINTS_A_SIDE)
  const border = [
    ...shares.map((share) => [share * width, 0]),
    ...shares.map((share) => [width, share * height]),
    ...shares.map((share) => [(1 - share) * width, height]),
    ...shares.map((share) => [0, (1 - share) * height]),
    [0, 0],
  ] as [number, number][]
  try {
    const degrees = transformationBetween(gdal, crs, WGS84)
    let before: number | undefined
    const points = border.map(([column, row]): [number, number] => {
      const place = toMap(transform, column, row)
      const { x, y } = degrees.transformPoint(...place)
      // degrees of the raster itself may exceed ±180; projected longitudes are unrolled from the previous point
      const longitude = nearestTurn(x, crs.geographic ? place[0] : (before ?? x))
      before = longitude
      return [longitude, y]
    })
    if (!points.flat().every(Number.isFinite)) return undefined
    const [west, south, east, north] = boundsOf(points)
    if (crs.geographic) return withinTurn(west, south, east, north)
    const inside = polesIn(transformationBetween(gdal, WGS84, crs)).filter((pole) => contains(raster, transform, pole))
    if (inside.length === 0) return withinTurn(west, south, east, north)
    const latitudes = inside.map(({ latitude }) => latitude)
    return [-180, smallest([south, ...latitudes]), 180, largest([north, ...latitudes])]
  } catch {
    // PROJ cannot project all points of the edge
    return undefined
  }
}

function withinTurn(west: number, south: number, east: number, north: number): Bounds {
  if (east - west >= 360 - 1e-9) return [-180, south, 180, north]
  return west >= -180 && east <= 180 ? [west, south, east, north] : [wrapped(west), south, wrapped(east), north]
}

/** Whether a position of the map is on the raster. */
function contains({ width, height }: OpenRaster, [x0, a, b, y0, c, d]: GeoTransform, { x, y }: Pole): boolean {
  const determinant = a * d - b * c
  const column = (d * (x - x0) - b * (y - y0)) / determinant
  const row = (a * (y - y0) - c * (x - x0)) / determinant
  return column >= 0 && column <= width && row >= 0 && row <= height
}
