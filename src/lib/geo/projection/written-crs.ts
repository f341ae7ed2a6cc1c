/**
 * Whether the CRS in a written file says as much as the CRS of the layer. A .prj holds no datum shift, and GML only names
 * registered systems. The CRS is read back from the file.
 */
import { largest } from '../../../lists.ts'
import { describeCrs, type GdalModule, loadGdal } from '../formats/gdal/gdal.ts'
import { type Crs, type Layer, layerEnvelope, WGS84 } from '../layers/layer.ts'
import { moveBetween } from './reach.ts'
import { referenceOf } from './spatial-reference.ts'

/** A centimetre; smaller differences come from rounding. */
const TOLERANCE_M = 0.01
const METRES_PER_DEGREE = 111_320

/** @param path of a file that GDAL's driver wrote. @returns warnings */
export async function warningsOfCrs(path: string, driver: string, layer: Layer): Promise<string[]> {
  const { crs } = layer
  // the code names the whole system, except in a .prj, which has none
  if (crs === WGS84 || (crs.code !== undefined && driver !== 'ESRI Shapefile')) return []
  const gdal = await loadGdal()
  const written = await crsIn(gdal, path, driver)
  if (written === undefined)
    return [`the coordinate reference system of the layer has no code, so the ${driver} names none`]
  const warnings: string[] = []
  const metres = largestShift(gdal, layer, written)
  if (metres > TOLERANCE_M)
    warnings.push(
      `the coordinate reference system in the ${driver} says less than that of the layer: positions differ by ${Math.ceil(metres)} m`,
    )
  else if (Number.isNaN(metres))
    warnings.push(
      `the coordinate reference system in the ${driver} says less than that of the layer: positions may differ`,
    )
  if (isVertical(crs) && !isVertical(written)) warnings.push(`the vertical reference is not in the ${driver}`)
  return warnings
}

const isVertical = ({ wkt }: Crs): boolean => /\b(VERT_CS|VERTCRS|VERTICALCRS)\[/.test(wkt)

async function crsIn(gdal: GdalModule, path: string, driver: string): Promise<Crs | undefined> {
  const dataset = gdal.open(path, 'r', [driver])
  try {
    return describeCrs(await referenceOf(dataset.layers.get(0)))
  } finally {
    dataset.close()
  }
}

/** How far the corners and the centre of the layer lie apart when both are read, in metres; NaN if that is unknown. */
function largestShift(gdal: GdalModule, layer: Layer, written: Crs): number {
  const bounds = layerEnvelope(layer)
  if (bounds === undefined) return 0
  const [minX, minY, maxX, maxY] = bounds
  const [own, other] = [moveBetween(gdal, layer.crs, WGS84), moveBetween(gdal, written, WGS84)]
  const corners = [minX, (minX + maxX) / 2, maxX].flatMap((x) =>
    [minY, (minY + maxY) / 2, maxY].map((y): [number, number] => [x, y]),
  )
  const shifts = corners.flatMap(([x, y]) => {
    const [a, b] = [own(x, y), other(x, y)]
    // corners may lie where the layer has nothing
    if (a === undefined && b === undefined) return []
    if (a === undefined || b === undefined) return [Number.NaN]
    const [dx, dy] = [a[0] - b[0], a[1] - b[1]]
    return [Math.hypot(dx * Math.cos((a[1] * Math.PI) / 180), dy) * METRES_PER_DEGREE]
  })
  return largest([0, ...shifts])
}
