/** Reads features of layers: in pages for clients, as changes for layer files. */
import { sql } from 'drizzle-orm'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type StoredFeature = { featureId: string; properties: string | null; geometry: Uint8Array | null }
export type ChangedFeature = StoredFeature & { ordinal: number; gone: boolean }

/** Rows per query. */
const PAGE = 10_000

/** A page of features in the order of the layer; the cursor is an ordinal. */
export async function listFeatures(
  db: Database,
  layerId: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ items: StoredFeature[]; nextCursor: string | null }> {
  const after = cursor === undefined ? -1 : Number(cursor)
  if (!Number.isSafeInteger(after)) throw invalidField('query.cursor', 'cursor', fieldText('previousPage'))
  const rows = rowsOf<{ place: string | number; feature_id: string; properties: string; geometry: Uint8Array | null }>(
    await db.execute(sql`
      SELECT place, feature_id, properties::text AS properties, geometry FROM layer_features
      WHERE layer_id = ${layerId} AND NOT gone AND place > ${after}::bigint ORDER BY place LIMIT ${limit + 1}::integer`),
  )
  const items = rows
    .slice(0, limit)
    .map(({ feature_id, properties, geometry }) => ({ featureId: feature_id, properties, geometry }))
  return { items, nextCursor: rows.length > limit ? String(rows[limit - 1]?.place) : null }
}

/** @throws AppError NOT_FOUND */
export async function getFeature(db: Database, layerId: string, featureId: string): Promise<StoredFeature> {
  const [found] = rowsOf<{ properties: string; geometry: Uint8Array | null }>(
    await db.execute(sql`
      SELECT properties::text AS properties, geometry FROM layer_features
      WHERE layer_id = ${layerId} AND feature_id = ${featureId} AND NOT gone`),
  )
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchFeature') })
  return { featureId, ...found }
}

/**
 * Reads the changes of a layer after a version, including tombstones of deleted features, or the whole layer, up to
 * its current version.
 * @param since the version; undefined for the whole layer
 * @param take is called with batches of changes, and with whether they are the whole layer
 * @returns the current version, and whether the whole layer was read; undefined if there is no such layer
 */
export async function readChanges(
  db: Database,
  layerId: string,
  since: number | undefined,
  take: (features: ChangedFeature[], isWhole: boolean) => Promise<void>,
): Promise<{ version: number; isWhole: boolean } | undefined> {
  return db.transaction(
    async (tx) => {
      const [layer] = rowsOf<{ version: number; complete_since: number }>(
        await tx.execute(sql`SELECT version, complete_since FROM layers WHERE id = ${layerId}`),
      )
      if (layer === undefined) return undefined
      const isWhole = since === undefined || since < layer.complete_since
      let after = -1
      for (;;) {
        // uses the index with the fewest rows: changes are few and fit into one batch
        const condition = isWhole
          ? sql`NOT gone AND place > ${after}::bigint ORDER BY place LIMIT ${PAGE}::integer`
          : sql`version > ${since}::integer ORDER BY place`
        const rows = rowsOf<
          Omit<ChangedFeature, 'ordinal' | 'featureId'> & { place: string | number; feature_id: string }
        >(
          await tx.execute(sql`
            SELECT place, feature_id, gone, properties::text AS properties, geometry FROM layer_features
            WHERE layer_id = ${layerId} AND ${condition}`),
        )
        if (rows.length > 0) {
          const features = rows.map(({ feature_id, place, ...row }) => ({
            ...row,
            featureId: feature_id,
            ordinal: Number(place),
          }))
          await take(features, isWhole)
        }
        if (!isWhole || rows.length < PAGE) return { version: layer.version, isWhole }
        after = Number(rows.at(-1)?.place)
      }
    },
    { isolationLevel: 'repeatable read' },
  )
}
