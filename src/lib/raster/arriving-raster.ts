/** Opens a GeoTIFF while it arrives, if its directories come before its cells, as GDAL and others write it. */
import type { Arrivals } from '../arrivals.ts'
import { InputError } from '../input-error.ts'
import { bandReader, blockBytesOf, type OpenRaster, openRaster } from './open-raster.ts'
import type { Arrival } from './statistics.ts'
import { blockPlaces, isCompressed, readTiffLayout, type TiffDirectory, type TiffLayout } from './tiff-directory.ts'
import type { Window } from './windows.ts'

const HEADER_BYTES = 16
/** Directories that reach further than this are not waited for. */
const MAX_HEAD_BYTES = 16 * 2 ** 20
const MAX_BLOCKS = 1_000_000
/** GDAL also reads what it writes itself around a block. */
const AROUND_BLOCK = 16

/**
 * Returns undefined for a file that must be whole first: its directories come late, or a mask belongs to it.
 * @throws InputError as `openRaster` does, and what `arrivals` throws
 */
export async function openArriving(
  path: string,
  arrivals: Arrivals,
  maxSamples: number,
): Promise<{ raster: OpenRaster; arrival: Arrival } | undefined> {
  if (!(await haveDirectories(path, arrivals))) return undefined
  const raster = await openRaster(path, maxSamples)
  const { dataset, layout, bandCount } = raster
  const ends = endsOfRows(path, layout, blockBytesOf(dataset))
  const isMasked = Array.from({ length: bandCount }, (_, i) => bandReader(dataset, i + 1).masked).some(Boolean)
  if (ends === undefined || isMasked) {
    raster.close()
    return undefined
  }
  const { blockHeight } = layout.directories[0] as TiffDirectory
  const arrival = async ({ y, height }: Window): Promise<void> => {
    const rows = ends.subarray(Math.floor(y / blockHeight), Math.floor((y + height - 1) / blockHeight) + 1)
    const end = rows.reduce((most, one) => Math.max(most, one), 0)
    await arrivals.after(end - 1)
  }
  return { raster, arrival }
}

/** Waits for the directories. @returns whether they came early enough */
async function haveDirectories(path: string, arrivals: Arrivals): Promise<boolean> {
  for (let bytes = 0; ; ) {
    const arrived = await arrivals.after(bytes)
    bytes = arrived.bytes
    if (bytes < HEADER_BYTES && !arrived.isWhole) continue
    const end = directoriesEnd(path)
    if (end !== undefined && end <= bytes) return true
    if (arrived.isWhole || bytes > MAX_HEAD_BYTES) return false
  }
}

/** Undefined when they are not in the file yet. @throws InputError `format` */
function directoriesEnd(path: string): number | undefined {
  try {
    return readTiffLayout(path).directoriesEnd
  } catch (error) {
    if (error instanceof InputError && error.rule === 'unreadable') return undefined
    throw error
  }
}

/** Where the last block of each row of blocks ends in the file; undefined when the blocks are not those of one image. */
function endsOfRows(path: string, layout: TiffLayout, decodedBytes: number): Float64Array | undefined {
  const { width, height, blockWidth, blockHeight, blockOffsets, blockLengths } = layout.directories[0] as TiffDirectory
  if (blockWidth === 0 || blockHeight === 0) return undefined
  const [across, down] = [Math.ceil(width / blockWidth), Math.ceil(height / blockHeight)]
  const count = across * down
  if (count > MAX_BLOCKS || blockOffsets.count !== count || blockLengths.count !== count) return undefined
  const ends = new Float64Array(down)
  for (const [i, [offset, length]] of blockPlaces(path, layout).entries()) {
    const row = Math.floor(i / across)
    // without a length, the library takes what it needs
    const bytes =
      length === 0 ? Number.POSITIVE_INFINITY : isCompressed(layout) ? length : Math.max(length, decodedBytes)
    if (offset !== 0) ends[row] = Math.max(ends[row] as number, offset + bytes + AROUND_BLOCK)
  }
  return ends
}
