/** Reads a GeoTIFF for a picture: the smallest overview that fills a screen. A separate chunk, with geotiff.js. */
import { fromUrl, type GeoTIFF, type GeoTIFFImage } from 'geotiff'
import { loadSystem, unproject } from '../../map/engine/projections.ts'

/** Samples of one band, row by row, with the values that stand for no data. */
export type RasterPicture = {
  width: number
  height: number
  /** Size of the whole raster, of which the picture may be an overview. */
  fullWidth: number
  fullHeight: number
  bands: ArrayLike<number>[]
  noData: number | undefined
  /** Red, green and blue as stored; otherwise one band is shown in grey. */
  isColour: boolean
  /** The CRS of its coordinates, as EPSG code. */
  crs: number | undefined
  /** Positions of the corners, from the upper left clockwise, where the system is known. */
  corners: [longitude: number, latitude: number][] | undefined
  /** Extent in the raster's own coordinates. */
  box: [number, number, number, number] | undefined
}

/** Maximum pixels of a picture: as many as a screen has. */
const WISHED_PIXELS = 1_200
/** Maximum number of samples to read: more takes seconds and hundreds of megabytes. */
const MAX_SAMPLES = 24_000_000
const MAX_BANDS = 3

/** There is no overview, and the whole raster is too large to be read for a picture. */
export class TooLargeRaster extends Error {}

async function imagesOf(tiff: GeoTIFF): Promise<GeoTIFFImage[]> {
  const count = await tiff.getImageCount()
  const images: GeoTIFFImage[] = []
  for (let i = 0; i < count; i++) images.push(await tiff.getImage(i))
  const [first] = images
  if (first === undefined) return []
  const shape = first.getWidth() / first.getHeight()
  // overviews have the shape of the raster; masks are skipped
  return images.filter(
    (image, i) =>
      i === 0 ||
      (image.getSamplesPerPixel() === first.getSamplesPerPixel() &&
        Math.abs(image.getWidth() / image.getHeight() / shape - 1) < 0.1),
  )
}

function crsOf(image: GeoTIFFImage): number | undefined {
  const keys = image.getGeoKeys()
  const code = Number(keys?.ProjectedCSTypeGeoKey ?? keys?.GeographicTypeGeoKey)
  return Number.isInteger(code) && code > 0 && code < 32_767 ? code : undefined
}

function boxOf(image: GeoTIFFImage): RasterPicture['box'] {
  try {
    return image.getBoundingBox() as [number, number, number, number]
  } catch {
    // the raster has no georeference
    return undefined
  }
}

/** @throws TooLargeRaster, and errors of files that cannot be read */
export async function readRaster(address: string, signal: AbortSignal): Promise<RasterPicture> {
  const tiff = await fromUrl(address, { allowFullFile: true, credentials: 'same-origin' } as object, signal)
  const images = await imagesOf(tiff)
  const [first] = images
  if (first === undefined) throw new Error('The file has no image')
  const bySize = images.toSorted((a, b) => a.getWidth() - b.getWidth())
  const image =
    bySize.find((one) => Math.max(one.getWidth(), one.getHeight()) >= WISHED_PIXELS) ?? (bySize.at(-1) as GeoTIFFImage)
  const [width, height] = [image.getWidth(), image.getHeight()]
  const samples = first.getSamplesPerPixel()
  const isColour = samples >= 3 && first.getBitsPerSample(0) === 8
  const wanted = isColour ? MAX_BANDS : 1
  if (width * height * wanted > MAX_SAMPLES) throw new TooLargeRaster()
  const reduce = Math.min(1, WISHED_PIXELS / Math.max(width, height))
  const size = { width: Math.max(1, Math.round(width * reduce)), height: Math.max(1, Math.round(height * reduce)) }
  const photometric = Number(await first.fileDirectory.loadValue('PhotometricInterpretation'))
  // palettes and colour spaces of JPEG are converted to red, green and blue
  const isConverted = photometric === 3 || photometric === 5 || photometric === 6 || photometric === 8
  const read = isConverted
    ? await image.readRGB({ ...size, interleave: false, signal } as object)
    : await image.readRasters({ ...size, interleave: false, samples: isColour ? [0, 1, 2] : [0], signal } as object)
  const bands = [...(read as unknown as ArrayLike<number>[])].slice(0, MAX_BANDS)
  const crs = crsOf(first)
  const box = boxOf(first)
  return {
    ...size,
    fullWidth: first.getWidth(),
    fullHeight: first.getHeight(),
    bands,
    noData: first.getGDALNoData() ?? undefined,
    isColour: isConverted || isColour,
    crs,
    box,
    corners: await cornersOf(crs, box),
  }
}

async function cornersOf(crs: number | undefined, box: RasterPicture['box']): Promise<RasterPicture['corners']> {
  if (crs === undefined || box === undefined) return undefined
  // without a known CRS there is a picture, but no map
  if (!(await loadSystem(crs).catch(() => false))) return undefined
  const [west, south, east, north] = box
  const corners = (
    [
      [west, north],
      [east, north],
      [east, south],
      [west, south],
    ] as const
  ).map(([x, y]) => unproject(crs, x, y))
  // a map in Mercator's projection ends before the poles
  return corners.every((corner) => corner !== undefined && Math.abs(corner[1]) <= 85.06)
    ? (corners as [number, number][])
    : undefined
}

export type Stretch = 'most' | 'all'
const MAX_SAMPLED = 200_000

/** The values drawn as black and white: the range of nearly all cells, or of all cells. */
export function limitsOf({ bands: [band], noData }: RasterPicture, stretch: Stretch): [least: number, most: number] {
  const values: number[] = []
  const step = Math.max(1, Math.floor((band?.length ?? 0) / MAX_SAMPLED))
  for (let i = 0; i < (band?.length ?? 0); i += step) {
    const value = band?.[i] as number
    if (Number.isFinite(value) && value !== noData) values.push(value)
  }
  values.sort((a, b) => a - b)
  const at = (share: number): number => values[Math.round(share * (values.length - 1))] ?? 0
  return stretch === 'all' ? [at(0), at(1)] : [at(0.02), at(0.98)]
}

export function pixelsOf(raster: RasterPicture, [least, most]: [number, number]): ImageData {
  const { width, height, bands, noData, isColour } = raster
  const pixels = new ImageData(width, height)
  const [red, green = red, blue = red] = bands
  const scale = most > least ? 255 / (most - least) : 0
  for (let i = 0; i < width * height; i++) {
    const values = [red?.[i], green?.[i], blue?.[i]] as number[]
    const isEmpty = values.some((value) => !Number.isFinite(value)) || values.every((value) => value === noData)
    for (let c = 0; c < 3; c++)
      pixels.data[i * 4 + c] = isColour ? (values[c] as number) : ((values[c] as number) - least) * scale
    pixels.data[i * 4 + 3] = isEmpty ? 0 : 255
  }
  return pixels
}
