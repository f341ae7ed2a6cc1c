/** Reprojects GeoJSON whose `crs` member (2008 specification) names another CRS to longitude and latitude. */
import { inPlace, type Place } from '../../../../field-texts/bilingual.ts'
import { fieldText } from '../../../../field-texts/field-text.ts'
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
  return moved(rest, project, undefined)
}

function moved(node: Members, project: Reprojection, place: Place | undefined): Members {
  const { features, geometry, coordinates } = node
  if (Array.isArray(features))
    return { ...node, features: features.map((feature, i) => movedMember(feature, project, { feature: i })) }
  if (typeof geometry === 'object' && geometry !== null)
    return { ...node, geometry: moved(geometry as Members, project, place) }
  return Array.isArray(coordinates) ? { ...node, coordinates: movedList(coordinates, project, place) } : node
}

const movedMember = (member: unknown, project: Reprojection, place: Place | undefined): unknown =>
  typeof member === 'object' && member !== null ? moved(member as Members, project, place) : member

/** Nesting depth of a MultiPolygon's coordinates. */
const MAX_DEPTH = 4

/** Leaves anything that is not a position unchanged; validation reports it later. */
function movedList(list: unknown[], project: Reprojection, place: Place | undefined, depth = 1): unknown[] {
  if (depth > MAX_DEPTH) return list
  const [x, y, ...rest] = list
  if (typeof x !== 'number')
    return list.map((item) => (Array.isArray(item) ? movedList(item, project, place, depth + 1) : item))
  const position = typeof y === 'number' ? project(x, y) : undefined
  if (position === undefined)
    throw new InputError('reprojection', inPlace(place, fieldText('positionOutsideCrs', { x, y: String(y) })))
  return [...position, ...rest]
}
