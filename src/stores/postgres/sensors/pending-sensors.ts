/** Devices that wait for approval, and refusals that belong to no sensor; both of fleet keys. */
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { recordChanges } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { jsonb } from '../columns.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { afterCursor, cursorColumn, orderOf, pageOfRows, readCursor, type SortKey } from '../sorted-page.ts'
import { createSensor } from './create-sensor.ts'
import { type FleetTemplate, tagsOfMade } from './fleet-keys.ts'
import { type ChannelInput, sensorIdsByExternalId } from './sensors.ts'

const pendingSensors = pgTable('pending_sensors', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  fleetKeyId: text('fleet_key_id').notNull(),
  externalId: text('external_id').notNull(),
  firstAt: timestamp('first_at', { withTimezone: true, mode: 'date' }).notNull(),
  lastAt: timestamp('last_at', { withTimezone: true, mode: 'date' }).notNull(),
  sent: jsonb('sent').$type<Record<string, unknown>>(),
})

export type PendingSensor = Omit<typeof pendingSensors.$inferSelect, 'enterpriseId'>

export async function listPending(
  db: Database,
  enterpriseId: string,
  query: PageQuery,
  fleetKeyId?: string,
): Promise<Page<PendingSensor>> {
  const where = and(
    eq(pendingSensors.enterpriseId, enterpriseId),
    fleetKeyId === undefined ? undefined : eq(pendingSensors.fleetKeyId, fleetKeyId),
  )
  const page = await pageOfTable(db, pendingSensors, where, query)
  return { ...page, items: page.items.map(({ enterpriseId: _, ...shown }) => shown) }
}

export type Approval = {
  approved: { externalId: string; sensorId: string }[]
  /** `missing`: does not wait; `exists`: a sensor has this external id already. */
  refused: { externalId: string; reason: 'missing' | 'exists' }[]
  fleetKeyIds: string[]
}

/**
 * Makes sensors of devices that wait.
 * @param template takes the place of the templates of the fleet keys
 * @param channelsOf the channels that a first reading implies, for a device without a template
 * @throws AppError CONFLICT when a sensor with one of the external ids is made at the same time
 */
export async function approvePending(
  tx: Database,
  actor: string,
  enterpriseId: string,
  externalIds: readonly string[],
  template: FleetTemplate | undefined,
  channelsOf: (sent: unknown) => ChannelInput[],
): Promise<Approval> {
  const wanted = [...new Set(externalIds)]
  const own = and(eq(pendingSensors.enterpriseId, enterpriseId), inArray(pendingSensors.externalId, wanted))
  const rows = await tx.select().from(pendingSensors).where(own).orderBy(pendingSensors.id).for('update')
  const fleetKeyIds = [...new Set(rows.map(({ fleetKeyId }) => fleetKeyId))]
  const keys = rowsOf<{ id: string; tags: string[]; template: FleetTemplate | null }>(
    await tx.execute(sql`
      SELECT id, tags, template FROM fleet_keys WHERE id = ANY(${sql.param(fleetKeyIds)}::text[])`),
  )
  const keyOf = new Map(keys.map((key) => [key.id, key]))
  const waiting = Map.groupBy(rows, ({ externalId }) => externalId)
  const existing = await sensorIdsByExternalId(tx, enterpriseId, wanted)
  const result: Approval = { approved: [], refused: [], fleetKeyIds }
  for (const externalId of wanted) {
    const devices = waiting.get(externalId) ?? []
    const [first] = devices
    if (first === undefined) result.refused.push({ externalId, reason: 'missing' })
    else if (existing.has(externalId)) result.refused.push({ externalId, reason: 'exists' })
    else {
      const used = template ?? keyOf.get(first.fleetKeyId)?.template ?? {}
      // each key that lists the device may send for it
      const ofKeys = devices.flatMap(({ fleetKeyId }) => keyOf.get(fleetKeyId)?.tags ?? [])
      const channels = used.channels ?? channelsOf(first.sent)
      const { id } = await createSensor(tx, actor, enterpriseId, {
        externalId,
        name: externalId,
        channels,
        tags: tagsOfMade(ofKeys, used),
      })
      result.approved.push({ externalId, sensorId: id })
    }
  }
  await tx.delete(pendingSensors).where(own)
  return result
}

export type Dismissal = {
  dismissed: string[]
  refused: { externalId: string; reason: 'missing' }[]
  fleetKeyIds: string[]
}

/** Takes devices off the lists of all fleet keys. One that sends again is listed again. */
export async function dismissPending(
  tx: Database,
  actor: string,
  enterpriseId: string,
  externalIds: readonly string[],
): Promise<Dismissal> {
  const wanted = [...new Set(externalIds)]
  const own = and(eq(pendingSensors.enterpriseId, enterpriseId), inArray(pendingSensors.externalId, wanted))
  const { fleetKeyId, externalId } = pendingSensors
  const rows = await tx
    .select({ fleetKeyId, externalId })
    .from(pendingSensors)
    .where(own)
    .orderBy(pendingSensors.id)
    .for('update')
  await tx.delete(pendingSensors).where(own)
  const namesOf = Map.groupBy(rows, (row) => row.fleetKeyId)
  if (rows.length > 0)
    await recordChanges(
      tx,
      [...namesOf].map(([id, devices]) => ({
        actor,
        action: 'delete',
        kind: 'pending-sensors',
        id,
        before: { externalIds: devices.map((device) => device.externalId) },
        after: null,
        ownerId: enterpriseId,
      })),
    )
  const waited = new Set(rows.map((row) => row.externalId))
  return {
    dismissed: wanted.filter((name) => waited.has(name)),
    refused: wanted.flatMap((name) => (waited.has(name) ? [] : [{ externalId: name, reason: 'missing' }])),
    fleetKeyIds: [...namesOf.keys()],
  }
}

export type FleetRefusals = {
  reason: string
  /** The sensor as it was sent. */
  name: string | null
  count: number
  firstAt: Date
  lastAt: Date
  line: number | null
  detail: string | null
}

const NEWEST: SortKey = [
  { column: sql`last_at`, type: 'timestamptz' },
  { column: sql`reason`, type: 'text' },
  { column: sql`name`, type: 'text' },
]
const SORT = 'last'

/** Newest first. */
export async function listFleetRefusals(
  db: Database,
  fleetKeyId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<FleetRefusals>> {
  const after: SQL = afterCursor(NEWEST, 'desc', readCursor(cursor, SORT, NEWEST)) ?? sql`true`
  type Row = Record<'reason' | 'name' | 'at', string> & {
    count: number | string
    first_at: Date | string
    last_at: Date | string
    line: number | null
    detail: string | null
  }
  const rows = rowsOf<Row>(
    await db.execute(sql`
      SELECT reason, name, count, first_at, last_at, line, detail, ${cursorColumn(NEWEST)}
      FROM fleet_refusals WHERE fleet_key_id = ${fleetKeyId} AND ${after}
      ORDER BY ${orderOf(NEWEST, 'desc')} LIMIT ${limit + 1}`),
  )
  return pageOfRows(rows, limit, SORT, ({ reason, name, count, first_at, last_at, line, detail }) => ({
    reason,
    name: name === '' ? null : name,
    count: Number(count),
    firstAt: new Date(first_at),
    lastAt: new Date(last_at),
    line,
    detail,
  }))
}
