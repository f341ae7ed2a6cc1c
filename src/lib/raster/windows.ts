/** Splits a raster into windows of whole blocks, small enough to hold several in memory. */
import type * as Gdal from 'gdal-async'

export type Window = { x: number; y: number; width: number; height: number }

/** Enough blocks for GDAL to decode several at a time. */
const MAX_CELLS = 2 ** 21

/**
 * Windows from top to bottom, and from left to right.
 * @param maxCells per window, unless one row of blocks needs more
 */
export function windowsOf(
  width: number,
  height: number,
  block: { x: number; y: number },
  maxCells = MAX_CELLS,
): Window[] {
  const blockWidth = Math.min(Math.max(block.x, 1), width)
  const blockHeight = Math.min(Math.max(block.y, 1), height)
  const across = Math.max(1, Math.floor(maxCells / blockHeight / blockWidth)) * blockWidth
  const windowWidth = Math.min(width, across)
  const down = Math.max(1, Math.floor(maxCells / windowWidth / blockHeight)) * blockHeight
  // a very tall block is read in parts; GDAL keeps the decoded block in its cache
  const windowHeight = Math.min(
    height,
    windowWidth * down > 4 * maxCells ? Math.max(1, Math.floor(maxCells / windowWidth)) : down,
  )
  const windows: Window[] = []
  for (let y = 0; y < height; y += windowHeight)
    for (let x = 0; x < width; x += windowWidth)
      windows.push({ x, y, width: Math.min(windowWidth, width - x), height: Math.min(windowHeight, height - y) })
  return windows
}

/**
 * Reads windows in order, each while the previous one is being processed.
 * @param createBuffer returns a buffer to read into; two are in use at a time
 */
export async function eachWindow<T>(
  windows: readonly Window[],
  createBuffer: () => T,
  read: (window: Window, into: T) => Promise<unknown>,
  work: (window: Window, from: T, index: number) => void | Promise<void>,
): Promise<void> {
  let [current, next] = [createBuffer(), createBuffer()]
  let reading = windows[0] && read(windows[0], current)
  for (const [i, window] of windows.entries()) {
    await reading
    const following = windows[i + 1]
    reading = following && read(following, next)
    try {
      await work(window, current, i)
    } catch (error) {
      // wait for the pending read, which writes into a buffer of the caller
      await reading
      throw error
    }
    ;[current, next] = [next, current]
  }
}

export const blockOf = (band: Gdal.RasterBand): { x: number; y: number } => ({
  x: band.blockSize.x,
  y: band.blockSize.y,
})
