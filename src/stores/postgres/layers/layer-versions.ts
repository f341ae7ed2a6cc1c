/** The versions of a layer: their features, differences between two versions, and restoring one. */
import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import type { PageQuery } from '../page.ts'
import { rowsOf } from '../rows.ts'
import type { StoredFeature } from './layer-features.ts'
import { forgetBefore, keepNewer, sameContent } from './layer-history.ts'
import { editFeatures, getLayer, type Layer } from './layers.ts'
import { layers, layerVersions } from './owned-schema.ts'

export type LayerVersion = Omit<typeof layerVersions.$inferSelect, 'layerId' | 'bytes'>
type State = { properties: string; geometry: Uint8Array | null }
/** A feature that differs between two versions; undefined where it does not exist. */
export type Difference = { featureId: string; before: State | undefined; after: State | undefined }

const numberOf = (cursor: string | undefined, first: number): number => {
  const found = cursor === undefined ? first : Number(cursor)
  if (!Number.isSafeInteger(found)) throw invalidField('query.cursor', 'cursor', fieldText('previousPage'))
  return found
}

/** Newest first; the cursor is a version. */
export async function listVersions(
  db: Database,
  layerId: string,
  { limit, cursor }: PageQuery,
): Promise<{ items: LayerVersion[]; nextCursor: string | null }> {
  const before = numberOf(cursor, 2_147_483_647)
  const rows = await db
    .select()
    .from(layerVersions)
    .where(and(eq(layerVersions.layerId, layerId), lt(layerVersions.version, before)))
    .orderBy(desc(layerVersions.version))
    .limit(limit + 1)
  const items = rows.slice(0, limit).map(({ layerId: _, bytes: __, ...version }) => version)
  return { items, nextCursor: rows.length > limit ? String(items.at(-1)?.version) : null }
}

/** @throws AppError NOT_FOUND for a version that is not kept */
export async function getVersion(db: Database, layerId: string, version: number): Promise<LayerVersion> {
  const [found] = await db
    .select()
    .from(layerVersions)
    .where(and(eq(layerVersions.layerId, layerId), eq(layerVersions.version, version)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('versionNotKept', { version }) })
  const { layerId: _, bytes: __, ...rest } = found
  return rest
}

/** The features of a version in their order at the time; the cursor is an ordinal. */
export async function listFeaturesOf(
  db: Database,
  layerId: string,
  version: number,
  { limit, cursor }: PageQuery,
): Promise<{ items: StoredFeature[]; nextCursor: string | null }> {
  const after = numberOf(cursor, -1)
  const columns = sql.raw('place, feature_id, properties::text AS properties, geometry')
  const rows = rowsOf<{ place: string | number; feature_id: string; properties: string; geometry: Uint8Array | null }>(
    await db.execute(sql`
      (SELECT ${columns} FROM layer_features
        WHERE layer_id = ${layerId} AND NOT gone AND since <= ${version}::integer AND place > ${after}::bigint
        ORDER BY place LIMIT ${limit + 1}::integer)
      UNION ALL
      (SELECT ${columns} FROM layer_history
        WHERE layer_id = ${layerId} AND since <= ${version}::integer AND until > ${version}::integer
          AND place > ${after}::bigint
        ORDER BY place LIMIT ${limit + 1}::integer)
      ORDER BY place LIMIT ${limit + 1}::integer`),
  )
  const items = rows
    .slice(0, limit)
    .map(({ feature_id, properties, geometry }) => ({ featureId: feature_id, properties, geometry }))
  return { items, nextCursor: rows.length > limit ? String(rows[limit - 1]?.place) : null }
}

/**
 * The features that differ between two versions, ordered by id; the cursor is an id. Only changes between the two are
 * read.
 */
