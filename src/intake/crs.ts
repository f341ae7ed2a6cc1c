/**
 * The reference systems of the EPSG registry, from PROJ's database: all of them, or one as a PROJ string that the
 * library of the browser computes with. It is checked against PROJ: a string without the shift between datums would be
 * wrong by hundreds of metres, and the library lacks some projections.
 */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { SpatialReference } from 'gdal-async'
import proj4 from 'proj4'
import { defineWorkerTask } from '../engine/worker-task.ts'
import { type GdalModule, loadGdal } from '../lib/geo/formats/gdal/gdal.ts'
import { newReference } from '../lib/geo/projection/spatial-reference.ts'
import { largest } from '../lists.ts'

export type Crs = {
  code: number
  name: string
  kind: 'projected' | 'geographic'
  /** Name of the area of use. */
  area: string | null
  /** West, south, east, north of the area of use in degrees; west is greater than east across the antimeridian. */
  bbox: [number, number, number, number] | null
}
export type CrsDefinition = {
  /** Null where no string agrees with PROJ. */
  proj4: string | null
  /** The largest difference from PROJ in the area of use, in metres; null without a string. */
  errorM: number | null
}
type Control = { longitude: number; latitude: number; x: number; y: number }

/** Tolerance for datum shifts, none of which is exact. A larger difference would be visible on a map. */
const MAX_ERROR_M = 10
const METRES_PER_DEGREE = 111_320
const RADIANS_IN_SECONDS = 206_264.806_247
/** Control points along each side of the area of use. */
const SIDE = 5

const SYSTEMS = `SELECT v.code, v.name, v.type, e.name AS area,
    e.west_lon AS west, e.south_lat AS south, e.east_lon AS east, e.north_lat AS north
  FROM crs_view v
  LEFT JOIN usage u ON u.object_table_name = v.table_name AND u.object_auth_name = 'EPSG' AND u.object_code = v.code
  LEFT JOIN extent e ON e.auth_name = u.extent_auth_name AND e.code = u.extent_code
  WHERE v.auth_name = 'EPSG' AND v.deprecated = 0 AND v.type IN ('projected', 'geographic 2D')
  GROUP BY v.code ORDER BY CAST(v.code AS INTEGER)`

/** Shifts of a datum to WGS 84, in metres, radians and parts of one. */
const SHIFTS = `SELECT h.method_code AS method, h.tx * t.conv_factor AS tx, h.ty * t.conv_factor AS ty,
    h.tz * t.conv_factor AS tz, h.rx * r.conv_factor AS rx, h.ry * r.conv_factor AS ry, h.rz * r.conv_factor AS rz,
    h.scale_difference * s.conv_factor AS scale, h.px * p.conv_factor AS px, h.py * p.conv_factor AS py,
    h.pz * p.conv_factor AS pz
  FROM helmert_transformation_table h
  JOIN unit_of_measure t ON t.auth_name = h.translation_uom_auth_name AND t.code = h.translation_uom_code
  LEFT JOIN unit_of_measure r ON r.auth_name = h.rotation_uom_auth_name AND r.code = h.rotation_uom_code
  LEFT JOIN unit_of_measure s ON s.auth_name = h.scale_difference_uom_auth_name AND s.code = h.scale_difference_uom_code
  LEFT JOIN unit_of_measure p ON p.auth_name = h.pivot_uom_auth_name AND p.code = h.pivot_uom_code
  WHERE h.source_crs_auth_name = 'EPSG' AND h.target_crs_auth_name = 'EPSG' AND h.target_crs_code = '4326'
    AND h.deprecated = 0 AND h.method_code IN ('9603', '9606', '9607', '9636', '1063')
    AND h.source_crs_code = coalesce(
      (SELECT geodetic_crs_code FROM projected_crs WHERE auth_name = 'EPSG' AND code = ?1), ?1)`

type System = { code: string; name: string; type: string; area: string | null } & Record<
  'west' | 'south' | 'east' | 'north',
  number | null
>
type Shift = { method: string; tx: number; ty: number; tz: number } & Record<
  'rx' | 'ry' | 'rz' | 'scale' | 'px' | 'py' | 'pz',
  number | null
>

async function openRegistry(): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite')
  const gdal = createRequire(import.meta.url).resolve('gdal-async/package.json')
  return new DatabaseSync(join(gdal, '../deps/libproj/proj/data/proj.db'), { readOnly: true })
}

function listSystems(registry: DatabaseSync): Crs[] {
  const rows = registry.prepare(SYSTEMS).all() as System[]
  return rows.map(({ code, name, type, area, west, south, east, north }) => ({
    code: Number(code),
    name,
    kind: type === 'projected' ? 'projected' : 'geographic',
    area,
    bbox: west === null || south === null || east === null || north === null ? null : [west, south, east, north],
  }))
}

