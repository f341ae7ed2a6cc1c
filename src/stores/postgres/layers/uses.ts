/** Uses of an owner's layer or file: zone rules and Tool APIs. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type UseCounts = { zoneRules: number; toolApis: number }
export type Use = {
  kind: 'zone-rule' | 'tool-api'
  id: string
  name: string
  enabled: boolean
  /** The version of a file, if the use is bound to one. */
  version: number | null
}

/** Limit of the list. */
const MAX_LISTED = 100

export async function countUses(db: Database, ids: readonly string[]): Promise<Map<string, UseCounts>> {
  const counts = new Map(ids.map((id) => [id, { zoneRules: 0, toolApis: 0 }]))
  if (ids.length === 0) return counts
  const given = sql`SELECT json_array_elements_text(${JSON.stringify(ids)}::text::json)`
  const rows = rowsOf<{ id: string; kind: keyof UseCounts; uses: string | number }>(
    await db.execute(sql`
      SELECT layer_id AS id, 'zoneRules' AS kind, count(*) AS uses FROM zone_rules WHERE layer_id IN (${given}) GROUP BY layer_id
      UNION ALL
      SELECT binding ->> 'id', 'toolApis', count(*) FROM tool_apis WHERE binding ->> 'id' IN (${given}) GROUP BY 1`),
  )
  for (const { id, kind, uses } of rows) (counts.get(id) as UseCounts)[kind] = Number(uses)
  return counts
}

/**
 * @param ownerId the owner whose rules and Tool APIs are listed: other owners may still refer to a transferred layer
 */
export async function listUses(db: Database, ownerId: string, id: string): Promise<Use[]> {
  return rowsOf<Use>(
    await db.execute(sql`
      SELECT 'zone-rule' AS kind, id, name, enabled, NULL::integer AS version FROM zone_rules
      WHERE layer_id = ${id} AND enterprise_id = ${ownerId}
      UNION ALL
      SELECT 'tool-api', id, name, enabled, (binding ->> 'version')::integer FROM tool_apis
      WHERE binding ->> 'id' = ${id} AND owner_id = ${ownerId}
      ORDER BY kind DESC, name, id LIMIT ${MAX_LISTED}::integer`),
  )
}
