/** The layers of a comparison as tables of a PostGIS, and the result of a statement on them as a file. */
import { join } from 'node:path'
import type { ToolData } from './tool-data.ts'
import { runCommand } from './tool-rivals.ts'

const connection = (url: string): string => {
  const { hostname, port, username, password } = new URL(url)
  return `PG:host=${hostname} port=${port} user=${username} password=${password} dbname=postgres`
}

/** Loads the layers into indexed tables. @returns milliseconds for the first two */
export async function loadTables(sql: Bun.SQL, url: string, data: ToolData): Promise<number> {
  const target = connection(url)
  const startedMs = performance.now()
  let bothMs = 0
  for (const table of ['parcels', 'others', 'mask'] as const) {
    const args = [
      '-f',
      'PostgreSQL',
      '-overwrite',
      '-nln',
      table,
      '-lco',
      'GEOMETRY_NAME=geom',
      '-lco',
      'SPATIAL_INDEX=GIST',
    ]
    const { exitCode, stderr } = Bun.spawnSync(['ogr2ogr', ...args, target, data[table]], { stderr: 'pipe' })
    if (exitCode !== 0) throw new Error(String(stderr))
    await sql.unsafe(`ANALYZE ${table}`)
    if (table === 'others') bothMs = performance.now() - startedMs
  }
  return bothMs
}

/** Exports the result of a statement in the format that the tool writes. @returns milliseconds */
export function exportTable(url: string, out: string): number {
  return runCommand([['ogr2ogr', '-f', 'GeoJSON', join(out, 'out.geojson'), connection(url), 'out']], out)
}

export async function runStatement(sql: Bun.SQL, select: string): Promise<number> {
  await sql.unsafe('DROP TABLE IF EXISTS out')
  const startedMs = performance.now()
  await sql.unsafe(`CREATE TABLE out AS ${select}`)
  return performance.now() - startedMs
}
