/** Cell sizes of the grids to which geometries are snapped when an operation fails. */

import { fieldText } from '../../../field-texts/field-text.ts'
import { largest } from '../../../lists.ts'
import { InputError } from '../../input-error.ts'
import type { GeosMemory, Pointer } from './geos-memory.ts'
import { emptyEnvelope, widen } from './wkb.ts'

/** Cells of the grids, as shares of the largest coordinate: 0.1 mm and 10 mm for degrees. */
const RELATIVE_CELL_SIZES = [1e-11, 1e-9]
/** Coordinates beyond this are not a place on Earth in any unit. */
const MAX_COORDINATE = 1e9

/** An operation that failed on the original geometries, with the reason. */
export type Failure = { operation: string; inputs: readonly Pointer[]; reason: string }

/**
 * Tries the cell sizes for the extent of the inputs, from the smallest.
 * @param attempt undefined when it fails again
 * @throws InputError when coordinates are out of range, otherwise an Error, since the input is not at fault
 */
export function overGrids<T>(
  geos: GeosMemory,
  { operation, inputs, reason }: Failure,
  attempt: (cell: number) => T | undefined,
): T {
  const extent = emptyEnvelope()
  for (const geometry of inputs) widen(extent, geos.write(geometry))
  const reach = extent[0] <= extent[2] ? largest(extent.map(Math.abs)) : 0
  if (reach > MAX_COORDINATE)
    throw new InputError('geometry', fieldText('coordinatesWithin', { operation, most: MAX_COORDINATE }))
  for (const share of RELATIVE_CELL_SIZES) {
    const result = attempt(10 ** Math.ceil(Math.log10(Math.max(reach, 1) * share)))
    if (result !== undefined) return result
  }
  throw new Error(`${operation} failed: ${reason}`)
}
