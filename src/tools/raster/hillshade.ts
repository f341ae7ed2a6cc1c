/**
 * Shaded relief. Slopes come from Horn's method (Proceedings of the IEEE 69, 1981): differences over the eight
 * neighbours of a cell, the nearer ones with double weight. The value is the cosine of the angle between the surface's
 * normal and the light, from 1 to 255. Several directions are combined after Mark (USGS Open-File Report 92-422), with the
 * weights that gdaldem uses.
 */

import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { stemOf } from '../../lib/file-name.ts'
import { distanceM } from '../../lib/geo/geometry/geodesic.ts'
import { WGS84 } from '../../lib/geo/layers/layer.ts'
import { reprojection } from '../../lib/geo/projection/reprojection.ts'
import type { CellValues } from '../../lib/raster/band-reader.ts'
import { type Neighbourhood, writeFocal } from '../../lib/raster/focal.ts'
import { type GeoTransform, georeferenceOf, mapBounds, type OpenRaster } from '../../lib/raster/open-raster.ts'
import { append } from '../../lists.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { flag, number, numberResult } from '../params.ts'
import { bandField, checkedBand, rasterFile, rasterOutput, rasterOutputOf, withRaster } from '../rasters.ts'
import { defineTool } from '../tool.ts'

const NODATA = 0
/** Shades lie from 1 to 255. */
const RANGE = 254
/** Metres of a degree on the equator of WGS 84. */
const METRES_PER_DEGREE = (6_378_137 * Math.PI) / 180

