/** GeoTIFFs of strangers, opened by GDAL after a look at what they promise. Runs in Node only. */
import type * as Gdal from 'gdal-async'
import { describeCrs, loadGdal, toSrs } from '../geo/gdal.ts'
import { type Crs, WGS84 } from '../geo/layer.ts'
import { InputError } from '../input-error.ts'
import { isCompressed, readTiffLayout, type TiffLayout } from './tiff-directory.ts'

/** x = at(0) + column · at(1) + row · at(2), y = at(3) + column · at(4) + row · at(5), of a cell's upper left corner. */
export type GeoTransform = readonly [number, number, number, number, number, number]

export type OpenRaster = {
  dataset: Gdal.Dataset
  layout: TiffLayout
  width: number
  height: number
  bandCount: number
  crs: Crs | undefined
  /** Undefined when the file does not say where it lies. */
  transform: GeoTransform | undefined
  close(): void
}

/** @throws InputError `format`, `unreadable`, `samples`, `blockBytes` */
export async function openRaster(path: string, maxSamples: number): Promise<OpenRaster> {
  const layout = readTiffLayout(path)
  const [{ width, height, samplesPerPixel }] = layout.directories as [TiffLayout['directories'][number]]
  if (width * height * samplesPerPixel > maxSamples) {
    const size = `${width} × ${height} cells in ${samplesPerPixel} bands`
    throw new InputError('samples', `has ${size}, more than the ${Math.floor(maxSamples / 1e6)} million that it may`)
  }
  const gdal = await loadGdal()
  // blocks are decoded side by side; plain ones would only be handed about
  gdal.config.set('GDAL_NUM_THREADS', isCompressed(layout) ? 'ALL_CPUS' : '1')
  let dataset: Gdal.Dataset
  try {
    dataset = gdal.open(path, 'r', ['GTiff'])
  } catch (cause) {
    throw new InputError('unreadable', 'cannot be read as a GeoTIFF', cause)
  }
  const blockBytes = blockBytesOf(dataset)
  if (blockBytes > MAX_BLOCK_BYTES) {
    dataset.close()
    const [has, most] = [blockBytes, MAX_BLOCK_BYTES].map((bytes) => `${Math.round(bytes / 2 ** 20)} MB`)
    throw new InputError(
      'blockBytes',
      `has strips or tiles of which ${has} must be decoded at a time, over all bands; ${most} are the most`,
    )
  }
  const transform = dataset.geoTransform as unknown as GeoTransform | null
  return {
    dataset,
    layout,
    width: dataset.rasterSize.x,
    height: dataset.rasterSize.y,
    bandCount: dataset.bands.count(),
    crs: describeCrs(dataset.srs),
    transform:
      transform === null || transform[1] * transform[5] - transform[2] * transform[4] === 0 ? undefined : transform,
    close: () => dataset.close(),
  }
}

/** What fits into GDAL's cache (gdal.ts): less, and a block would be decoded again for every part that is read of it. */
const MAX_BLOCK_BYTES = 120 * 2 ** 20
/** A larger block is read in parts, and blocks of all bands are wanted at a time. */
const LARGE_BLOCK_BYTES = 8 * 2 ** 20

/** Of what must be held decoded at a time; bands that lie pixel by pixel always come together. */
function blockBytesOf(dataset: Gdal.Dataset): number {
  const { blockSize, dataType } = dataset.bands.get(1)
  const bits = Number(/\d+$/.exec(dataType ?? '')?.[0] ?? 8) * (dataType?.startsWith('C') ? 2 : 1)
  const { INTERLEAVE } = dataset.getMetadata('IMAGE_STRUCTURE') as { INTERLEAVE?: string }
  const one = (blockSize.x * blockSize.y * bits) / 8
  return INTERLEAVE === 'PIXEL' || one > LARGE_BLOCK_BYTES ? one * dataset.bands.count() : one
}

/** Of a position in columns and rows. */
function toMap([x, dxColumn, dxRow, y, dyColumn, dyRow]: GeoTransform, column: number, row: number): [number, number] {
  return [x + column * dxColumn + row * dxRow, y + column * dyColumn + row * dyRow]
}

export type Bounds = [minX: number, minY: number, maxX: number, maxY: number]

const boundsOf = (points: readonly (readonly [number, number])[]): Bounds => {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** In the raster's own CRS. */
export function mapBounds({ width, height }: OpenRaster, transform: GeoTransform): Bounds {
  const corners = [
    [0, 0],
    [width, 0],
    [0, height],
    [width, height],
  ] as const
  return boundsOf(corners.map(([column, row]) => toMap(transform, column, row)))
}

/** Points along each side; sides of most rasters are curved in degrees. */
const POINTS_A_SIDE = 21

/** In degrees; undefined where the CRS cannot be told in WGS 84. West is greater than east across the antimeridian. */
export async function wgs84Bounds(raster: OpenRaster, crs: Crs, transform: GeoTransform): Promise<Bounds | undefined> {
  const gdal = await loadGdal()
  const { width, height } = raster
  const shares = Array.from({ length: POINTS_A_SIDE }, (_, i) => i / (POINTS_A_SIDE - 1))
  const edge = shares.flatMap((share) => [
    [share * width, 0],
    [share * width, height],
    [0, share * height],
    [width, share * height],
  ]) as [number, number][]
  try {
    const degrees = new gdal.CoordinateTransformation(toSrs(gdal, crs), toSrs(gdal, WGS84))
    const points = edge.map(([column, row]): [number, number] => {
      const [x, y] = toMap(transform, column, row)
      const moved = degrees.transformPoint(x, y)
      return [moved.x, moved.y]
    })
    if (!points.flat().every(Number.isFinite)) return undefined
    const bounds = boundsOf(points)
    if (crs.geographic || bounds[2] - bounds[0] <= 180) return bounds
    const eastern = points.map(([x, y]): [number, number] => [x < 0 ? x + 360 : x, y])
    const [west, south, east, north] = boundsOf(eastern)
    return east - west <= 180 ? [west, south, east - 360, north] : bounds
  } catch {
    // where a CRS ends PROJ has no answer, and neither have we
    return undefined
  }
}

/** Reads of a band, with what the file says that a value means nothing. */
export type BandReader = {
  band: Gdal.RasterBand
  dataType: string
  nodata: number | null
  /** Whether a mask band beside the values says what is missing. */
  masked: boolean
}

const MASK_ALL_VALID = 1
const MASK_NODATA = 8

export function bandReader(dataset: Gdal.Dataset, index: number): BandReader {
  const band = dataset.bands.get(index)
  const dataType = band.dataType ?? ''
  const flags = Number(band.getMaskFlags())
  const { noDataValue } = band
  const nodata = noDataValue === null || dataType !== 'Float32' ? noDataValue : Math.fround(noDataValue)
  return { band, dataType, nodata, masked: (flags & (MASK_ALL_VALID | MASK_NODATA)) === 0 }
}
