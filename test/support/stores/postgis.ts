/** PostGIS as a reference for results; one server per test run. */

import { atRunEnd, sharedFolder } from '../run-end.ts'
import { startPostgres } from './postgres.ts'

const shared = globalThis as { groundwavePostgis?: Promise<Bun.SQL> }

export function postgis(): Promise<Bun.SQL> {
  shared.groundwavePostgis ??= (async () => {
    const server = await startPostgres([], sharedFolder('postgis'))
    const sql = new Bun.SQL(server.url, { max: 1 })
    atRunEnd(async () => {
      await sql.close()
      await server.remove()
    })
    await sql`CREATE EXTENSION postgis`
    return sql
  })()
  return shared.groundwavePostgis
}

/** Creates a table of rows (i, geom), where i is the index of the geometry. */
export async function loadTable(sql: Bun.SQL, name: string, geometries: readonly unknown[]): Promise<void> {
  await sql.unsafe(`DROP TABLE IF EXISTS ${name}`)
  await sql.unsafe(`CREATE TABLE ${name} (i integer, geom geometry)`)
  const rows = geometries.map((geometry, i) => ({ i, g: JSON.stringify(geometry) }))
  await sql.unsafe(
    `INSERT INTO ${name} SELECT (r->>'i')::integer, ST_SetSRID(ST_MakeValid(ST_GeomFromGeoJSON(r->>'g'), 'method=structure'), 4326)
     FROM json_array_elements($1::text::json) AS r`,
    [JSON.stringify(rows)],
  )
}
