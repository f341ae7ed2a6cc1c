/** The lease of the one instance, of several, that judges alert rules (sql/postgres/0047-alert-instances.sql). */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** `aliveMs`: when a holder was alive last; null if no holder had rules. */
export type JudgeLease = { term: number; aliveMs: number | null; downtimes: [fromMs: number, toMs: number][] }

/** Another instance has the lease. */
export class LostLease extends Error {
  constructor() {
    super('another instance judges alert rules now')
  }
}

/** Longer than a process that works may fail to renew it. */
const LEASE = sql`interval '10 seconds'`

/** An instance that was restarted takes its own lease again. @returns undefined while another instance has the lease */
export async function takeJudgeLease(db: Database, instanceId: string): Promise<JudgeLease | undefined> {
  const [taken] = rowsOf<{ term: number; aliveMs: number | null; downtimes: string }>(
    await db.execute(sql`
      UPDATE alert_judge SET term = term + 1, instance_id = ${instanceId}, leased_until = clock_timestamp() + ${LEASE},
        judged = coalesce((SELECT serial FROM alert_snapshots), 0)
      WHERE leased_until < clock_timestamp() OR instance_id = ${instanceId}
      RETURNING term::float8 AS term, alive_ms AS "aliveMs", downtimes::text AS downtimes`),
  )
  return taken && { ...taken, downtimes: JSON.parse(taken.downtimes) as JudgeLease['downtimes'] }
}

/** @param aliveMs null while there are no rules @throws LostLease */
export async function renewJudgeLease(
  db: Database,
  term: number,
  { judged, aliveMs }: { judged: number; aliveMs: number | null },
): Promise<void> {
  await updated(
    db,
    sql`UPDATE alert_judge SET leased_until = clock_timestamp() + ${LEASE}, judged = ${judged}::bigint,
      alive_ms = ${aliveMs}::float8 WHERE term = ${term}::bigint RETURNING 1`,
  )
}

/** @throws LostLease */
export async function writeDowntimes(db: Database, { term, aliveMs, downtimes }: JudgeLease): Promise<void> {
  await updated(
    db,
    sql`UPDATE alert_judge SET alive_ms = ${aliveMs}::float8, downtimes = ${JSON.stringify(downtimes)}::text::jsonb
      WHERE term = ${term}::bigint RETURNING 1`,
  )
}

/** A server that is the only one judges from its own disk: what instances shared is outdated. */
export async function forgetSharedJudging(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`UPDATE alert_judge
      SET term = term + 1, leased_until = 'epoch', judged = 0, alive_ms = NULL, downtimes = '[]'`)
    await tx.execute(sql`DELETE FROM alert_snapshots`)
    await tx.execute(sql`DELETE FROM alert_feed`)
    await tx.execute(sql`DELETE FROM alert_feeders`)
  })
}

/** Another instance may judge from now on. */
export async function endJudgeLease(db: Database, term: number): Promise<void> {
  await db.execute(sql`UPDATE alert_judge SET leased_until = 'epoch' WHERE term = ${term}::bigint`)
}

/** Holds the lease until the transaction ends. @throws LostLease */
export async function requireJudgeLease(tx: Database, term: number): Promise<void> {
  await updated(tx, sql`SELECT 1 FROM alert_judge WHERE term = ${term}::bigint FOR SHARE`)
}

async function updated(db: Database, statement: ReturnType<typeof sql>): Promise<void> {
  if (rowsOf(await db.execute(statement)).length === 0) throw new LostLease()
}