export default defineTool({
  id: 'raster.hillshade',
  route: '/hillshade',
  version: '1.1.0',
  title: { en: 'Hillshade', ar: 'تظليل التضاريس' },
  description: {
    en: "Shades an elevation model as if light fell on it, by Horn's method. The result is a GeoTIFF of bytes: 1 is dark, 255 is bright, and 0 is nodata. Cells at the edge and next to nodata have no shade.",
    ar: 'يظلّل نموذج الارتفاعات كأن الضوء يسقط عليه بطريقة Horn. النتيجة ملف GeoTIFF من بايتات: 1 معتم و255 ساطع و0 بلا بيانات. لا ظل للخلايا على الحافة أو بجوار خلايا بلا بيانات.',
  },
  keywords: ['hillshade', 'shaded relief', 'terrain', 'dem', 'elevation'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'raster',
  outputKind: 'raster',
  input: Type.Object({
    file: rasterFile(),
    band: bandField(),
    azimuth: number(
      {
        title: { en: 'Azimuth', ar: 'السمت' },
        en: 'Direction that the light comes from, in degrees clockwise from north',
        ar: 'الاتجاه الذي يأتي منه الضوء بالدرجات من الشمال مع عقارب الساعة',
      },
      { minimum: 0, maximum: 360, default: 315 },
      { 'x-svc-usedWhen': { field: 'multidirectional', equals: false } },
    ),
    altitude: number(
      {
        title: { en: 'Altitude', ar: 'الارتفاع الزاوي' },
        en: 'Height of the light above the horizon, in degrees',
        ar: 'ارتفاع الضوء فوق الأفق بالدرجات',
      },
      { minimum: 0, maximum: 90, default: 45 },
    ),
    z_factor: number(
      {
        title: { en: 'Vertical exaggeration', ar: 'المبالغة الرأسية' },
        en: 'Factor that elevations are multiplied by',
        ar: 'العامل الذي تُضرب فيه الارتفاعات',
      },
      { minimum: 0.000001, maximum: 1_000_000, default: 1 },
    ),
    scale: Type.Optional(
      number(
        {
          title: { en: 'Scale', ar: 'المقياس' },
          en: 'Units of elevation in one unit of the CRS, such as 111120 for metres and degrees. If left out: in degrees, metres at the latitude of the centre; otherwise 1',
          ar: 'عدد وحدات الارتفاع في وحدة من نظام الإحداثيات، مثل 111120 للأمتار والدرجات. إن تُرك: للدرجات يُحسب بالأمتار عند خط عرض المركز، وإلا فهو 1',
        },
        { minimum: 0.000001, maximum: 1_000_000_000 },
      ),
    ),
    multidirectional: flag(
      {
        title: { en: 'Light from several directions', ar: 'إضاءة من عدة اتجاهات' },
        en: 'Combine light from 225, 270, 315 and 360 degrees instead of one azimuth',
        ar: 'الجمع بين الضوء من 225 و270 و315 و360 درجة بدل سمت واحد',
      },
      false,
    ),
  }),
  output: Type.Object({
    ...rasterOutput,
    scaleX: numberResult(
      'Units of elevation in one unit of the CRS from west to east',
      'وحدات الارتفاع في وحدة من نظام الإحداثيات من الغرب إلى الشرق',
    ),
    scaleY: numberResult(
      'Units of elevation in one unit of the CRS from south to north',
      'وحدات الارتفاع في وحدة من نظام الإحداثيات من الجنوب إلى الشمال',
    ),
  }),
  examples: [
    { name: 'light from the north-west', input: { file: 'dem.tif' } },
    { name: 'from several directions, twice as high', input: { file: 'dem.tif', z_factor: 2, multidirectional: true } },
  ],
  async run({ file, band, azimuth, altitude, z_factor, scale, multidirectional }, context) {
    return withRaster(file, 'file', context, async (raster) => {
      const warnings = await checkedBand(band, raster)
      const transform = georeferenceOf(raster)
      if (raster.crs === undefined) warnings.push(warning('unitsAssumed'))
      const { scaleX, scaleY } =
        scale === undefined ? automaticScale(raster, transform) : { scaleX: scale, scaleY: scale }
      if (scale === undefined) append(warnings, await scaleWarnings(raster, transform, scaleX, scaleY))
      const slopes = slopesOf(transform, z_factor / scaleX, z_factor / scaleY)
      const shade = multidirectional ? shadeFromAll(altitude) : shadeFrom(azimuth, altitude)
      const path = join(context.scratch, 'hillshade.tif')
      const compute = (source: Neighbourhood, result: Float64Array) => shadeCells(source, slopes, shade, result)
      const output = { path, dataType: 'Byte', nodata: NODATA, compute } as const
      const validCells = await writeFocal(raster, band, output, context.progress)
      const filename = `${stemOf(file.filename, 'raster')}_hillshade.tif`
      return {
        data: { ...rasterOutputOf(raster, validCells), scaleX, scaleY },
        files: [{ role: 'output', path, filename, mediaType: 'image/tiff', crs: raster.crs?.code }],
        warnings,
      }
    })
  },
})

/** A degree of longitude shrinks towards the poles; the latitude of the centre stands for the whole raster. */
function automaticScale(raster: OpenRaster, transform: GeoTransform): { scaleX: number; scaleY: number } {
  if (!raster.crs?.geographic) return { scaleX: 1, scaleY: 1 }
  const [, south, , north] = mapBounds(raster, transform)
  const latitude = (Math.max(-90, Math.min(90, (south + north) / 2)) * Math.PI) / 180
  return { scaleX: METRES_PER_DEGREE * Math.cos(latitude), scaleY: METRES_PER_DEGREE }
}

/** Accepted relative error of the lengths used for slopes against lengths on the ground. */
const MAX_LENGTH_ERROR = 0.1

/** No plane keeps all lengths, and a degree has no length of its own: one scale for a large raster may be far off. */
async function scaleWarnings(
  raster: OpenRaster,
  transform: GeoTransform,
  scaleX: number,
  scaleY: number,
): Promise<Warning[]> {
  const { crs } = raster
  if (crs === undefined) return []
  const toDegrees = await reprojection(crs, WGS84)
  const [minX, minY, maxX, maxY] = mapBounds(raster, transform)
  const step = crs.geographic ? 0.001 : 100
  let most = 0
  for (const x of [minX, (minX + maxX) / 2, maxX])
    for (const y of [minY, (minY + maxY) / 2, maxY]) {
      const [here, east, north] = [toDegrees(x, y), toDegrees(x + step, y), toDegrees(x, y + step)]
      if (here === undefined || east === undefined || north === undefined) continue
      for (const [there, scale] of [
        [east, scaleX],
        [north, scaleY],
      ] as const)
        most = Math.max(most, Math.abs(distanceM(here[0], here[1], there[0], there[1]) / (step * scale) - 1))
    }
  return most < MAX_LENGTH_ERROR ? [] : [warning('slopesOff', { percent: Math.round(most * 100) })]
}

/** Eastward slope = dColumn · a + dRow · b and northward slope = dColumn · c + dRow · d, of Horn's differences. */
type Slopes = { a: number; b: number; c: number; d: number }

function slopesOf(transform: GeoTransform, factorX: number, factorY: number): Slopes {
  const [, xColumn, xRow, , yColumn, yRow] = transform
  // Horn's weights add up to 8 cells
  const determinant = 8 * (xColumn * yRow - xRow * yColumn)
  return {
    a: (yRow / determinant) * factorX,
    b: (-yColumn / determinant) * factorX,
    c: (-xRow / determinant) * factorY,
    d: (xColumn / determinant) * factorY,
  }
}

/** @param east slope towards the east, as rise over run; @param north the same towards the north */
type Shade = (east: number, north: number) => number

const radians = (degrees: number): number => (degrees * Math.PI) / 180

function shadeFrom(azimuth: number, altitude: number): Shade {
  const level = RANGE * Math.sin(radians(altitude))
  const fromEast = RANGE * Math.cos(radians(altitude)) * Math.sin(radians(azimuth))
  const fromNorth = RANGE * Math.cos(radians(altitude)) * Math.cos(radians(azimuth))
  return (east, north) => {
    const light = (level - east * fromEast - north * fromNorth) / Math.sqrt(1 + east * east + north * north)
    return light <= 0 ? 1 : 1 + light
  }
}

/** Four lights. Each counts by the squared cosine of the angle between its azimuth and the direction of the slope. */
function shadeFromAll(altitude: number): Shade {
  const level = (RANGE / 2) * Math.sin(radians(altitude))
  const side = (RANGE / 2) * Math.cos(radians(altitude))
  const diagonal = side * Math.SQRT1_2
  return (east, north) => {
    const steepness = east * east + north * north
    if (steepness === 0) return 1 + 2 * level
    const weight225 = 0.5 * steepness + east * north
    const sum =
      weight225 * Math.max(0, level + (east + north) * diagonal) +
      east * east * Math.max(0, level + east * side) +
      (steepness - weight225) * Math.max(0, level + (east - north) * diagonal) +
      north * north * Math.max(0, level - north * side)
    return 1 + sum / steepness / Math.sqrt(1 + steepness)
  }
}

/**
 * Slides along each row with the sums and differences of three columns, so that each elevation is read only three
 * times. A neighbour without an elevation is NaN, and makes the cell NaN.
 */
function shadeCells(source: Neighbourhood, { a, b, c, d }: Slopes, shade: Shade, result: Float64Array): void {
  const { values, width, height, stride } = source
  for (let y = 0; y < height; y++) {
    const above = y * stride
    const level = above + stride
    const below = level + stride
    let westSum = weighted(values, above, level, below)
    let westDrop = drop(values, above, below)
    let sum = weighted(values, above + 1, level + 1, below + 1)
    let middleDrop = drop(values, above + 1, below + 1)
    for (let x = 0; x < width; x++) {
      const eastSum = weighted(values, above + x + 2, level + x + 2, below + x + 2)
      const eastDrop = drop(values, above + x + 2, below + x + 2)
      const dColumn = eastSum - westSum
      const dRow = westDrop + 2 * middleDrop + eastDrop
      // Horn's method ignores the centre cell, but a cell without an elevation gets no shade
      result[y * width + x] = Number.isNaN(sum) ? sum : shade(dColumn * a + dRow * b, dColumn * c + dRow * d)
      westSum = sum
      westDrop = middleDrop
      sum = eastSum
      middleDrop = eastDrop
    }
  }
}

const weighted = (values: CellValues, above: number, level: number, below: number): number =>
  (values[above] as number) + 2 * (values[level] as number) + (values[below] as number)

const drop = (values: CellValues, above: number, below: number): number =>
  (values[below] as number) - (values[above] as number)
