/** Layers and files that Tool APIs are bound to, for many Tool APIs at once. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { hasPolygons } from '../layers/layers.ts'
import { layers, type toolApis } from '../layers/owned-schema.ts'
import { rowsOf } from '../rows.ts'

/** `isUsable`: a file has a version that was scanned clean, or the version that is bound. */
export type BoundItem =
  | { kind: 'layer'; name: string; isUsable: true; hasPolygonsOnly: boolean }
  | { kind: 'file'; name: string; isUsable: boolean }

type Bound = Pick<typeof toolApis.$inferSelect, 'id' | 'binding'>

/** Bound items by the id of the Tool API. Items that were deleted or transferred are missing. */
export async function boundItemsOf(
  db: Database,
  ownerId: string,
  apis: readonly Bound[],
): Promise<Map<string, BoundItem>> {
  const found = new Map<string, BoundItem>()
  const bindings = apis.flatMap(({ id, binding }) => (binding ? [{ apiId: id, ...binding }] : []))
  const ofLayers = bindings.filter(({ kind }) => kind === 'layer')
  const ofFiles = bindings.filter(({ kind }) => kind !== 'layer')
  if (ofLayers.length > 0) {
    const ids = [...new Set(ofLayers.map(({ id }) => id))]
    const rows = await db
      .select({ id: layers.id, name: layers.name, dimensions: layers.dimensions })
      .from(layers)
      .where(and(inArray(layers.id, ids), eq(layers.ownerId, ownerId)))
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const { apiId, id } of ofLayers) {
      const layer = byId.get(id)
      if (layer !== undefined)
        found.set(apiId, { kind: 'layer', name: layer.name, isUsable: true, hasPolygonsOnly: hasPolygons(layer) })
    }
  }
  if (ofFiles.length > 0) {
    const wanted = sql`${JSON.stringify(ofFiles)}::text::jsonb`
    const rows = rowsOf<{ api_id: string; name: string; usable: boolean }>(
      await db.execute(sql`
        SELECT wanted."apiId" AS api_id, file.name, EXISTS (
          SELECT FROM owner_file_versions AS clean
          WHERE clean.file_id = file.id AND clean.scan_status = 'clean'
            AND (wanted.version IS NULL OR clean.version = wanted.version)) AS usable
        FROM jsonb_to_recordset(${wanted}) AS wanted ("apiId" text, id text, version integer)
        JOIN owner_files AS file ON file.id = wanted.id AND file.owner_id = ${ownerId}`),
    )
    for (const { api_id, name, usable } of rows) found.set(api_id, { kind: 'file', name, isUsable: usable })
  }
  return found
}
