/**
 * Unsharp masking of brightness: each pixel moves away from the average around it. Only edges are strengthened: small
 * differences, which may be noise, stay as they are, and large ones change by a limited amount. All channels change by
 * the same number of levels, so there are no coloured fringes.
 */
import { type Samples, writeBrightness } from './brightness.ts'

/** In levels, as shares of 255. */
const [THRESHOLD, SLOPE, MAX_BRIGHTER, MAX_DARKER] = [0.04 * 255, 1.6, 0.12 * 255, 0.16 * 255]

/** Rows in the average around a pixel: a binomial filter with a standard deviation of one pixel. */
const TAPS = 5
/** Differences from the average are in 1/256 of a level; the table has an entry for each eighth of a level. */
const STEP_BITS = 5
const ZERO = (2 ** 16) >> STEP_BITS

const CHANGES = changes()

/** The change of a pixel in levels, by its difference from the average. */
function changes(): Int8Array {
  const table = new Int8Array(2 * ZERO)
  for (let i = 0; i < table.length; i++) {
    const difference = ((i - ZERO + 0.5) * 2 ** STEP_BITS) / 256
    const change = SLOPE * Math.max(0, Math.abs(difference) - THRESHOLD)
    table[i] = Math.round(difference > 0 ? Math.min(change, MAX_BRIGHTER) : -Math.min(change, MAX_DARKER))
  }
  return table
}

/** Changes `data` in place. Edge pixels are repeated beyond the picture. */
export function sharpenEdges(samples: Samples): void {
  const { width, height } = samples
  // for the rows around the current one: brightness, and its average along the row times 16
  const levels = Array.from({ length: TAPS }, () => new Uint8Array(width))
  const averages = Array.from({ length: TAPS }, () => new Uint16Array(width))
  const slotOf = (y: number): number => Math.min(Math.max(y, 0), height - 1) % TAPS
  const read = (y: number): void => {
    const row = levels[y % TAPS] as Uint8Array
    writeBrightness(samples, y * width, row)
    averageAlong(row, averages[y % TAPS] as Uint16Array)
  }
  for (let y = 0; y < Math.min(TAPS >> 1, height); y++) read(y)
  for (let y = 0; y < height; y++) {
    // the rows above have changed by now, but their averages were taken before
    if (y + (TAPS >> 1) < height) read(y + (TAPS >> 1))
    const around = [-2, -1, 0, 1, 2].map((step) => averages[slotOf(y + step)] as Uint16Array)
    changeRow(samples, y * width, levels[y % TAPS] as Uint8Array, around)
  }
}

/** The weights 1, 4, 6, 4, 1. */
function averageAlong(levels: Uint8Array, averages: Uint16Array): void {
  const last = levels.length - 1
  let a = levels[0] as number
  let b = a
  let c = a
  let d = levels[Math.min(1, last)] as number
  for (let x = 0; x <= last; x++) {
    const e = levels[Math.min(x + 2, last)] as number
    averages[x] = a + e + 4 * (b + d) + 6 * c
    a = b
    b = c
    c = d
    d = e
  }
}

function changeRow(
  { data, channels }: Samples,
  pixel: number,
  levels: Uint8Array,
  [above2, above, middle, below, below2]: readonly Uint16Array[],
): void {
  const [a, b, c, d, e] = [above2, above, middle, below, below2] as [
    Uint16Array,
    Uint16Array,
    Uint16Array,
    Uint16Array,
    Uint16Array,
  ]
  for (let x = 0, at = pixel * channels; x < levels.length; x++, at += channels) {
    const average =
      (a[x] as number) + (e[x] as number) + 4 * ((b[x] as number) + (d[x] as number)) + 6 * (c[x] as number)
    const change = CHANGES[(256 * (levels[x] as number) - average + 65_536) >> STEP_BITS] as number
    if (change === 0) continue
    data[at] = Math.min(Math.max((data[at] as number) + change, 0), 255)
    data[at + 1] = Math.min(Math.max((data[at + 1] as number) + change, 0), 255)
    data[at + 2] = Math.min(Math.max((data[at + 2] as number) + change, 0), 255)
  }
}
