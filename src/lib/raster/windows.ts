/** A raster in windows of whole blocks, small enough to hold several. */
import type * as Gdal from 'gdal-async'

export type Window = { x: number; y: number; width: number; height: number }

/** Cells of one window at most, unless one row of blocks needs more. */
const MAX_CELLS = 2 ** 21

/** From the top, and from left to right. */
export function windowsOf(width: number, height: number, block: { x: number; y: number }): Window[] {
  const blockWidth = Math.min(Math.max(block.x, 1), width)
  const blockHeight = Math.min(Math.max(block.y, 1), height)
  const across = Math.max(1, Math.floor(MAX_CELLS / blockHeight / blockWidth)) * blockWidth
  const windowWidth = Math.min(width, across)
  const down = Math.max(1, Math.floor(MAX_CELLS / windowWidth / blockHeight)) * blockHeight
  // a block of many rows is read in parts, which GDAL keeps the rest of
  const windowHeight = Math.min(
    height,
    windowWidth * down > 4 * MAX_CELLS ? Math.max(1, Math.floor(MAX_CELLS / windowWidth)) : down,
  )
  const windows: Window[] = []
  for (let y = 0; y < height; y += windowHeight)
    for (let x = 0; x < width; x += windowWidth)
      windows.push({ x, y, width: Math.min(windowWidth, width - x), height: Math.min(windowHeight, height - y) })
  return windows
}

/**
 * Reads windows one after the other, the next while the last is worked on.
 * @param make buffers to read into; two of them are in use at a time
 */
export async function eachWindow<T>(
  windows: readonly Window[],
  make: () => T,
  read: (window: Window, into: T) => Promise<unknown>,
  work: (window: Window, from: T, index: number) => void,
): Promise<void> {
  let [current, next] = [make(), make()]
  let reading = windows[0] && read(windows[0], current)
  for (const [i, window] of windows.entries()) {
    await reading
    const following = windows[i + 1]
    reading = following && read(following, next)
    try {
      work(window, current, i)
    } catch (error) {
      // nothing may write into a buffer that nobody holds
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
