/**
 * Focal operations (Tomlin): a new raster in which each cell is computed from its 3 × 3 neighbourhood. The source is
 * read in windows with a margin of one cell, so memory does not grow with the raster. Runs in Node only.
 */

import { largest } from '../../lists.ts'
import { loadGdal } from '../geo/formats/gdal/gdal.ts'
import { newReference } from '../geo/projection/spatial-reference.ts'
import {
  type BandReader,
  bandReader,
  type CellBuffers,
  type CellValues,
  cellBuffers,
  readCells,
} from './band-reader.ts'
import type { OpenRaster } from './open-raster.ts'
import { blockOf, eachWindow, type Window, windowsOf } from './windows.ts'

const MARGIN = 1
const BLOCK_SIDE = 512

/** Cells of a window, rows from the top, with a margin of one cell. NaN is nodata, masked or outside of the raster. */
export type Neighbourhood = { values: CellValues; width: number; height: number; stride: number }

export type FocalOutput = {
  path: string
  dataType: 'Byte' | 'Float32'
  nodata: number
  /**
   * Computes the cells of a window.
   * @param result row by row without the margin; NaN becomes nodata
   */
  compute(source: Neighbourhood, result: Float64Array): void
}

/**
 * Writes a GeoTIFF of the same size, position and CRS.
 * @param band counted from 1
 * @returns the number of cells with a value
 */
export async function writeFocal(
  raster: OpenRaster,
  band: number,
  { path, dataType, nodata, compute }: FocalOutput,
  onProgress: (share: number) => void,
): Promise<number> {
  const gdal = await loadGdal()
  const { dataset, width, height } = raster
  const reader = bandReader(dataset, band)
  const options = {
    TILED: 'YES',
    BLOCKXSIZE: BLOCK_SIDE,
    BLOCKYSIZE: BLOCK_SIDE,
    COMPRESS: 'DEFLATE',
    PREDICTOR: dataType === 'Byte' ? 2 : 3,
    ZLEVEL: 3,
    NUM_THREADS: 'ALL_CPUS',
    BIGTIFF: 'IF_SAFER',
  }
  const list = Object.entries(options).map(([name, value]) => `${name}=${value}`)
  const output = gdal.open(path, 'w', 'GTiff', width, height, 1, dataType, list)
  let writing: Promise<void> = Promise.resolve()
  try {
    if (dataset.geoTransform !== null) output.geoTransform = dataset.geoTransform
    const srs = newReference(() => dataset.srs)
    if (srs !== null) output.srs = srs
    const target = output.bands.get(1)
    target.noDataValue = nodata
    const windows = windowsOf(width, height, ofWholeTiles(blockOf(reader.band)))
    const areWholeTiles = windows.every(({ x, y }) => x % BLOCK_SIDE === 0 && y % BLOCK_SIDE === 0)
    const mostCells = largest(windows.map((window) => window.width * window.height))
    // one is written while the other is filled
    const [first, second] = [cellsOf(dataType, mostCells), cellsOf(dataType, mostCells)]
    const result = new Float64Array(mostCells)
    let valid = 0
    await eachWindow(
      windows,
      () => makeBuffers(windows, reader),
      (window, into) => readWindow(raster, reader, window, into),
      async (window, from, i) => {
        const cells = i % 2 === 0 ? first : second
        compute(neighbourhoodOf(window, from), result)
        valid += convert(result, window.width * window.height, cells, nodata)
        await writing
        writing = target.pixels.writeAsync(window.x, window.y, window.width, window.height, cells)
        // compress now on other threads, and not everything at the end; a partial tile would be compressed twice
        if (areWholeTiles) writing = writing.then(() => output.flushAsync())
        // reported by the next window, or at the end
        writing.catch(() => undefined)
        onProgress((i + 1) / windows.length)
      },
    )
    await writing
    await output.flushAsync()
    return valid
  } finally {
    await writing.catch(() => undefined)
    output.close()
  }
}

/** Block size with the rows rounded up to whole tiles of the result. */
const ofWholeTiles = ({ x, y }: { x: number; y: number }) => ({ x, y: Math.ceil(BLOCK_SIDE / y) * y })

type ResultCells = Uint8Array | Float32Array
const cellsOf = (dataType: FocalOutput['dataType'], count: number): ResultCells =>
  dataType === 'Byte' ? new Uint8Array(count) : new Float32Array(count)

/** Rounds half up, like GDAL. @returns the number of cells with a value */
function convert(result: Float64Array, count: number, cells: ResultCells, nodata: number): number {
  let valid = 0
  const isByte = cells instanceof Uint8Array
  for (let at = 0; at < count; at++) {
    const value = result[at] as number
    if (Number.isNaN(value)) cells[at] = nodata
    else {
      cells[at] = isByte ? byteOf(value) : value
      valid++
    }
  }
  return valid
}

const byteOf = (value: number): number => (value <= 0 ? 0 : value >= 254.5 ? 255 : (value + 0.5) | 0)

function makeBuffers(windows: readonly Window[], reader: BandReader): CellBuffers {
  return cellBuffers(reader, largest(windows.map(({ width, height }) => (width + 2 * MARGIN) * (height + 2 * MARGIN))))
}

/** Reads a window with the part of its margin inside the raster; the rest of the margin is NaN. */
async function readWindow(raster: OpenRaster, reader: BandReader, window: Window, buffers: CellBuffers): Promise<void> {
  const [left, top] = [Math.max(0, window.x - MARGIN), Math.max(0, window.y - MARGIN)]
  const right = Math.min(raster.width, window.x + window.width + MARGIN)
  const bottom = Math.min(raster.height, window.y + window.height + MARGIN)
  const stride = window.width + 2 * MARGIN
  const offset = (top - window.y + MARGIN) * stride + (left - window.x + MARGIN)
  fillAround(buffers.values, stride, window.height + 2 * MARGIN, {
    left: left - window.x + MARGIN,
    right: right - window.x + MARGIN,
    top: top - window.y + MARGIN,
    bottom: bottom - window.y + MARGIN,
  })
  await readCells(reader, { x: left, y: top, width: right - left, height: bottom - top }, buffers, { offset, stride })
}

type Box = { left: number; right: number; top: number; bottom: number }

/** Fills the cells around a box with NaN. */
function fillAround(values: CellValues, stride: number, rows: number, { left, right, top, bottom }: Box): void {
  values.fill(Number.NaN, 0, top * stride)
  values.fill(Number.NaN, bottom * stride, rows * stride)
  for (let row = top; row < bottom; row++) {
    values.fill(Number.NaN, row * stride, row * stride + left)
    values.fill(Number.NaN, row * stride + right, (row + 1) * stride)
  }
}

const neighbourhoodOf = ({ width, height }: Window, { values }: CellBuffers): Neighbourhood => ({
  values,
  width,
  height,
  stride: width + 2 * MARGIN,
})