/** EPSG methods that rotate the coordinate frame and not the position vector: their angles have the opposite sign. */
const TURNS_FRAME = new Set(['9607', '9636'])

/** As `+towgs84` writes it: position vector, seconds and parts per million, rotated around the centre of the Earth. */
function towgs84({ method, tx, ty, tz, ...shift }: Shift): string {
  const sign = TURNS_FRAME.has(method) ? -1 : 1
  const [rx, ry, rz] = [sign * (shift.rx ?? 0), sign * (shift.ry ?? 0), sign * (shift.rz ?? 0)]
  const [scale, px, py, pz] = [shift.scale ?? 0, shift.px ?? 0, shift.py ?? 0, shift.pz ?? 0]
  // extra translation of a rotation around another point (Molodensky-Badekas)
  const moved = [
    tx - scale * px - (1 + scale) * (ry * pz - rz * py),
    ty - scale * py - (1 + scale) * (rz * px - rx * pz),
    tz - scale * pz - (1 + scale) * (rx * py - ry * px),
  ]
  return [...moved, ...[rx, ry, rz].map((radians) => radians * RADIANS_IN_SECONDS), scale * 1e6].join(',')
}

/** Places in the area of use with their coordinates by PROJ. Some transformations end inside the area. */
function controlsOf(gdal: GdalModule, system: SpatialReference, [west, south, east, north]: number[]): Control[] {
  const transform = new gdal.CoordinateTransformation(
    newReference(() => gdal.SpatialReference.fromEPSG(4326)),
    system,
  )
  const width = ((east as number) - (west as number) + 360) % 360 || 360
  const controls: Control[] = []
  for (let i = 1; i < SIDE; i++)
    for (let j = 1; j < SIDE; j++) {
      const longitude = (((west as number) + (width * i) / SIDE + 540) % 360) - 180
      const latitude = (south as number) + (((north as number) - (south as number)) * j) / SIDE
      try {
        const { x, y } = transform.transformPoint(longitude, latitude)
        if (Number.isFinite(x) && Number.isFinite(y)) controls.push({ longitude, latitude, x, y })
      } catch {
        // PROJ cannot project this position
      }
    }
  return controls
}

function errorOf(definition: string, unitM: number, controls: readonly Control[]): number {
  try {
    const convert = proj4(definition)
    const errors = controls.map(({ longitude, latitude, x, y }) => {
      const [ownX, ownY] = convert.forward([longitude, latitude])
      return Math.hypot((ownX as number) - x, (ownY as number) - y) * unitM
    })
    return errors.some(Number.isNaN) ? Number.POSITIVE_INFINITY : largest(errors)
  } catch {
    // the library lacks this projection
    return Number.POSITIVE_INFINITY
  }
}

async function define(registry: DatabaseSync, code: number): Promise<CrsDefinition> {
  const none: CrsDefinition = { proj4: null, errorM: null }
  const system = listSystems(registry).find((one) => one.code === code)
  const gdal = await loadGdal()
  let reference: SpatialReference
  let definition: string
  try {
    reference = newReference(() => gdal.SpatialReference.fromEPSG(code))
    definition = reference.toProj4().trim()
  } catch {
    return none
  }
  const controls = controlsOf(gdal, reference, system?.bbox ?? [-179, -80, 179, 80])
  if (definition === '' || controls.length === 0) return none
  const unitM = system?.kind === 'projected' ? reference.getLinearUnits().value : METRES_PER_DEGREE
  const shifts = registry.prepare(SHIFTS).all(String(code)) as Shift[]
  const bare = definition.replace(/\s*\+towgs84=\S+/, '')
  const candidates = [definition, ...shifts.map((shift) => `${bare} +towgs84=${towgs84(shift)}`)]
  let best = none
  for (const candidate of new Set(candidates)) {
    const errorM = errorOf(candidate, unitM, controls)
    if (errorM <= MAX_ERROR_M && errorM < (best.errorM ?? Number.POSITIVE_INFINITY)) best = { proj4: candidate, errorM }
  }
  return best
}

/** Returns `systems`, or with a code the `definition` of that system. */
export default defineWorkerTask<{ code?: number }>({
  id: 'intake.crs',
  lane: 'node',
  async run({ code }) {
    const registry = await openRegistry()
    try {
      if (code === undefined) return { data: { systems: listSystems(registry) } }
      return { data: { definition: await define(registry, code) } }
    } finally {
      registry.close()
    }
  },
})
