/**
 * Focal operations (Tomlin): a new raster, each cell of which is computed from the 3 × 3 cells around it. The source is
 * read in windows with a margin of one cell, so memory does not grow with the raster. Runs in Node only.
 */
import type * as Gdal from 'gdal-async'
import { loadGdal } from '../geo/gdal.ts'
import { type BandReader, bandReader, type OpenRaster } from './open-raster.ts'
import { blockOf, eachWindow, type Window, windowsOf } from './windows.ts'

const MARGIN = 1
const BLOCK_SIDE = 512

/** Cells of a window, rows from the top, with a margin of one cell. NaN is nodata, masked or outside of the raster. */
export type Neighbourhood = { values: Float64Array; width: number; height: number; stride: number }

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

type Buffers = { values: Float64Array; mask: Uint8Array | undefined }

/**
 * Writes a GeoTIFF of the same size, position and CRS.
 * @param band counted from 1
 * @returns how many cells hold a value
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
  try {
    if (dataset.geoTransform !== null) output.geoTransform = dataset.geoTransform
    if (dataset.srs !== null) output.srs = dataset.srs
    const target = output.bands.get(1)
    target.noDataValue = nodata
    const windows = windowsOf(width, height, blockOf(reader.band))
    const result = new Float64Array(Math.max(...windows.map((window) => window.width * window.height)))
    let valid = 0
    await eachWindow(
      windows,
      () => makeBuffers(windows, reader),
      (window, into) => readWindow(raster, reader, window, into),
      (window, from, i) => {
        const source = neighbourhoodOf(reader, window, from)
        compute(source, result)
        const cells = window.width * window.height
        for (let at = 0; at < cells; at++)
          if (Number.isNaN(result[at])) result[at] = nodata
          else valid++
        target.pixels.write(window.x, window.y, window.width, window.height, result)
        onProgress((i + 1) / windows.length)
      },
    )
    output.flush()
    return valid
  } finally {
    output.close()
  }
}

function makeBuffers(windows: readonly Window[], { masked }: BandReader): Buffers {
  const cells = Math.max(...windows.map(({ width, height }) => (width + 2 * MARGIN) * (height + 2 * MARGIN)))
  return { values: new Float64Array(cells), mask: masked ? new Uint8Array(cells) : undefined }
}

/** Reads a window with what the raster has of its margin; the rest of the margin is NaN. */
async function readWindow(
  raster: OpenRaster,
  { band }: BandReader,
  window: Window,
  { values, mask }: Buffers,
): Promise<void> {
  const [left, top] = [Math.max(0, window.x - MARGIN), Math.max(0, window.y - MARGIN)]
  const right = Math.min(raster.width, window.x + window.width + MARGIN)
  const bottom = Math.min(raster.height, window.y + window.height + MARGIN)
  const stride = window.width + 2 * MARGIN
  const first = (top - window.y + MARGIN) * stride + (left - window.x + MARGIN)
  values.fill(Number.NaN, 0, stride * (window.height + 2 * MARGIN))
  const area = [left, top, right - left, bottom - top] as const
  await band.pixels.readAsync(...area, values, { data_type: 'Float64', offset: first, line_space: stride * 8 })
  if (mask !== undefined)
    await (band.getMaskBand() as Gdal.RasterBand).pixels.readAsync(...area, mask, {
      data_type: 'Byte',
      offset: first,
      line_space: stride,
    })
}

function neighbourhoodOf({ nodata }: BandReader, { width, height }: Window, { values, mask }: Buffers): Neighbourhood {
  const stride = width + 2 * MARGIN
  const cells = stride * (height + 2 * MARGIN)
  if (nodata !== null && !Number.isNaN(nodata))
    for (let at = 0; at < cells; at++) if (values[at] === nodata) values[at] = Number.NaN
  if (mask !== undefined) for (let at = 0; at < cells; at++) if (mask[at] === 0) values[at] = Number.NaN
  return { values, width, height, stride }
}
