/** Reprojects GeoJSON whose `crs` member (2008 specification) names another CRS to longitude and latitude. */
import { InputError } from '../../../input-error.ts'
import { WGS84 } from '../../layers/layer.ts'
import { knownCrs, type Reprojection, reprojection } from '../../projection/reprojection.ts'
import { crsNameOf } from './geojson-read.ts'

type Members = Record<string, unknown>

/**
 * @returns the same object when it is already in WGS 84; otherwise a copy without its crs member
 * @throws InputError `crs`, `reprojection`
 */
export async function toWgs84(root: unknown): Promise<unknown> {
  if (typeof root !== 'object' || root === null || Array.isArray(root) || !('crs' in root)) return root
  const name = crsNameOf(root.crs)
  const { crs: _, ...rest } = root as Members
  if (name === undefined) return rest
  const project = await reprojection(await knownCrs(name), WGS84)
  return moved(rest, project, '')
}

function moved(node: Members, project: Reprojection, where: string): Members {
  const { features, geometry, coordinates } = node
  if (Array.isArray(features))
    return { ...node, features: features.map((feature, i) => movedMember(feature, project, `feature ${i}: `)) }
  if (typeof geometry === 'object' && geometry !== null)
    return { ...node, geometry: moved(geometry as Members, project, where) }
  return Array.isArray(coordinates) ? { ...node, coordinates: movedList(coordinates, project, where) } : node
}

const movedMember = (member: unknown, project: Reprojection, where: string): unknown =>
  typeof member === 'object' && member !== null ? moved(member as Members, project, where) : member

/** Nesting depth of a MultiPolygon's coordinates. */
const MAX_DEPTH = 4

/** Leaves anything that is not a position unchanged; validation reports it later. */
function movedList(list: unknown[], project: Reprojection, where: string, depth = 1): unknown[] {
  if (depth > MAX_DEPTH) return list
  const [x, y, ...rest] = list
  if (typeof x !== 'number')
    return list.map((item) => (Array.isArray(item) ? movedList(item, project, where, depth + 1) : item))
  const position = typeof y === 'number' ? project(x, y) : undefined
  if (position === undefined)
    throw new InputError('reprojection', `${where}[${x}, ${y}] is outside the area where its CRS is valid`)
  return [...position, ...rest]
}
