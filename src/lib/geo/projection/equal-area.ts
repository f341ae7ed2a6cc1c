/**
 * Lambert's equal-area projections on the WGS 84 ellipsoid (J. P. Snyder, Map Projections, USGS 1395, 1987): the azimuthal
 * one (equations 24-2 and 24-17 to 24-25 with authalic latitudes, 3-11 and 3-12) and the cylindrical one (10-1 and 10-2
 * with the same). Ratios of areas are exact in them.
 */
const A = 6378137
const F = 1 / 298.257223563
const E2 = F * (2 - F)
const E = Math.sqrt(E2)
const RADIANS = Math.PI / 180

function authalic(sinLatitude: number): number {
  const es = E * sinLatitude
  return (1 - E2) * (sinLatitude / (1 - es * es) + Math.atanh(es) / E)
}

const POLE = authalic(1)
const RADIUS = A * Math.sqrt(POLE / 2)

/** The area of the ellipsoid. */
export const EARTH_M2 = 4 * Math.PI * RADIUS ** 2

export type EqualArea = (longitude: number, latitude: number, out: Float64Array) => void

/** Projects degrees to metres from the centre. */
export function equalAreaAround(longitude0: number, latitude0: number): EqualArea {
  const sinBeta0 = clamp(authalic(Math.sin(latitude0 * RADIANS)) / POLE)
  const cosBeta0 = Math.sqrt(1 - sinBeta0 * sinBeta0)
  return (longitude, latitude, out) => {
    const sinBeta = clamp(authalic(Math.sin(latitude * RADIANS)) / POLE)
    const cosBeta = Math.sqrt(1 - sinBeta * sinBeta)
    const lambda = (longitude - longitude0) * RADIANS
    const cosLambda = Math.cos(lambda)
    // the antipode of the centre has no projection
    const denominator = Math.max(1 + sinBeta0 * sinBeta + cosBeta0 * cosBeta * cosLambda, 1e-12)
    const k = RADIUS * Math.sqrt(2 / denominator)
    out[0] = k * cosBeta * Math.sin(lambda)
    out[1] = k * (cosBeta0 * sinBeta - sinBeta0 * cosBeta * cosLambda)
  }
}

/** Works for the whole earth: it has no centre, and x grows with the longitude without limit. */
export function cylindricalEqualArea(): EqualArea {
  return (longitude, latitude, out) => {
    out[0] = RADIUS * longitude * RADIANS
    out[1] = RADIUS * clamp(authalic(Math.sin(latitude * RADIANS)) / POLE)
  }
}

const clamp = (value: number): number => Math.min(1, Math.max(-1, value))
