/** Makes geometries valid with GEOS: its second method is the fallback when the first fails. */
import type { GeosMemory, Pointer, RepairMethod } from './geos-memory.ts'
import { overGrids } from './precision-grid.ts'

/**
 * Uses the structure method by default, which keeps all input vertices and drops collapsed parts.
 * @throws Error when every attempt fails
 */
export function makeValid(geos: GeosMemory, geometry: Pointer, method: RepairMethod = 'structure'): Pointer {
  const byStructure = method === 'structure' ? twiceByStructure(geos, geometry) : 0
  const valid = byStructure || geos.tryMakeValid('linework', geometry)
  if (valid !== 0) return valid
  return overGrids(geos, { operation: 'repair', inputs: [geometry], reason: geos.lastMessage }, (cell) => {
    const rounded = geos.roundedPointwise(geometry, cell)
    const repaired = rounded === 0 ? 0 : geos.tryMakeValid('linework', rounded)
    if (rounded !== 0) geos.free(rounded)
    return repaired || undefined
  })
}

/**
 * A second round, because for some self-touching rings the first one fails or returns parts that share an edge.
 * @returns 0 when it fails
 */
function twiceByStructure(geos: GeosMemory, geometry: Pointer): Pointer {
  let valid = geos.tryMakeValid('structure', geometry)
  if (valid !== 0 && !geos.isValid(valid)) {
    const parts = valid
    valid = geos.tryMakeValid('structure', parts)
    geos.free(parts)
  }
  if (valid === 0 || geos.isValid(valid)) return valid
  geos.free(valid)
  return 0
}
