/**
 * Checks that the CRS in a written file is as complete as the layer's CRS. A .prj holds no datum shift, and GML refers
 * to registered systems only. The CRS is read back from the file.
 */
import { largest } from '../../../lists.ts'
import { type Warning, warning } from '../../../warnings/warning.ts'
import { describeCrs, type GdalModule, loadGdal } from '../formats/gdal/gdal.ts'
import { type Crs, type Layer, layerEnvelope, WGS84 } from '../layers/layer.ts'
import { moveBetween } from './reach.ts'
import { referenceOf } from './spatial-reference.ts'

/** A centimetre; smaller differences come from rounding. */
const TOLERANCE_M = 0.01
const METRES_PER_DEGREE = 111_320

/** @param path of a file that GDAL's driver wrote. @returns warnings */
export async function warningsOfCrs(path: string, driver: string, layer: Layer): Promise<Warning[]> {
  const { crs } = layer
  // a code identifies the whole system, but a .prj has no code
  if (crs === WGS84 || (crs.code !== undefined && driver !== 'ESRI Shapefile')) return []
  const gdal = await loadGdal()
  const written = await crsIn(gdal, path, driver)
  if (written === undefined) return [warning('crsWithoutCodeNotWritten', { driver })]
  const warnings: Warning[] = []
  const metres = largestShift(gdal, layer, written)
  if (metres > TOLERANCE_M) warnings.push(warning('writtenCrsMovesPositions', { driver, metres: Math.ceil(metres) }))
  else if (Number.isNaN(metres)) warnings.push(warning('writtenCrsMayMovePositions', { driver }))
  if (isVertical(crs) && !isVertical(written)) warnings.push(warning('verticalReferenceNotWritten', { driver }))
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

/** The largest distance, in metres, between the layer's corners and centre in the two systems; NaN if unknown. */
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
    // corners of the extent may lie outside the area of the CRS, where the layer has no features
    if (a === undefined && b === undefined) return []
    if (a === undefined || b === undefined) return [Number.NaN]
    const [dx, dy] = [a[0] - b[0], a[1] - b[1]]
    return [Math.hypot(dx * Math.cos((a[1] * Math.PI) / 180), dy) * METRES_PER_DEGREE]
  })
  return largest([0, ...shifts])
}
