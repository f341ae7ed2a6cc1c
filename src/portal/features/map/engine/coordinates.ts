/** Coordinates as people write them, in the reference system of their choice. */
import { signal } from '@preact/signals'

/** `EPSG:` with a number, or one of the systems that need no projection library. */
export type Crs = 'decimal' | 'dms' | 'utm' | `EPSG:${number}`

const KEY = 'groundwave.crs'
const WEB_MERCATOR: Crs = 'EPSG:3857'
const EARTH_RADIUS_M = 6_378_137
const RADIANS = Math.PI / 180
const ROUGH_M = 0.5

export function parseCrs(text: string | null): Crs | undefined {
  if (text === 'decimal' || text === 'dms' || text === 'utm') return text
  const code = /^\s*(?:EPSG\s*:?\s*)?(\d{4,6})\s*$/i.exec(text ?? '')?.[1]
  return code === undefined ? undefined : `EPSG:${Number(code)}`
}

function stored(): Crs {
  try {
    return parseCrs(localStorage.getItem(KEY)) ?? 'decimal'
  } catch {
    // storage is disabled
    return 'decimal'
  }
}

export const crs = signal<Crs>(stored())

export function chooseCrs(next: Crs): void {
  crs.value = next
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // the choice lasts as long as the page
  }
}

const fixed = (value: number, digits: number): string => value.toFixed(digits)

/** `30° 02′ 40.2″ N` */
function sexagesimal(degrees: number, [positive, negative]: readonly [string, string]): string {
  const tenths = Math.round(Math.abs(degrees) * 36_000)
  const [d, m, s] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10]
  const two = (text: string, length = 2): string => text.padStart(length, '0')
  return `${d}° ${two(String(m))}′ ${two(fixed(s, 1), 4)}″ ${degrees < 0 ? negative : positive}`
}

/** UTM zone of a place, with the exceptions for Norway and Svalbard. */
export function utmZone(longitude: number, latitude: number): number {
  if (latitude >= 56 && latitude < 64 && longitude >= 3 && longitude < 12) return 32
  if (latitude >= 72 && latitude < 84 && longitude >= 0 && longitude < 42)
    return longitude < 9 ? 31 : longitude < 21 ? 33 : longitude < 33 ? 35 : 37
  return Math.min(60, Math.floor((longitude + 180) / 6) + 1)
}

/** Loaded when somebody picks a system that needs it. */
let projections: typeof import('./projections.ts') | undefined
const isLoaded = signal(false)

/** Includes the system of an earlier visit. */
async function loadProjections(): Promise<void> {
  projections ??= await import('./projections.ts')
  const system = crs.peek()
  if (system.startsWith('EPSG:')) await projections.loadSystem(Number(system.slice(5))).catch(() => false)
  isLoaded.value = true
}

/** Of a system that a person picked. @returns whether it can be computed here @throws ApiError */
export async function prepareCrs(system: Crs): Promise<boolean> {
  if (!system.startsWith('EPSG:') || system === WEB_MERCATOR) return true
  if (projections === undefined) await loadProjections()
  return (await projections?.loadSystem(Number(system.slice(5)))) === true
}

/** @returns undefined while the library is being loaded, or outside the area of the system */
export function formatCoordinates(system: Crs, longitude: number, latitude: number): string | undefined {
  if (system === 'decimal') return `${fixed(latitude, 5)}, ${fixed(longitude, 5)}`
  if (system === 'dms') return `${sexagesimal(latitude, ['N', 'S'])}  ${sexagesimal(longitude, ['E', 'W'])}`
  if (system === WEB_MERCATOR) {
    const y = EARTH_RADIUS_M * Math.log(Math.tan(Math.PI / 4 + (latitude * RADIANS) / 2))
    return `${fixed(EARTH_RADIUS_M * longitude * RADIANS, 1)} E  ${fixed(y, 1)} N`
  }
  if (system === 'utm' && (latitude < -80 || latitude > 84)) return undefined
  if (!isLoaded.value) {
    void loadProjections()
    return undefined
  }
  const zone = utmZone(longitude, latitude)
  const code = system === 'utm' ? (latitude < 0 ? 32_700 : 32_600) + zone : Number(system.slice(5))
  const projected = projections?.project(code, longitude, latitude)
  if (projected === undefined) return undefined
  const { x, y, isGeographic, errorM } = projected
  // no more digits than the accuracy allows
  const near = errorM > ROUGH_M ? `  ± ${Math.ceil(errorM)} m` : ''
  if (isGeographic) return `${fixed(y, 5)}, ${fixed(x, 5)}${near}`
  const digits = near === '' ? 1 : 0
  const prefix = system === 'utm' ? `${zone}${latitude < 0 ? 'S' : 'N'}  ` : ''
  return `${prefix}${fixed(x, digits)} E  ${fixed(y, digits)} N${near}`
}
