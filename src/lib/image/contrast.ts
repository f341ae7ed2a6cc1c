/**
 * Contrast-limited adaptive histogram equalisation (K. Zuiderveld, Graphics Gems IV, 1994) of brightness. Each tile of
 * the image has its own tone curve, and pixels blend the curves of the nearest tile centres. The slope of the curves is
 * limited, which keeps noise low and makes 8 bits sufficient. All channels are scaled alike, so hues do not change.
 */
import { type Samples, writeBrightness } from './brightness.ts'

const LEVELS = 256
const TILES_ACROSS = 8
const MIN_TILE_SIDE = 48

/**
 * Changes `data` in place.
 * @param maxSlope maximum slope of a curve: the maximum number of levels that one level is stretched to
 * @param share 0 leaves the image unchanged, 1 applies the full equalisation
 */
export function equaliseContrast(samples: Samples, maxSlope: number, share: number): void {
  const { data, width, height, channels } = samples
  const columns = Math.max(1, Math.min(TILES_ACROSS, Math.floor(width / MIN_TILE_SIDE)))
  const rows = Math.max(1, Math.min(TILES_ACROSS, Math.floor(height / MIN_TILE_SIDE)))
  const brightness = new Uint8Array(width * height)
  writeBrightness(samples, 0, brightness)
  const curves = curvesOf(brightness, width, height, columns, rows, maxSlope)

  // for each pixel column: the tile centres to its left and right, and its position between them
  const left = new Int32Array(width)
  const right = new Int32Array(width)
  const fraction = new Float32Array(width)
  for (let x = 0; x < width; x++) {
    const tilePosition = ((x + 0.5) * columns) / width - 0.5
    const tile = Math.floor(tilePosition)
    fraction[x] = tilePosition - tile
    left[x] = Math.max(tile, 0) * LEVELS
    right[x] = Math.min(tile + 1, columns - 1) * LEVELS
  }
  // for a row of pixels and each tile column: the factor for a pixel of each level
  const scales = new Float32Array(columns * LEVELS)
  for (let y = 0, i = 0, at = 0; y < height; y++) {
    const tilePosition = ((y + 0.5) * rows) / height - 0.5
    const tile = Math.floor(tilePosition)
    const down = tilePosition - tile
    const above = Math.max(tile, 0) * columns * LEVELS
    const below = Math.min(tile + 1, rows - 1) * columns * LEVELS
    for (let k = 0; k < scales.length; k++) {
      const level = k % LEVELS
      const top = curves[above + k] as number
      const target = top + ((curves[below + k] as number) - top) * down
      scales[k] = level === 0 ? 1 : 1 + ((target - level) * share) / level
    }
    for (let x = 0; x < width; x++, i++, at += channels) {
      const level = brightness[i] as number
      const l = scales[(left[x] as number) + level] as number
      const r = scales[(right[x] as number) + level] as number
      const red = data[at] as number
      const green = data[at + 1] as number
      const blue = data[at + 2] as number
      const brightest = Math.max(red, green, blue)
      let scale = l + (r - l) * (fraction[x] as number)
      // so that no channel overflows, which would shift the hue
      if (scale * brightest > 255) scale = 255 / brightest
      data[at] = red * scale + 0.5
      data[at + 1] = green * scale + 0.5
      data[at + 2] = blue * scale + 0.5
    }
  }
}

/** A tone curve of 256 levels for each tile, row by row. */
function curvesOf(
  brightness: Uint8Array,
  width: number,
  height: number,
  columns: number,
  rows: number,
  maxSlope: number,
): Float32Array {
  const curves = new Float32Array(columns * rows * LEVELS)
  const counts = new Uint32Array(LEVELS)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [x1, x2] = [Math.floor((column * width) / columns), Math.floor(((column + 1) * width) / columns)]
      const [y1, y2] = [Math.floor((row * height) / rows), Math.floor(((row + 1) * height) / rows)]
      counts.fill(0)
      for (let y = y1; y < y2; y++)
        for (let i = y * width + x1; i < y * width + x2; i++) {
          const level = brightness[i] as number
          counts[level] = (counts[level] as number) + 1
        }
      writeCurve(counts, (x2 - x1) * (y2 - y1), maxSlope, curves, (row * columns + column) * LEVELS)
    }
  return curves
}

function writeCurve(counts: Uint32Array, total: number, maxSlope: number, curves: Float32Array, at: number): void {
  const limit = Math.max(1, (maxSlope * total) / LEVELS)
  let excess = 0
  for (let level = 0; level < LEVELS; level++) excess += Math.max(0, (counts[level] as number) - limit)
  // redistribute the counts above the limit over all levels; the curve of a uniform tile becomes nearly linear
  const spread = excess / LEVELS
  let sum = 0
  for (let level = 0; level < LEVELS; level++) {
    const height = Math.min(counts[level] as number, limit) + spread
    curves[at + level] = ((sum + height / 2) / total) * (LEVELS - 1)
    sum += height
  }
}
