/**
 * Repeats failed operations of GEOS with valid geometries and all positions on a grid, where almost coincident lines
 * coincide (snap rounding). Even valid input makes operations fail when nearly parallel lines cross at positions that a
 * double cannot represent.
 */
import type { GeosMemory, Pointer } from './geos-memory.ts'
import { makeValid } from './make-valid.ts'
import { type Failure, overGrids } from './precision-grid.ts'

/**
 * Runs an operation, and repeats it on a grid if it fails.
 * @param run receives the geometries and the cell size of the grid, 0 for none; returns 0 when it fails
 * @throws InputError when coordinates are out of range, otherwise an Error, since the input is not at fault
 */
export function robust(
  geos: GeosMemory,
  operation: string,
  inputs: readonly Pointer[],
  run: (inputs: readonly Pointer[], cell: number) => Pointer,
): Pointer {
  const exact = run(inputs, 0)
  if (exact !== 0) return exact
  const failure = { operation, inputs, reason: geos.lastMessage }
  return onGrid(geos, failure, (rounded, cell) => run(rounded, cell) || undefined)
}

/**
 * @param attempt repeats the operation with geometries on a grid of a cell size; undefined when it fails again
 * @throws InputError when coordinates are out of range, otherwise an Error, since the input is not at fault
 */
export function onGrid<T>(
  geos: GeosMemory,
  failure: Failure,
  attempt: (inputs: readonly Pointer[], cell: number) => T | undefined,
): T {
  const valid: Pointer[] = []
  try {
    for (const geometry of failure.inputs) valid.push(makeValid(geos, geometry))
    return overGrids(geos, { ...failure, inputs: valid }, (cell) => {
      const rounded = valid.map((geometry) => geos.rounded(geometry, cell))
      const result = rounded.includes(0) ? undefined : attempt(rounded, cell)
      for (const geometry of rounded) if (geometry !== 0) geos.free(geometry)
      return result
    })
  } finally {
    for (const geometry of valid) geos.free(geometry)
  }
}
