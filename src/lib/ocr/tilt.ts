/**
 * Finds the direction of the lines of a page. Ink summed in the direction of the text alternates sharply between lines
 * and gaps, and most sharply exactly along the lines. So the angle of the lines is the one with the largest squared
 * differences between neighbouring sums (Postl, US patent 4,723,297, 1988).
 */
import { type GreyImage, reduced, type Shades } from './grey-image.ts'

/** @property quarter whether lines run from top to bottom @property skew clockwise angle of the lines in degrees */
export type Tilt = { quarter: boolean; skew: number }

/** Enough for letters of 8 points on A4, where a line is ten pixels high. */
const SIDE = 1_200
const MAX_POINTS = 60_000
const MAX_SKEW = 10
/** Each search covers one step of the one before it on either side. */
const STEPS = [0.5, 0.1, 0.02]
/** Below this angle, the ends of a line differ by less than its height, which Tesseract handles without loss. */
const MIN_SKEW = 0.15
/** The lines of a page score several times its columns; a picture scores about the same in both directions. */
const MIN_QUARTER_RATIO = 1.5
/** Minimum ratio of a text page's best score to the median score. */
const MIN_PEAK_RATIO = 1.3

type Points = { x: Float32Array; y: Float32Array; reach: number }

/** @returns the likely tilt, and the likely tilt of a page turned by 90 degrees, because equal lines of a list look like columns */
export async function findTilt(image: GreyImage, { threshold }: Shades): Promise<{ likely: Tilt; other: Tilt }> {
  const points = inkOf(await reduced(image, SIDE), threshold)
  const bins = new Int32Array(2 * points.reach + 2)
  const across = strongest((skew) => sharpness(points, false, skew, bins))
  const down = strongest((skew) => sharpness(points, true, skew, bins))
  const isDown = down.score > MIN_QUARTER_RATIO * across.score
  const onSide = { quarter: true, skew: skewOf(down) }
  // a page that is sharper from top to bottom, but has no clear peak, is a picture
  const upright = { quarter: false, skew: isDown && !isPeak(down) ? 0 : skewOf(across) }
  return isDown && isPeak(down) ? { likely: onSide, other: upright } : { likely: upright, other: onSide }
}

type Peak = { skew: number; score: number; median: number }
const isPeak = ({ score, median }: Peak): boolean => score > MIN_PEAK_RATIO * median
const skewOf = (peak: Peak): number =>
  isPeak(peak) && Math.abs(peak.skew) >= MIN_SKEW && Math.abs(peak.skew) < MAX_SKEW ? peak.skew : 0

/** Dark pixels, relative to the centre of the page. */
function inkOf({ data, width, height }: GreyImage, threshold: number): Points {
  let count = 0
  for (const value of data) if (value < threshold) count++
  const stride = Math.max(1, Math.ceil(count / MAX_POINTS))
  const size = Math.ceil(count / stride)
  const points: Points = {
    x: new Float32Array(size),
    y: new Float32Array(size),
    reach: Math.ceil(Math.hypot(width, height) / 2) + 1,
  }
  let [seen, at] = [0, 0]
  for (let i = 0; i < data.length; i++) {
    if ((data[i] as number) >= threshold || seen++ % stride !== 0) continue
    points.x[at] = (i % width) - width / 2
    points.y[at++] = Math.floor(i / width) - height / 2
  }
  return points
}

function sharpness({ x, y, reach }: Points, quarter: boolean, skew: number, bins: Int32Array): number {
  const [cos, sin] = [Math.cos((skew * Math.PI) / 180), Math.sin((skew * Math.PI) / 180)]
  const [byX, byY] = quarter ? [cos, sin] : [-sin, cos]
  bins.fill(0)
  // never negative, so cutting off the fraction rounds to the nearest whole number
  const offset = reach + 0.5
  for (let i = 0; i < x.length; i++) {
    const bin = ((x[i] as number) * byX + (y[i] as number) * byY + offset) | 0
    bins[bin] = (bins[bin] as number) + 1
  }
  let sum = 0
  for (let i = 1; i < bins.length; i++) sum += ((bins[i] as number) - (bins[i - 1] as number)) ** 2
  return sum
}

function strongest(score: (skew: number) => number): Peak {
  let best = { skew: 0, score: score(0) }
  let reach = MAX_SKEW
  let median = 0
  for (const step of STEPS) {
    const centre = best.skew
    const scores: number[] = []
    for (let i = -Math.round(reach / step); i <= Math.round(reach / step); i++) {
      const skew = centre + i * step
      const found = score(skew)
      scores.push(found)
      if (found > best.score) best = { skew, score: found }
    }
    if (median === 0) median = scores.toSorted((a, b) => a - b)[scores.length >> 1] ?? 0
    reach = step
  }
  return { ...best, median }
}
