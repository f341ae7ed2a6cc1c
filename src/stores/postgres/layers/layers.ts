/** Map layers: their records, and edits of their features, each of which creates a version. */

import { eq, sql } from 'drizzle-orm'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import { type Owner, ownedBy } from '../accounts/owners.ts'
import { endAlertsOfChangedLayer } from '../alerts/alert-ends.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type ListQuery, listOwned } from '../owned-list.ts'
import type { Page } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { endVersion, forgetUnchanged, keepAll, keepRemoved, sameContent } from './layer-history.ts'
import { layerFeatures, layers } from './owned-schema.ts'

export type Layer = typeof layers.$inferSelect

/** Whether it contains only polygons; true for an empty layer, because polygons may be added. */
export const hasPolygons = ({ dimensions }: Pick<Layer, 'dimensions'>): boolean =>
  dimensions.every((dimension) => dimension === 2)

/** A layer without the columns that track changes. */
export function layerToJson({ completeSince: _, nextOrdinal: __, ...layer }: Layer) {
  return layer
}

/** Features to store, as JSON texts of lists of `[id, dimension, properties as text, geometry in base64]`. */
export type FeatureChunks = AsyncIterable<string>

/** Tombstones are deleted once they outnumber both this and a tenth of the layer's features. */
const MAX_TOMBSTONES = 1_000

export async function createLayer(
  db: Database,
  actor: string,
  owner: Owner,
  { name, fields }: { name: string; fields: string[] },
  features: FeatureChunks,
): Promise<Layer> {
  return db.transaction(async (tx) => {
    const id = newId('lay')
    await tx.insert(layers).values({ id, ...ownedBy(owner), name, fields })
    await insertFeatures(tx, id, 1, features)
    await refresh(tx, id)
    const layer = await endVersion(tx, actor, id)
    await recordChange(tx, { actor, action: 'create', kind: 'layer', id, before: null, after: layer })
    return layer
  })
}

export const LAYER_ID = '^lay_[0-9a-f]{32}$'

export async function findLayer(db: Database, id: string): Promise<Layer | undefined> {
  const [found] = await db.select().from(layers).where(eq(layers.id, id))
  return found
}

/** @throws AppError NOT_FOUND, also for another owner's layer */
export async function getLayer(db: Database, ownerId: string, id: string): Promise<Layer> {
  const found = await findLayer(db, id)
  if (found?.ownerId !== ownerId) throw new AppError('NOT_FOUND', { message: fieldText('noSuchLayer') })
  return found
}

const SORTS = {
  name: { column: sql`lower(${layers.name})`, type: 'text' },
  changed: { column: sql`${layers.updatedAt}`, type: 'timestamptz' },
  features: { column: sql`${layers.featureCount}`, type: 'integer' },
  size: { column: sql`${layers.bytes}`, type: 'bigint' },
}
export const LAYER_SORTS = ['id', ...Object.keys(SORTS)]

export const listLayers = (db: Database, ownerId: string, query: ListQuery): Promise<Page<Layer>> =>
  listOwned(db, layers, SORTS, ownerId, query)

/** Renames a layer, or transfers it to another owner. */
export async function updateLayer(
  db: Database,
  actor: string,
  ownerId: string,
  id: string,
  { name, owner }: { name?: string | undefined; owner?: Owner | undefined },
): Promise<Layer> {
  return db.transaction(async (tx) => {
    const before = await getLayer(tx, ownerId, id)
    const change = {
      ...(name !== undefined && { name }),
      ...(owner && ownedBy(owner)),
      changedBy: actor,
      updatedAt: sql`now()`,
    }
    const [after] = await tx.update(layers).set(change).where(eq(layers.id, id)).returning()
    if (owner !== undefined) await endAlertsOfChangedLayer(tx, id)
    await recordChange(tx, { actor, action: 'update', kind: 'layer', id, before, after: after as Layer })
    return after as Layer
  })
}

export async function deleteLayer(db: Database, actor: string, ownerId: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getLayer(tx, ownerId, id)
    await tx.delete(layers).where(eq(layers.id, id))
    await endAlertsOfChangedLayer(tx, id)
    await recordChange(tx, { actor, action: 'delete', kind: 'layer', id, before, after: null })
  })
}

/** Replaces all features. */
export async function replaceFeatures(
  db: Database,
  actor: string,
  ownerId: string,
  id: string,
  fields: string[],
  features: FeatureChunks,
): Promise<Layer> {
  return editFeatures(db, actor, ownerId, id, async (tx, { version }) => {
    await keepAll(tx, id, version)
    await tx.delete(layerFeatures).where(eq(layerFeatures.layerId, id))
    await tx.update(layers).set({ fields, nextOrdinal: 0, completeSince: version }).where(eq(layers.id, id))
    await insertFeatures(tx, id, version, features)
    await forgetUnchanged(tx, id, version)
  })
}

export type FeatureChanges = {
  /** Names of the properties of `upsert`. */
  fields: string[]
  /** Replaces the layer's list of fields. */
  columns?: string[] | undefined
  upsert: FeatureChunks
  remove: readonly string[]
}

/**
 * Inserts or replaces features by id, and removes others.
 * @throws AppError VALIDATION_FAILED if a feature to remove does not exist
 */
export async function changeFeatures(
  db: Database,
  actor: string,
  ownerId: string,
  id: string,
  { fields, columns, upsert, remove }: FeatureChanges,
): Promise<Layer> {
  return editFeatures(db, actor, ownerId, id, async (tx, layer) => {
    const known = columns ?? layer.fields
    const all = [...known, ...fields.filter((name) => !known.includes(name))]
    await tx.update(layers).set({ fields: all }).where(eq(layers.id, id))
    if (remove.length > 0) await removeFeatures(tx, layer, remove)
    await insertFeatures(tx, id, layer.version, upsert)
    await deleteTombstones(tx, layer)
  })
}

