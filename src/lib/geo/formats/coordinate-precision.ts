/** Rounds coordinates to a number of decimals, without making valid geometries invalid. */

import { type Warning, warning } from '../../../warnings/warning.ts'
import { type Geos, loadGeos } from '../geometry/geos.ts'
import { ofDimension } from '../geometry/repair.ts'
import { dimensionOf, mapPositions, type Wkb } from '../geometry/wkb.ts'
import type { Feature, Layer } from '../layers/layer.ts'
import { isSurelyValid } from '../overlay/simple-overlay.ts'
import { GEOJSON_DECIMALS } from './geojson/geojson-write.ts'

export const MAX_DECIMALS = 15

/** The nearest number with the given number of decimals, as parsed from its text. */
function roundedNumber(value: number, decimals: number): number {
  const scaled = value * 10 ** decimals
  return Math.abs(scaled) < Number.MAX_SAFE_INTEGER
    ? Math.round(scaled) / 10 ** decimals
    : Number(value.toFixed(decimals))
}

/** Rounds each position separately; returns the same bytes if nothing changes. */
export function roundedPositions(wkb: Wkb, decimals: number): Wkb {
  let isChanged = false
  const rounded = mapPositions(wkb, (x, y, out) => {
    out[0] = roundedNumber(x, decimals)
    out[1] = roundedNumber(y, decimals)
    isChanged ||= out[0] !== x || out[1] !== y
  })
  return isChanged ? rounded : wkb
}

/** Whether rounding each position separately makes a valid geometry invalid. */
export function isSpoiltByRounding(geos: Geos, wkb: Wkb, decimals: number): boolean {
  if (dimensionOf(wkb) < 1) return false
  const rounded = roundedPositions(wkb, decimals)
  return rounded !== wkb && !isValid(geos, rounded) && isValid(geos, wkb)
}

/** Whether GeoJSON needs more decimals than usual for a geometry. @param decimals the requested number */
export const needsAllDecimals =
  (geos: Geos, decimals = 0) =>
  (wkb: Wkb): boolean =>
    decimals > GEOJSON_DECIMALS || isSpoiltByRounding(geos, wkb, GEOJSON_DECIMALS)

function isValid(geos: Geos, wkb: Wkb): boolean {
  if (isSurelyValid(wkb)) return true
  const geometry = geos.read(wkb)
  const valid = geos.isValid(geometry)
  geos.free(geometry)
  return valid
}

/** The layer with rounded coordinates; geometries that would collapse stay unrounded, with a warning. */
export async function withDecimals(layer: Layer, decimals: number, warnings: Warning[]): Promise<Layer> {
  const geos = await loadGeos()
  let keptCount = 0
  const features = layer.features.map((feature): Feature => {
    const { geometry } = feature
    if (geometry === null) return feature
    const rounded = isSpoiltByRounding(geos, geometry, decimals)
      ? snapRounded(geos, geometry, decimals)
      : roundedPositions(geometry, decimals)
    if (rounded === null) keptCount++
    return { ...feature, geometry: rounded ?? geometry }
  })
  if (keptCount > 0) warnings.push(warning('geometriesTooSmallForDecimals', { n: keptCount, decimals }))
  return { ...layer, features }
}

/** Null when nothing of its dimension remains. */
function snapRounded(geos: Geos, wkb: Wkb, decimals: number): Wkb | null {
  const geometry = geos.read(wkb)
  const rounded = geos.rounded(geometry, 10 ** -decimals)
  geos.free(geometry)
  if (rounded === 0) return null
  const written = geos.write(rounded)
  geos.free(rounded)
  const remaining = ofDimension(written, dimensionOf(wkb))
  return remaining === null ? null : roundedPositions(remaining, decimals)
}
