/**
 * The only code that reads cell values. Their meaning depends on more than the bit size: bytes may be signed, nodata is
 * a text of a few digits, and 64 bits hold integers that a double cannot.
 */

import type * as Gdal from 'gdal-async'
import { fieldText } from '../../field-texts/field-text.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { InputError } from '../input-error.ts'

export type BandReader = {
  band: Gdal.RasterBand
  /** GDAL's name, `Int8` for signed bytes. */
  dataType: string
  nodata: number | null
  /** Maximum difference of a nodata cell from the nodata value, whose text may be rounded. */
  tolerance: number
  /** Whether a separate mask band marks missing cells. */
  masked: boolean
  /** Whether a mask has to be read with the values: a separate one, or GDAL's mask for a 64-bit nodata value. */
  readsMask: boolean
  /** Whether a value was read that a double cannot hold exactly. */
  isRounded: boolean
}

const MASK_ALL_VALID = 1
const MASK_NODATA = 8
const FLOAT32_MAX = (2 - 2 ** -23) * 2 ** 127
/** Two units in the last place of both values, as GDAL compares them. */
const FLOAT32_TOLERANCE = 2 ** -21
/** Nodata values close to the largest number are often rounded to two to six digits. No measurement is that large. */
const EXTREME_TOLERANCE = 0.01

const isWide = (dataType: string): boolean => dataType === 'Int64' || dataType === 'UInt64'

/** @param index counted from 1 */
export function bandReader(dataset: Gdal.Dataset, index: number): BandReader {
  const band = dataset.bands.get(index)
  const { PIXELTYPE } = band.getMetadata('IMAGE_STRUCTURE') as { PIXELTYPE?: string }
  const dataType = band.dataType === 'Byte' && PIXELTYPE === 'SIGNEDBYTE' ? 'Int8' : (band.dataType ?? '')
  const flags = Number(band.getMaskFlags())
  const masked = (flags & (MASK_ALL_VALID | MASK_NODATA)) === 0
  const readsMask = masked || (isWide(dataType) && (flags & MASK_NODATA) !== 0)
  return { band, dataType, ...nodataOf(band, dataType), masked, readsMask, isRounded: false }
}

function nodataOf({ noDataValue }: Gdal.RasterBand, dataType: string): { nodata: number | null; tolerance: number } {
  // GDAL compares integers of 64 bits exactly, in its mask
  if (noDataValue === null || Number.isNaN(noDataValue) || isWide(dataType))
    return { nodata: noDataValue, tolerance: 0 }
  if (!dataType.includes('Float')) return { nodata: noDataValue, tolerance: 0 }
  const most = dataType.includes('32') ? FLOAT32_MAX : Number.MAX_VALUE
  const held = Math.min(most, Math.max(-most, noDataValue))
  const nodata = dataType.includes('32') ? Math.fround(held) : held
  const size = Math.abs(nodata)
  if (size > most / 2) return { nodata, tolerance: size * EXTREME_TOLERANCE }
  return { nodata, tolerance: dataType.includes('32') ? size * FLOAT32_TOLERANCE : 0 }
}

export type CellValues = Float32Array | Float64Array
/** Bytes where `holdsBytes`, otherwise numbers, NaN for a missing cell. */
export type Cells = Uint8Array | CellValues
export type CellBuffers<T extends Cells = CellValues> = { values: T; mask: Uint8Array | undefined }

/** Data types that fit into 32-bit floats without loss. Doubles take twice as long to read and process. */
const FLOAT32_HOLDS = new Set(['Float32', 'Int16', 'UInt16', 'Int8', 'Byte'])
export const floatsFor = ({ dataType }: BandReader): Float32ArrayConstructor | Float64ArrayConstructor =>
  FLOAT32_HOLDS.has(dataType) ? Float32Array : Float64Array

/** Whether cells can stay bytes. Bytes have no NaN, so a masked band needs floats. */
export const holdsBytes = ({ dataType, readsMask }: BandReader): boolean => dataType === 'Byte' && !readsMask

/** @param count of cells */
export const cellBuffers = (reader: BandReader, count: number): CellBuffers => ({
  values: new (floatsFor(reader))(count),
  mask: reader.readsMask ? new Uint8Array(count) : undefined,
})

type Area = { x: number; y: number; width: number; height: number }
/** Offset of an area's first cell in the buffer, and number of cells from one row start to the next. */
type Layout = { offset: number; stride: number }

/** Reads the cells of an area. Missing ones become NaN, except where the values are bytes. */
export async function readCells(
  reader: BandReader,
  { x, y, width, height }: Area,
  { values, mask }: CellBuffers<Cells>,
  { offset, stride }: Layout = { offset: 0, stride: width },
): Promise<void> {
  const { band } = reader
  await band.pixels.readAsync(x, y, width, height, values, {
    data_type: typeOf(values),
    offset,
    line_space: stride * values.BYTES_PER_ELEMENT,
  })
  if (mask !== undefined)
    await (band.getMaskBand() as Gdal.RasterBand).pixels.readAsync(x, y, width, height, mask, {
      data_type: 'Byte',
      offset,
      line_space: stride,
    })
  if (values instanceof Uint8Array) return
  for (let row = 0, from = offset; row < height; row++, from += stride)
    interpret(reader, values, mask, from, from + width)
}

const typeOf = (cells: Cells): string =>
  cells instanceof Uint8Array ? 'Byte' : cells instanceof Float32Array ? 'Float32' : 'Float64'

function interpret(
  reader: BandReader,
  values: CellValues,
  mask: Uint8Array | undefined,
  from: number,
  to: number,
): void {
  const { dataType, nodata, tolerance } = reader
  if (dataType === 'Int8')
    for (let i = from; i < to; i++) if ((values[i] as number) > 127) values[i] = (values[i] as number) - 256
  if (mask !== undefined) for (let i = from; i < to; i++) if (mask[i] === 0) values[i] = Number.NaN
  if (isWide(dataType)) {
    for (let i = from; i < to; i++) if (Math.abs(values[i] as number) > 2 ** 53) reader.isRounded = true
    return
  }
  if (nodata === null || Number.isNaN(nodata)) return
  for (let i = from; i < to; i++) if (Math.abs((values[i] as number) - nodata) <= tolerance) values[i] = Number.NaN
}

export const isComplex = ({ dataType }: BandReader): boolean => dataType.startsWith('C')

/** @throws InputError `complex` */
export function requireReal(reader: BandReader): void {
  if (isComplex(reader)) throw new InputError('complex', fieldText('complexBand', { type: reader.dataType }))
}

/** Warnings about information lost in the numbers that were read. @param index of the band, counted from 1 */
export function readingWarnings(reader: BandReader, index: number): Warning[] {
  const warnings: Warning[] = []
  if (isComplex(reader)) warnings.push(warning('complexNumbers', { band: index }))
  if (reader.isRounded) warnings.push(warning('integersRounded', { band: index }))
  return warnings
}