export async function compareVersions(
  db: Database,
  layerId: string,
  { from, to }: { from: number; to: number },
  { limit, cursor }: PageQuery,
): Promise<{ items: Difference[]; nextCursor: string | null }> {
  const [low, high] = from < to ? [from, to] : [to, from]
  type Row = { feature_id: string } & Record<'old_properties' | 'new_properties', string | null> &
    Record<'old_geometry' | 'new_geometry', Uint8Array | null>
  const rows = rowsOf<Row>(
    await db.execute(sql`
      WITH earlier AS (
        SELECT feature_id, properties, geometry FROM layer_history
        WHERE layer_id = ${layerId} AND since <= ${low}::integer AND until > ${low}::integer AND until <= ${high}::integer
      ), later AS (
        SELECT feature_id, properties, geometry FROM layer_history
        WHERE layer_id = ${layerId} AND since > ${low}::integer AND since <= ${high}::integer AND until > ${high}::integer
        UNION ALL
        SELECT feature_id, properties, geometry FROM layer_features
        WHERE layer_id = ${layerId} AND NOT gone AND version > ${low}::integer AND since > ${low}::integer
          AND since <= ${high}::integer
      )
      SELECT feature_id, earlier.properties::text AS old_properties, earlier.geometry AS old_geometry,
        later.properties::text AS new_properties, later.geometry AS new_geometry
      FROM earlier FULL JOIN later USING (feature_id)
      WHERE feature_id COLLATE "C" > ${cursor ?? ''} AND (${sameContent('earlier', 'later')}) IS NOT TRUE
      ORDER BY feature_id COLLATE "C" LIMIT ${limit + 1}::integer`),
  )
  const stateOf = (properties: string | null, geometry: Uint8Array | null): State | undefined =>
    properties === null ? undefined : { properties, geometry }
  const items = rows.slice(0, limit).map((row) => {
    const [earlier, later] = [
      stateOf(row.old_properties, row.old_geometry),
      stateOf(row.new_properties, row.new_geometry),
    ]
    const [before, after] = from < to ? [earlier, later] : [later, earlier]
    return { featureId: row.feature_id, before, after }
  })
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.featureId ?? null) : null }
}

/** Makes a new version with the features of an earlier one. Only features that changed since are written. */
export async function restoreVersion(
  db: Database,
  actor: string,
  ownerId: string,
  id: string,
  wanted: number,
): Promise<Layer> {
  const edit = async (tx: Database, { version }: Layer): Promise<void> => {
    const { fields } = await getVersion(tx, id, wanted)
    await keepNewer(tx, id, version, wanted)
    // deleted features may have the places of restored ones; readers of the layer read it whole again
    await tx.execute(sql`
      DELETE FROM layer_features
      WHERE layer_id = ${id} AND (gone OR (version > ${wanted}::integer AND since > ${wanted}::integer))`)
    await tx.execute(sql`
      INSERT INTO layer_features (layer_id, feature_id, place, version, since, dimension, properties, geometry)
      SELECT layer_id, feature_id, place, ${version}::integer, ${version}::integer, dimension, properties, geometry
      FROM layer_history
      WHERE layer_id = ${id} AND since <= ${wanted}::integer AND until > ${wanted}::integer`)
    await tx
      .update(layers)
      .set({
        fields,
        completeSince: version,
        nextOrdinal: sql`(SELECT greatest(next_place, max(place) + 1) FROM layer_features WHERE layer_id = ${id})`,
      })
      .where(eq(layers.id, id))
  }
  return editFeatures(db, actor, ownerId, id, edit, wanted)
}

/** Forgets all versions but the current one. */
export async function forgetVersions(db: Database, actor: string, ownerId: string, id: string): Promise<Layer> {
  return db.transaction(async (tx) => {
    await tx.select().from(layers).where(eq(layers.id, id)).for('update')
    const before = await getLayer(tx, ownerId, id)
    await forgetBefore(tx, id, before.version)
    const [after] = await tx.update(layers).set({ historyBytes: 0 }).where(eq(layers.id, id)).returning()
    await recordChange(tx, { actor, action: 'update', kind: 'layer', id, before, after: after as Layer })
    return after as Layer
  })
}
