/** Alerts: lists, counts and acknowledgements. Their firing and their end are stored elsewhere in this folder. */

import { and, count, eq, gte, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { smallest } from '../../../lists.ts'
import { recordChanges } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import type { Page } from '../page.ts'
import { assets, sensors } from '../schema.ts'
import { afterCursor, cursorColumn, orderOf, pageOfRows, readCursor, type SortKey } from '../sorted-page.ts'
import { alerts } from './alert-schema.ts'
import { type SEVERITIES, zoneRules } from './rule-schema.ts'
import { isSilenced } from './silences.ts'

export type Severity = (typeof SEVERITIES)[number]
export type AlertCounts = {
  firing: number
  acknowledged: number
  silenced: number
  /** Neither acknowledged nor silenced. */
  open: number
  bySeverity: Record<Severity, number>
}
export type AlertGroup = { ruleId: string; count: number; firstFiredAt: Date }
export type FiringAlerts = { counts: AlertCounts; groups: AlertGroup[] }

/** Alerts that overlap a period, which includes its start and not its end, and match each filter that is set. */
export type AlertFilter = {
  from: Date
  /** Undefined for no end. */
  to: Date | undefined
  state?: 'firing' | 'resolved' | undefined
  /** Any of them; all if it is empty. */
  severities: readonly Severity[]
  sensorId?: string | undefined
  ruleId?: string | undefined
  /** A tag that the sensor has now. */
  tag?: string | undefined
}

function matching(enterpriseId: string, filter: AlertFilter): SQL | undefined {
  const { from, to, state, severities, sensorId, ruleId, tag } = filter
  if (to !== undefined && to <= from) return sql`false`
  const tagged = sql`(SELECT ${sensors.id} FROM ${sensors}
    WHERE ${eq(sensors.enterpriseId, enterpriseId)} AND ${sensors.tags} @> ARRAY[${tag}]::text[])`
  return and(
    eq(alerts.enterpriseId, enterpriseId),
    to && lt(alerts.startedAt, to),
    // an alert does not overlap a period that begins when the alert ends, unless it has no length
    or(isNull(alerts.resolvedAt), sql`${alerts.resolvedAt} > ${from.toISOString()}`, gte(alerts.startedAt, from)),
    state && (state === 'firing' ? isNull(alerts.resolvedAt) : isNotNull(alerts.resolvedAt)),
    severities.length === 0 ? undefined : inArray(alerts.severity, [...severities]),
    sensorId === undefined ? undefined : eq(alerts.sensorId, sensorId),
    ruleId === undefined ? undefined : eq(alerts.ruleId, ruleId),
    tag === undefined ? undefined : sql`${alerts.sensorId} IN ${tagged}`,
  )
}

const SORT = '-firedAt'
const KEY: SortKey = [
  { column: sql`${alerts.firedAt}`, type: 'timestamptz' },
  { column: sql`${alerts.id}`, type: 'text' },
]

/** Newest first. Names and silences are looked up for the selected alerts only. */
function select(db: Database, enterpriseId: string, where: SQL | undefined, limit: number) {
  const found = db.select().from(alerts).where(where).orderBy(orderOf(KEY, 'desc')).limit(limit).as('alerts')
  return db
    .select({
      id: found.id,
      ruleId: found.ruleId,
      ruleName: zoneRules.name,
      sensorId: found.sensorId,
      sensorName: sensors.name,
      assetId: sensors.assetId,
      assetName: assets.name,
      polygon: found.polygon,
      severity: found.severity,
      startedAt: found.startedAt,
      firedAt: found.firedAt,
      detectedAt: found.detectedAt,
      resolvedAt: found.resolvedAt,
      resolvedBy: found.resolvedBy,
      value: found.value,
      values: found.values,
      late: found.late,
      silenced: isSilenced({ enterpriseId, ruleId: sql`${found.ruleId}`, sensorId: sql`${found.sensorId}` }),
      acknowledgedBy: found.acknowledgedBy,
      acknowledgedAt: found.acknowledgedAt,
      comment: found.comment,
      at: sql<string>`${cursorColumn(KEY)}`,
    })
    .from(found)
    .leftJoin(zoneRules, eq(zoneRules.id, found.ruleId))
    .leftJoin(sensors, eq(sensors.id, found.sensorId))
    .leftJoin(assets, eq(assets.id, sensors.assetId))
    .orderBy(orderOf(KEY, 'desc'))
}

type Row = Awaited<ReturnType<typeof select>>[number]
/** An alert as callers see it. Names are null for a deleted rule and a deleted sensor. */
export type Alert = Omit<Row, 'at'>
const alertOf = ({ at: _, ...alert }: Row): Alert => alert

export async function listAlerts(
  db: Database,
  enterpriseId: string,
  filter: AlertFilter,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<Alert>> {
  const after = afterCursor(KEY, 'desc', readCursor(cursor, SORT, KEY))
  const rows = await select(db, enterpriseId, and(matching(enterpriseId, filter), after), limit + 1)
  return pageOfRows(rows, limit, SORT, alertOf)
}

/** In no order; alerts that do not exist are left out. */
export async function alertsOf(db: Database, enterpriseId: string, ids: readonly string[]): Promise<Alert[]> {
  if (ids.length === 0) return []
  const own = and(eq(alerts.enterpriseId, enterpriseId), inArray(alerts.id, [...ids]))
  return (await select(db, enterpriseId, own, ids.length)).map(alertOf)
}

/** @throws AppError NOT_FOUND, also for an alert of another enterprise */
export async function getAlert(db: Database, enterpriseId: string, id: string): Promise<Alert> {
  const [alert] = await alertsOf(db, enterpriseId, [id])
  if (alert === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchAlert') })
  return alert
}

/** Counts of the firing alerts that match the filter, and how many of each rule, most first. */
export async function firingAlerts(
  db: Database,
  enterpriseId: string,
  filter: AlertFilter = { from: new Date(0), to: undefined, severities: [] },
): Promise<FiringAlerts> {
  const silenced = isSilenced({ enterpriseId, ruleId: sql`${alerts.ruleId}`, sensorId: sql`${alerts.sensorId}` })
  const rows = await db
    .select({
      ruleId: alerts.ruleId,
      severity: alerts.severity,
      firing: count(),
      acknowledged: count(alerts.acknowledgedAt),
      silenced: sql<number>`count(*) FILTER (WHERE ${silenced})::integer`,
      open: sql<number>`count(*) FILTER (WHERE ${alerts.acknowledgedAt} IS NULL AND NOT ${silenced})::integer`,
      firstMs: sql<number>`(extract(epoch FROM min(${alerts.firedAt})) * 1000)::double precision`,
    })
    .from(alerts)
    .where(and(matching(enterpriseId, filter), isNull(alerts.resolvedAt)))
    .groupBy(alerts.ruleId, alerts.severity)
  const counts: AlertCounts = {
    firing: 0,
    acknowledged: 0,
    silenced: 0,
    open: 0,
    bySeverity: { info: 0, warning: 0, critical: 0 },
  }
  for (const row of rows) {
    counts.firing += row.firing
    counts.acknowledged += row.acknowledged
    counts.silenced += row.silenced
    counts.open += row.open
    counts.bySeverity[row.severity] += row.firing
  }
  const groups = [...Map.groupBy(rows, ({ ruleId }) => ruleId)].map(([ruleId, own]) => ({
    ruleId,
    count: own.reduce((sum, { firing }) => sum + firing, 0),
    firstFiredAt: new Date(smallest(own.map(({ firstMs }) => firstMs))),
  }))
  return { counts, groups: groups.sort((a, b) => b.count - a.count || (a.ruleId < b.ruleId ? -1 : 1)) }
}

/** The log has the member as its actor, whose address an erasure removes there. */
type Acknowledged = Pick<typeof alerts.$inferSelect, 'id' | 'ruleId' | 'sensorId' | 'acknowledgedAt' | 'comment'>
const logged = ({ ruleId, sensorId, acknowledgedAt, comment }: Acknowledged, enterpriseId: string): object => ({
  enterpriseId,
  ruleId,
  sensorId,
  acknowledgedAt,
  comment,
})

/**
 * Acknowledges alerts, or takes that back. The first acknowledgement stays until it is taken back.
 * @param ids without repetition
 * @throws AppError NOT_FOUND if one of them does not exist; then none is changed
 */
export function acknowledge(
  db: Database,
  actor: string,
  enterpriseId: string,
  ids: readonly string[],
  acknowledgement: { comment: string | null } | null,
): Promise<void> {
  return db.transaction(async (tx) => {
    // always in one order, so that two callers do not wait for each other
    const found = await tx
      .select()
      .from(alerts)
      .where(and(eq(alerts.enterpriseId, enterpriseId), inArray(alerts.id, [...ids])))
      .orderBy(alerts.id)
      .for('update')
    if (found.length < ids.length)
      throw new AppError('NOT_FOUND', {
        message: ids.length === 1 ? fieldText('noSuchAlert') : fieldText('alertInIds'),
      })
    const concerned = found.filter(({ acknowledgedAt }) => (acknowledgedAt === null) === (acknowledgement !== null))
    if (concerned.length === 0) return
    const values =
      acknowledgement === null
        ? { acknowledgedBy: null, acknowledgedAt: null, comment: null }
        : { acknowledgedBy: actor, acknowledgedAt: sql`now()`, comment: acknowledgement.comment }
    const changed = await tx
      .update(alerts)
      .set(values)
      .where(
        inArray(
          alerts.id,
          concerned.map(({ id }) => id),
        ),
      )
      .returning()
    const before = new Map(concerned.map((alert) => [alert.id, logged(alert, enterpriseId)]))
    await recordChanges(
      tx,
      changed.map((alert) => ({
        actor,
        action: 'update',
        kind: 'alert',
        id: alert.id,
        before: before.get(alert.id) ?? null,
        after: logged(alert, enterpriseId),
      })),
    )
  })
}
