/** Reference systems by their EPSG codes. A separate chunk: proj4 is large, and few people need it. */
import proj4 from 'proj4'
import { api, dataOf } from '../../../api/client.ts'

export type System = { code: number; name: string; area: string | null }
/** `errorM`: maximum distance of the shown coordinates from the exact ones, in metres. */
type Definition = { proj4: string; errorM: number }

const known = new Map<number, Definition>()

/** UTM zones of WGS 84 follow a rule. */
function utm(code: number): Definition | undefined {
  const zone = code % 100
  if (zone < 1 || zone > 60 || (code - zone !== 32_600 && code - zone !== 32_700)) return undefined
  const south = code - zone === 32_700 ? ' +south' : ''
  return { proj4: `+proj=utm +zone=${zone}${south} +datum=WGS84 +units=m +no_defs`, errorM: 0 }
}

/** @returns systems whose name, area or code contains the words @throws ApiError */
export async function searchSystems(q: string, limit: number, signal: AbortSignal): Promise<System[]> {
  const page = await dataOf(api.GET('/enterprise/v1/assets/crs', { params: { query: { q, limit } }, signal }))
  return page.items
}

/** Makes a system usable. @returns whether it can be computed here @throws ApiError; 404 for a code that is no system */
export async function loadSystem(code: number): Promise<boolean> {
  if (known.has(code) || utm(code) !== undefined) return true
  const path = { code }
  const found = await dataOf(api.GET('/enterprise/v1/assets/crs/{code}', { params: { path } }))
  if (found.proj4 === null) return false
  known.set(code, { proj4: found.proj4, errorM: found.errorM ?? 0 })
  return true
}

export type Projected = { x: number; y: number; isGeographic: boolean; errorM: number }

/** @returns undefined where the system has no coordinates for a place, or is not loaded */
export function project(code: number, longitude: number, latitude: number): Projected | undefined {
  const definition = known.get(code) ?? utm(code)
  if (definition === undefined) return undefined
  try {
    const [x = Number.NaN, y = Number.NaN] = proj4(definition.proj4, [longitude, latitude])
    if (!Number.isFinite(x) || !Number.isFinite(y)) return undefined
    return { x, y, isGeographic: definition.proj4.startsWith('+proj=longlat'), errorM: definition.errorM }
  } catch {
    // the place is too far from the area of the system
    return undefined
  }
}

/** @returns undefined where the system is not loaded, or a place has no longitude and latitude */
export function unproject(code: number, x: number, y: number): [longitude: number, latitude: number] | undefined {
  const definition = known.get(code) ?? utm(code)
  if (definition === undefined) return undefined
  const [longitude = Number.NaN, latitude = Number.NaN] = proj4(definition.proj4).inverse([x, y])
  return Number.isFinite(longitude) && Number.isFinite(latitude) ? [longitude, latitude] : undefined
}
