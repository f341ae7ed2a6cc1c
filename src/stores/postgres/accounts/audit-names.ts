/** Names of records that the audit log mentions by id only. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** Tables by the prefix of their ids, with the column that names the owner. */
const TABLES = {
  app: ['applications', 'enterprise_id'],
  sen: ['sensors', 'enterprise_id'],
  fky: ['fleet_keys', 'enterprise_id'],
  lay: ['layers', 'owner_id'],
  fil: ['owner_files', 'owner_id'],
  tap: ['tool_apis', 'owner_id'],
  rul: ['zone_rules', 'enterprise_id'],
  das: ['saved_documents', 'enterprise_id'],
  vie: ['saved_documents', 'enterprise_id'],
  rec: ['saved_documents', 'enterprise_id'],
  ass: ['assets', 'enterprise_id'],
  ent: ['enterprises', 'id'],
  // keys of sensors, applications and Tool APIs have the same prefix, and are not named
  key: ['personal_keys', 'person_id'],
} as const

/** The current name of a record that exists and belongs to the owner: layers and files may have been transferred. */
export type NameOf = (id: string, ownerId: string | null) => string | undefined

export async function auditNames(
  db: Database,
  records: readonly { actor: string; subjectId: string }[],
): Promise<NameOf> {
  const ids = new Set(records.flatMap(({ actor, subjectId }) => [actor, subjectId]))
  const byPrefix = Map.groupBy(ids, (id) => id.slice(0, Math.max(0, id.indexOf('_'))))
  const queries = Object.entries(TABLES).flatMap(([prefix, [table, owner]]) => {
    const some = byPrefix.get(prefix)
    if (some === undefined) return []
    const columns = sql`id, name, ${sql.identifier(owner)} AS owner`
    return [sql`SELECT ${columns} FROM ${sql.identifier(table)} WHERE id = ANY(${sql.param(some)}::text[])`]
  })
  if (queries.length === 0) return () => undefined
  const rows = rowsOf<{ id: string; name: string; owner: string }>(
    await db.execute(sql.join(queries, sql` UNION ALL `)),
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return (id, ownerId) => {
    const row = found.get(id)
    return row?.owner === ownerId ? row.name : undefined
  }
}
