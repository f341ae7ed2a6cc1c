/**
 * How far readings of each enterprise have been deleted according to its retention (sql/postgres/0012-retention.sql).
 *
 * Every change is one statement that takes the row's lock, so a setting that is restored is either seen before a
 * deletion begins, or takes effect after it. The deleted range is recorded together with the longer setting, so that no
 * reading counts as a duplicate of a deleted one.
 */
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { enterprises, retentions } from '../schema.ts'

export type Retention = typeof retentions.$inferSelect

export type RetentionState = {
  /** Number of the enterprise. */
  enterprise: number
  settingDays: number
  keptDays: number
  isDeleting: boolean
  /** Whether `keptDays` was ever shorter. */
  hasGrown: boolean
  /** When `keptDays` last became longer, or the setting changed; in seconds since 1970. */
  setAtS: number
  /** Milliseconds until a shorter setting may delete readings. */
  graceMs: number
}

/**
 * Margin between the end of a retention and the times that may already be deleted: clocks differ, and ClickHouse
 * continues to delete by the old retention until a longer one has reached all rows.
 */
const UNCERTAIN = sql`interval '1 day'`

/** Notes changed settings of all enterprises, or of one. To be called in the transaction that changes them. */
export async function noteRetentions(db: Database, enterpriseId?: string): Promise<void> {
  const only = enterpriseId === undefined ? sql`true` : sql`e.id = ${enterpriseId}`
  const grows = sql`NOT r.is_deleting AND x.days > r.kept_days`
  await db.execute(sql`
    INSERT INTO retentions AS r (enterprise_id, setting_days, kept_days)
    SELECT e.id, s.days, s.days
    FROM enterprises AS e JOIN tiers AS t ON t.name = e.tier
    CROSS JOIN LATERAL (SELECT coalesce(e.retention_days, t.retention_days, 0) AS days) AS s
    WHERE ${only} AND NOT EXISTS (SELECT FROM retentions AS known WHERE known.enterprise_id = e.id)
    ON CONFLICT DO NOTHING`)
  await db.execute(sql`
    UPDATE retentions AS r SET
      setting_days = x.days,
      set_at = now(),
      deleted_before = CASE WHEN ${grows}
        THEN greatest(r.deleted_before, now() - make_interval(days => r.kept_days) + ${UNCERTAIN})
        ELSE r.deleted_before END,
      extensions = r.extensions + CASE WHEN ${grows} THEN 1 ELSE 0 END,
      kept_days = CASE WHEN ${grows} THEN x.days ELSE r.kept_days END
    FROM (
      SELECT e.id, coalesce(e.retention_days, t.retention_days, 0) AS days
      FROM enterprises AS e JOIN tiers AS t ON t.name = e.tier WHERE ${only}
    ) AS x
    WHERE x.id = r.enterprise_id AND (r.setting_days <> x.days OR (${grows}))`)
}

export async function findRetention(db: Database, enterpriseId: string): Promise<Retention | undefined> {
  const [found] = await db.select().from(retentions).where(eq(retentions.enterpriseId, enterpriseId))
  return found
}

export async function listRetentions(db: Database, graceMs: number): Promise<RetentionState[]> {
  await noteRetentions(db)
  const rows = await db
    .select({
      enterprise: enterprises.number,
      settingDays: retentions.settingDays,
      keptDays: retentions.keptDays,
      isDeleting: retentions.isDeleting,
      hasGrown: sql<boolean>`${retentions.extensions} > 0`,
      setAtS: sql<string>`extract(epoch FROM ${retentions.setAt})`,
      sinceMs: sql<string>`extract(epoch FROM now() - ${retentions.setAt}) * 1000`,
    })
    .from(retentions)
    .innerJoin(enterprises, eq(enterprises.id, retentions.enterpriseId))
  return rows.map(({ setAtS, sinceMs, ...row }) => ({
    ...row,
    setAtS: Number(setAtS),
    graceMs: graceMs - Number(sinceMs),
  }))
}

const among = (numbers: readonly number[]) =>
  inArray(retentions.enterpriseId, sql`(SELECT id FROM enterprises WHERE number IN ${[...numbers]})`)

/** Begins to delete readings older than the setting, for enterprises whose grace period is over. */
export async function beginDeletion(db: Database, numbers: readonly number[], graceMs: number): Promise<void> {
  if (numbers.length === 0) return
  await noteRetentions(db)
  await db
    .update(retentions)
    .set({ keptDays: sql`${retentions.settingDays}`, isDeleting: true })
    .where(
      and(
        among(numbers),
        sql`${retentions.settingDays} <= ${retentions.keptDays}`,
        sql`${retentions.setAt} <= now() - ${graceMs} * interval '1 millisecond'`,
        eq(retentions.isDeleting, false),
      ),
    )
}

/** Runs `work` while no deletion can end, with the days that are kept of enterprises whose readings are being deleted. */
export async function whileDeleting(
  db: Database,
  work: (keptDays: ReadonlyMap<number, number>) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await tx
      .select({ number: enterprises.number, keptDays: retentions.keptDays })
      .from(retentions)
      .innerJoin(enterprises, eq(enterprises.id, retentions.enterpriseId))
      .where(eq(retentions.isDeleting, true))
      .for('update', { of: retentions })
    await work(new Map(rows.map(({ number, keptDays }) => [number, keptDays])))
  })
}

/** Ends the deletions of the enterprises; a longer setting takes effect. @returns their ids */
export async function endDeletion(db: Database, numbers: readonly number[]): Promise<string[]> {
  return db.transaction(async (tx) => {
    const ended = await tx
      .update(retentions)
      .set({ isDeleting: false })
      .where(and(among(numbers), eq(retentions.isDeleting, true)))
      .returning({ id: retentions.enterpriseId })
    await noteRetentions(tx)
    return ended.map(({ id }) => id)
  })
}
