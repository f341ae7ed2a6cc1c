/** Silences: periods in which alerts are recorded and shown, but not delivered. */
import { and, count, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { enterprises, sensors } from '../schema.ts'
import { alertSilences } from './alert-schema.ts'
import { zoneRules } from './rule-schema.ts'

export const SILENCE_STATES = ['planned', 'active', 'ended'] as const
export type SilenceState = (typeof SILENCE_STATES)[number]
export type Silence = Omit<typeof alertSilences.$inferSelect, 'enterpriseId'> & { state: SilenceState }
export type SilenceInput = Pick<Silence, 'sensorIds' | 'tags' | 'ruleIds' | 'comment' | 'endsAt'> & {
  /** Undefined for now. */
  startsAt: Date | undefined
}

/** Maximum number of silences of an enterprise that have not ended. */
const MAX_SILENCES = 1_000

const isActive = sql`${alertSilences.startsAt} <= now() AND ${alertSilences.endsAt} > now()`
const state = sql<SilenceState>`CASE WHEN ${alertSilences.endsAt} <= now() THEN 'ended'
  WHEN ${alertSilences.startsAt} > now() THEN 'planned' ELSE 'active' END`
const columns = {
  id: alertSilences.id,
  sensorIds: alertSilences.sensorIds,
  tags: alertSilences.tags,
  ruleIds: alertSilences.ruleIds,
  startsAt: alertSilences.startsAt,
  endsAt: alertSilences.endsAt,
  comment: alertSilences.comment,
  createdBy: alertSilences.createdBy,
  createdAt: alertSilences.createdAt,
  state,
}

/** What of an alert decides which silences hold. */
export type Silenceable<Value> = { enterpriseId: string | SQL; ruleId: Value; sensorId: Value }

/**
 * Whether a silence holds an alert now: it names the rule, the sensor, or a tag that the sensor has. The subqueries
 * depend on no alert, so PostgreSQL runs each of them once for a list of any length.
 */
export function isSilenced({ enterpriseId, ruleId, sensorId }: Silenceable<SQL.Aliased | SQL>): SQL<boolean> {
  const active = sql`${eq(alertSilences.enterpriseId, enterpriseId)} AND ${isActive}`
  return sql<boolean>`(
    ${ruleId} IN (SELECT unnest(${alertSilences.ruleIds}) FROM ${alertSilences} WHERE ${active})
    OR ${sensorId} IN (SELECT unnest(${alertSilences.sensorIds}) FROM ${alertSilences} WHERE ${active})
    OR ${sensorId} IN (SELECT ${sensors.id} FROM ${alertSilences}
      JOIN ${sensors} ON ${sensors.tags} && ${alertSilences.tags} AND ${eq(sensors.enterpriseId, enterpriseId)}
      WHERE ${active}))`
}

/** The silences that hold an alert now: those for which `isSilenced` is true. */
const holding = ({ ruleId, sensorId }: Silenceable<string | SQL>): SQL | undefined =>
  and(
    isActive,
    or(
      sql`${ruleId} = ANY(${alertSilences.ruleIds})`,
      sql`${sensorId} = ANY(${alertSilences.sensorIds})`,
      sql`${alertSilences.tags} && (SELECT ${sensors.tags} FROM ${sensors} WHERE ${eq(sensors.id, sensorId)})`,
    ),
  )

/**
 * The same as `isSilenced` for alerts of several enterprises, each looked up by itself: what it reads grows with the silences
 * of the enterprise, and not with its sensors.
 */
export const isSilencedAlone = (alert: Silenceable<SQL>): SQL =>
  sql`EXISTS (SELECT FROM ${alertSilences} WHERE ${and(eq(alertSilences.enterpriseId, alert.enterpriseId), holding(alert))})`

export type SilenceFilter = {
  /** Any of them; all if it is empty. */
  states: readonly SilenceState[]
  /** Only silences that hold this alert now. */
  alert: Silenceable<string> | undefined
}

/** Newest first. */
export async function listSilences(
  db: Database,
  enterpriseId: string,
  { states, alert }: SilenceFilter,
  { limit, cursor }: PageQuery,
): Promise<Page<Silence>> {
  const where = and(
    eq(alertSilences.enterpriseId, enterpriseId),
    states.length === 0 ? undefined : inArray(state, [...states]),
    alert && holding(alert),
    cursor === undefined ? undefined : sql`${alertSilences.id} < ${cursor}`,
  )
  const rows = await db
    .select(columns)
    .from(alertSilences)
    .where(where)
    .orderBy(sql`${alertSilences.id} DESC`)
    .limit(limit + 1)
  return pageOf(rows, limit)
}

/** @throws AppError VALIDATION_FAILED for a sensor or a rule of another enterprise, CONFLICT for too many silences */
export async function createSilence(
  tx: Database,
  actor: string,
  enterpriseId: string,
  { startsAt, ...input }: SilenceInput,
): Promise<Silence> {
  // serializes new silences of an enterprise
  await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
  await requireOwn(tx, sensors, enterpriseId, input.sensorIds, 'body.sensorIds', 'sensor')
  await requireOwn(tx, zoneRules, enterpriseId, input.ruleIds, 'body.ruleIds', 'rule')
  const [existing] = await tx
    .select({ rows: count() })
    .from(alertSilences)
    .where(and(eq(alertSilences.enterpriseId, enterpriseId), gt(alertSilences.endsAt, sql`now()`)))
  if ((existing?.rows ?? 0) >= MAX_SILENCES)
    throw new AppError('CONFLICT', {
      message: fieldText('silencesAtMost', { most: MAX_SILENCES }),
    })
  const begin = startsAt ?? sql`now()`
  const [made] = await tx
    .insert(alertSilences)
    .values({ ...input, id: newId('sil'), enterpriseId, startsAt: begin, createdBy: actor })
    .returning(columns)
  if (made === undefined) throw new Error('the silence was not inserted')
  const after = logged(made, enterpriseId)
  await recordChange(tx, { actor, action: 'create', kind: 'alert-silence', id: made.id, before: null, after })
  return made
}

/** @throws AppError VALIDATION_FAILED */
export async function requireOwn(
  tx: Database,
  table: typeof sensors | typeof zoneRules,
  enterpriseId: string,
  ids: readonly string[],
  field: string,
  kind: 'sensor' | 'rule',
): Promise<void> {
  if (ids.length === 0) return
  const own = await tx
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.enterpriseId, enterpriseId), inArray(table.id, [...ids])))
  const found = new Set(own.map(({ id }) => id))
  const unknown = ids.findIndex((id) => !found.has(id))
  if (unknown >= 0) throw invalidField(`${field}.${unknown}`, 'exists', fieldText(`${kind}OfEnterprise`))
}

/** The log has the maker as its actor, whose address an erasure removes there. */
const logged = ({ createdBy: _, state: _state, ...silence }: Silence, enterpriseId: string): object => ({
  ...silence,
  enterpriseId,
})

/** @throws AppError NOT_FOUND */
export function deleteSilence(db: Database, actor: string, enterpriseId: string, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [gone] = await tx
      .delete(alertSilences)
      .where(and(eq(alertSilences.id, id), eq(alertSilences.enterpriseId, enterpriseId)))
      .returning(columns)
    if (gone === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchSilence') })
    const before = logged(gone, enterpriseId)
    await recordChange(tx, { actor, action: 'delete', kind: 'alert-silence', id, before, after: null })
  })
}

/** A text that changes when a silence begins to hold or ends. */
export const heldSilences = (enterpriseId: string): SQL => sql`
  coalesce((SELECT md5(string_agg(${alertSilences.id}, ' ' ORDER BY ${alertSilences.id})) FROM ${alertSilences}
    WHERE ${eq(alertSilences.enterpriseId, enterpriseId)} AND ${isActive}), '')`
