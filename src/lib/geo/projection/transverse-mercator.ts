/**
 * Transverse Mercator on the WGS 84 ellipsoid by Krüger's series to the sixth order (C. F. F. Karney, Transverse
 * Mercator with an accuracy of a few nanometers, J. Geodesy 85, 2011, equations 7 to 15, 35 and 36). Scale 1 on the
 * central meridian, units in metres. Accurate to nanometres within 4,000 km of that meridian, poles included. Lengths
 * are too long by the factor 1 + (distance from the meridian / radius of the earth)² / 2.
 */
const A = 6378137
const F = 1 / 298.257223563
const E = Math.sqrt(F * (2 - F))
const N = F / (2 - F)
const [N2, N3, N4, N5, N6] = [N ** 2, N ** 3, N ** 4, N ** 5, N ** 6] as const
/** Radius of the rectifying sphere. */
const RECTIFYING = (A / (1 + N)) * (1 + N2 / 4 + N4 / 64 + N6 / 256)

const FORWARD = Float64Array.of(
  N / 2 - (2 / 3) * N2 + (5 / 16) * N3 + (41 / 180) * N4 - (127 / 288) * N5 + (7891 / 37800) * N6,
  (13 / 48) * N2 - (3 / 5) * N3 + (557 / 1440) * N4 + (281 / 630) * N5 - (1983433 / 1935360) * N6,
  (61 / 240) * N3 - (103 / 140) * N4 + (15061 / 26880) * N5 + (167603 / 181440) * N6,
  (49561 / 161280) * N4 - (179 / 168) * N5 + (6601661 / 7257600) * N6,
  (34729 / 80640) * N5 - (3418889 / 1995840) * N6,
  (212378941 / 319334400) * N6,
)
const INVERSE = Float64Array.of(
  N / 2 - (2 / 3) * N2 + (37 / 96) * N3 - (1 / 360) * N4 - (81 / 512) * N5 + (96199 / 604800) * N6,
  (1 / 48) * N2 + (1 / 15) * N3 - (437 / 1440) * N4 + (46 / 105) * N5 - (1118711 / 3870720) * N6,
  (17 / 480) * N3 - (37 / 840) * N4 - (209 / 4480) * N5 + (5569 / 90720) * N6,
  (4397 / 161280) * N4 - (11 / 504) * N5 - (830251 / 7257600) * N6,
  (4583 / 161280) * N5 - (108847 / 3991680) * N6,
  (20648693 / 638668800) * N6,
)

const RADIANS = Math.PI / 180
const DEGREES = 180 / Math.PI

/** Sums the series of sines of even multiples with Clenshaw's recurrence on complex numbers. */
function series(coefficients: Float64Array, xi: number, eta: number, sign: number, out: Float64Array): void {
  const sin2 = Math.sin(2 * xi)
  const cos2 = Math.cos(2 * xi)
  const e2 = Math.exp(2 * eta)
  const sinh2 = (e2 - 1 / e2) / 2
  const cosh2 = (e2 + 1 / e2) / 2
  // a = 2 cos(2 zeta), with zeta = xi + i eta
  const ar = 2 * cos2 * cosh2
  const ai = -2 * sin2 * sinh2
  let [b1r, b1i, b2r, b2i] = [0, 0, 0, 0]
  for (let j = 5; j >= 0; j--) {
    const r = ar * b1r - ai * b1i - b2r + (coefficients[j] as number)
    const i = ar * b1i + ai * b1r - b2i
    b2r = b1r
    b2i = b1i
    b1r = r
    b1i = i
  }
  // times sin(2 zeta)
  const sr = sin2 * cosh2
  const si = cos2 * sinh2
  out[0] = xi + sign * (sr * b1r - si * b1i)
  out[1] = eta + sign * (sr * b1i + si * b1r)
}

const work = new Float64Array(2)

/** Projects degrees to metres from the central meridian and the equator. */
export function toMercator(longitude: number, latitude: number, meridian: number, out: Float64Array): void {
  const lambda = (longitude - meridian) * RADIANS
  const tau = Math.tan(latitude * RADIANS)
  const root = Math.hypot(1, tau)
  const sigma = Math.sinh(E * Math.atanh((E * tau) / root))
  const conformal = tau * Math.hypot(1, sigma) - sigma * root
  const cosLambda = Math.cos(lambda)
  const xi = Math.atan2(conformal, cosLambda)
  const eta = Math.asinh(Math.sin(lambda) / Math.hypot(conformal, cosLambda))
  series(FORWARD, xi, eta, 1, work)
  out[0] = RECTIFYING * (work[1] as number)
  out[1] = RECTIFYING * (work[0] as number)
}

/** Converts metres back to degrees; the longitude is within 180 degrees of the meridian and may be beyond ±180. */
export function fromMercator(x: number, y: number, meridian: number, out: Float64Array): void {
  series(INVERSE, y / RECTIFYING, x / RECTIFYING, -1, work)
  const [xi, eta] = [work[0] as number, work[1] as number]
  const sinhEta = Math.sinh(eta)
  const cosXi = Math.cos(xi)
  const conformal = Math.sin(xi) / Math.hypot(sinhEta, cosXi)
  let tau = conformal
  // Newton's iteration; two steps reach full precision
  for (let i = 0; i < 3; i++) {
    const root = Math.hypot(1, tau)
    const sigma = Math.sinh(E * Math.atanh((E * tau) / root))
    const guess = tau * Math.hypot(1, sigma) - sigma * root
    const step = ((conformal - guess) / Math.hypot(1, guess)) * ((1 + (1 - E * E) * tau * tau) / ((1 - E * E) * root))
    tau += step
    if (Math.abs(step) < 1e-16 * Math.max(1, Math.abs(tau))) break
  }
  out[0] = meridian + Math.atan2(sinhEta, cosXi) * DEGREES
  out[1] = Math.atan(tau) * DEGREES
}
