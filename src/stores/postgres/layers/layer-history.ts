/**
 * Earlier states of a layer's features. An edit copies the rows here before it replaces them, and then ends its
 * version: it counts the changes, and forgets the oldest versions beyond the limits.
 */
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { layers, layerVersions } from './owned-schema.ts'

/** Versions of a layer that are kept, with the current one. */
export const MAX_VERSIONS = 100
/** Earlier versions of a layer are forgotten, the oldest first, when their history is larger than this. */
export const MAX_HISTORY_BYTES = 256 * 2 ** 20

/** Whether two rows have the same properties and geometry. Texts are compared: jsonb could not hold every property. */
export const sameContent = (a: string, b: string): SQL =>
  sql.raw(`${a}.properties::text = ${b}.properties::text AND ${a}.geometry IS NOT DISTINCT FROM ${b}.geometry`)

const COLUMNS = sql.raw('layer_id, feature_id, since, until, place, dimension, properties, geometry')

/** Before a version replaces the features of a layer. @param features a condition for the replaced ones */
async function keep(tx: Database, layerId: string, version: number, features: SQL): Promise<void> {
  await tx.execute(sql`
    INSERT INTO layer_history (${COLUMNS})
    SELECT layer_id, feature_id, since, ${version}::integer, place, dimension, properties, geometry FROM layer_features
    WHERE layer_id = ${layerId} AND NOT gone AND ${features}`)
}

export const keepAll = (tx: Database, layerId: string, version: number): Promise<void> =>
  keep(tx, layerId, version, sql`true`)

export const keepRemoved = (tx: Database, layerId: string, version: number, ids: readonly string[]): Promise<void> =>
  keep(tx, layerId, version, sql`feature_id IN (SELECT json_array_elements_text(${JSON.stringify(ids)}::text::json))`)

/** Keeps the features whose current state is newer than a version. */
export const keepNewer = (tx: Database, layerId: string, version: number, since: number): Promise<void> =>
  keep(tx, layerId, version, sql`version > ${since}::integer AND since > ${since}::integer`)

/** To be called after all features were replaced: removes unchanged features from the history. */
export async function forgetUnchanged(tx: Database, layerId: string, version: number): Promise<void> {
  await tx.execute(sql`
    DELETE FROM layer_history AS old USING layer_features AS now
    WHERE old.layer_id = ${layerId} AND old.until = ${version}::integer AND now.layer_id = ${layerId}
      AND now.feature_id = old.feature_id AND now.since = old.since`)
}

type Counts = { added: number; changed: number; removed: number; bytes: number }

async function countChanges(tx: Database, layerId: string, version: number): Promise<Counts> {
  const [row] = rowsOf<Record<keyof Counts, string | number>>(
    await tx.execute(sql`
      WITH replaced AS (
        SELECT octet_length(old.feature_id) + octet_length(old.properties::text) + coalesce(octet_length(old.geometry), 0) AS bytes,
          now.feature_id IS NULL AS is_removed, ${sameContent('old', 'now')} AS is_same
        FROM layer_history AS old LEFT JOIN layer_features AS now
          ON now.layer_id = ${layerId} AND now.feature_id = old.feature_id AND NOT now.gone
        WHERE old.layer_id = ${layerId} AND old.until = ${version}::integer
      )
      SELECT count(*) FILTER (WHERE is_removed) AS removed,
        count(*) FILTER (WHERE NOT is_removed AND NOT is_same) AS changed, coalesce(sum(bytes), 0) AS bytes,
        (SELECT count(*) FROM layer_features AS now
          WHERE layer_id = ${layerId} AND version = ${version}::integer AND since = ${version}::integer AND NOT gone
            AND NOT EXISTS (SELECT FROM layer_history AS old WHERE old.layer_id = ${layerId}
              AND old.until = ${version}::integer AND old.feature_id = now.feature_id)) AS added
      FROM replaced`),
  )
  const of = (name: keyof Counts): number => Number(row?.[name] ?? 0)
  return { added: of('added'), changed: of('changed'), removed: of('removed'), bytes: of('bytes') }
}

/** Records the current version, after its features were written. @returns the layer */
export async function endVersion(tx: Database, actor: string, layerId: string, restored?: number) {
  const [layer] = await tx.select().from(layers).where(eq(layers.id, layerId))
  const { version, featureCount, fields } = layer as typeof layers.$inferSelect
  const counts = await countChanges(tx, layerId, version)
  await tx
    .insert(layerVersions)
    .values({ layerId, version, actor, featureCount, fields, ...counts, restored: restored ?? null })
  const historyBytes = await forgetOldVersions(tx, layerId)
  const [after] = await tx
    .update(layers)
    .set({ changedBy: actor, historyBytes })
    .where(eq(layers.id, layerId))
    .returning()
  return after as typeof layers.$inferSelect
}

/** @returns the size of the kept history */
async function forgetOldVersions(tx: Database, layerId: string): Promise<number> {
  const versions = rowsOf<{ version: number; bytes: string | number }>(
    await tx.execute(sql`
      SELECT version, bytes FROM layer_versions WHERE layer_id = ${layerId} ORDER BY version DESC`),
  )
  // a version needs the rows that all later versions replaced
  let bytes = 0
  let kept = 1
  while (kept < Math.min(versions.length, MAX_VERSIONS)) {
    const more = bytes + Number(versions[kept - 1]?.bytes)
    if (more > MAX_HISTORY_BYTES) break
    bytes = more
    kept++
  }
  const oldest = versions[kept - 1]?.version
  if (kept < versions.length && oldest !== undefined) await forgetBefore(tx, layerId, oldest)
  return bytes
}

/** Deletes the versions before this one. */
export async function forgetBefore(tx: Database, layerId: string, version: number): Promise<void> {
  await tx.execute(sql`DELETE FROM layer_versions WHERE layer_id = ${layerId} AND version < ${version}::integer`)
  await tx.execute(sql`DELETE FROM layer_history WHERE layer_id = ${layerId} AND until <= ${version}::integer`)
}