/** @param restored the version whose features the edit brings back */
export async function editFeatures(
  db: Database,
  actor: string,
  ownerId: string,
  id: string,
  edit: (tx: Database, layer: Layer) => Promise<void>,
  restored?: number,
): Promise<Layer> {
  return db.transaction(async (tx) => {
    // serializes edits of a layer
    const [locked] = await tx.select().from(layers).where(eq(layers.id, id)).for('update')
    if (locked?.ownerId !== ownerId) throw new AppError('NOT_FOUND', { message: fieldText('noSuchLayer') })
    const [next] = await tx
      .update(layers)
      .set({ version: locked.version + 1, updatedAt: sql`now()` })
      .where(eq(layers.id, id))
      .returning()
    await edit(tx, next as Layer)
    await refresh(tx, id)
    const after = await endVersion(tx, actor, id, restored)
    await endAlertsOfChangedLayer(tx, id)
    await recordChange(tx, { actor, action: 'update', kind: 'layer', id, before: locked, after })
    return after
  })
}

/**
 * A feature that existed before keeps its ordinal, even if it was removed meanwhile. The previous state goes to the
 * history; a feature that is sent again unchanged keeps its state.
 */
async function insertFeatures(tx: Database, layerId: string, version: number, chunks: FeatureChunks): Promise<void> {
  for await (const chunk of chunks)
    await tx.execute(sql`
      WITH given AS (
        SELECT row ->> 0 AS feature_id, n, (row ->> 1)::smallint AS dimension, (row ->> 2)::json AS properties,
          decode(row ->> 3, 'base64') AS geometry
        FROM json_array_elements(${chunk}::text::json) WITH ORDINALITY AS element (row, n)
      ), numbered AS (
        UPDATE layers SET next_place = next_place + (SELECT count(*) FROM given) WHERE id = ${layerId}
        RETURNING next_place - (SELECT count(*) FROM given) AS first
      ), kept AS (
        INSERT INTO layer_history (layer_id, feature_id, since, until, place, dimension, properties, geometry)
        SELECT layer_id, old.feature_id, since, ${version}::integer, place, old.dimension, old.properties, old.geometry
        FROM layer_features AS old JOIN given USING (feature_id)
        WHERE layer_id = ${layerId} AND NOT gone AND NOT (${sameContent('old', 'given')})
      )
      INSERT INTO layer_features AS old (layer_id, feature_id, place, version, since, dimension, properties, geometry)
      SELECT ${layerId}::text, given.feature_id, first + n - 1, ${version}::integer,
        coalesce(replaced.since, ${version}::integer), given.dimension, given.properties, given.geometry
      FROM numbered CROSS JOIN given LEFT JOIN layer_history AS replaced ON layer_id = ${layerId}
        AND until = ${version}::integer AND replaced.feature_id = given.feature_id AND replaced.place = first + n - 1
        AND ${sameContent('replaced', 'given')}
      ON CONFLICT (layer_id, feature_id) DO UPDATE SET version = EXCLUDED.version, gone = false,
        since = CASE WHEN NOT old.gone AND ${sameContent('old', 'EXCLUDED')} THEN old.since ELSE EXCLUDED.version END,
        dimension = EXCLUDED.dimension, properties = EXCLUDED.properties, geometry = EXCLUDED.geometry`)
}

async function removeFeatures(tx: Database, { id, version }: Layer, remove: readonly string[]): Promise<void> {
  await keepRemoved(tx, id, version, remove)
  const removed = rowsOf<{ feature_id: string }>(
    await tx.execute(sql`
      UPDATE layer_features SET gone = true, version = ${version}::integer, dimension = NULL, properties = NULL,
        geometry = NULL
      WHERE layer_id = ${id} AND NOT gone
        AND feature_id IN (SELECT json_array_elements_text(${JSON.stringify(remove)}::text::json))
      RETURNING feature_id`),
  )
  if (removed.length === new Set(remove).size) return
  const found = new Set(removed.map(({ feature_id }) => feature_id))
  const unknown = remove.findIndex((featureId) => !found.has(featureId))
  throw invalidField(`body.delete.${unknown}`, 'exists', fieldText('featureOfLayer', { id: remove[unknown] as string }))
}

async function deleteTombstones(tx: Database, { id, version, featureCount }: Layer): Promise<void> {
  const [counted] = rowsOf<{ tombstones: string | number }>(
    await tx.execute(sql`SELECT count(*) AS tombstones FROM layer_features WHERE layer_id = ${id} AND gone`),
  )
  if (Number(counted?.tombstones) <= Math.max(MAX_TOMBSTONES, featureCount / 10)) return
  await tx.execute(sql`DELETE FROM layer_features WHERE layer_id = ${id} AND gone`)
  await tx.update(layers).set({ completeSince: version }).where(eq(layers.id, id))
}

/** Updates the columns of a layer that describe its features. */
async function refresh(tx: Database, id: string): Promise<void> {
  await tx.execute(sql`
    UPDATE layers SET feature_count = found.features, dimensions = found.dimensions FROM (
      SELECT count(*) AS features,
        coalesce(jsonb_agg(DISTINCT dimension ORDER BY dimension) FILTER (WHERE dimension IS NOT NULL), '[]') AS dimensions
      FROM layer_features WHERE layer_id = ${id} AND NOT gone
    ) AS found
    WHERE id = ${id}`)
}
