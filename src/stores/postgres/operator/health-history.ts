/** Reports of server processes about themselves, and the history of their parts (sql/postgres/0020-operations.sql). */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type PartStateName = 'ok' | 'degraded' | 'failing' | 'stopped'
export type HealthEvent = { part: string; state: PartStateName; detail: string | null; at: Date }
export type StoredHealthEvent = HealthEvent & { id: number; instanceId: string }

/** Figures of one minute. */
export type HealthSample = {
  at: Date
  accepted: number
  duplicates: number
  refused: number
  lagSeconds: number
  segments: number
  logBytes: number
  loopDelayMs: number
  serverBytes: number
  serverCpu: number
  workersBytes: number
  workersCpu: number
  diskFreeBytes: number
}

export type StoredInstance = {
  id: string
  name: string
  version: string
  startedAt: Date
  reportedAt: Date
  stoppedAt: Date | null
  report: unknown
}

type Times = string | Date
const dateOf = (value: Times): Date => new Date(value)
const iso = (date: Date) => sql`${date.toISOString()}::timestamptz`

/** Commits without waiting for the disk: losing the last seconds in a crash is harmless. */
async function withoutWaiting(db: Database, work: (tx: Database) => Promise<unknown>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`SET LOCAL synchronous_commit = off`)
    await work(tx)
  })
}

type ToReport = Pick<StoredInstance, 'id' | 'name' | 'version' | 'startedAt' | 'report'>

export async function storeReport(db: Database, { id, name, version, startedAt, report }: ToReport): Promise<void> {
  await withoutWaiting(db, (tx) =>
    tx.execute(sql`
      INSERT INTO server_instances (id, name, version, started_at, reported_at, report)
      VALUES (${id}, ${name}, ${version}, ${iso(startedAt)}, now(), ${JSON.stringify(report)}::text::jsonb)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, version = excluded.version, started_at = excluded.started_at,
        reported_at = excluded.reported_at, stopped_at = NULL, report = excluded.report`),
  )
}

export async function storeStop(db: Database, id: string): Promise<void> {
  await db.execute(sql`UPDATE server_instances SET stopped_at = now() WHERE id = ${id}`)
}

const INSTANCE_COLUMNS = sql`id, name, version, started_at, reported_at, stopped_at, report`
type InstanceRow = {
  id: string
  name: string
  version: string
  started_at: Times
  reported_at: Times
  stopped_at: Times | null
  report: unknown
}
const instanceOf = (row: InstanceRow): StoredInstance => ({
  id: row.id,
  name: row.name,
  version: row.version,
  startedAt: dateOf(row.started_at),
  reportedAt: dateOf(row.reported_at),
  stoppedAt: row.stopped_at === null ? null : dateOf(row.stopped_at),
  report: typeof row.report === 'string' ? JSON.parse(row.report) : row.report,
})

/** Instances that have reported since a given time, by name. */
export async function listInstances(db: Database, since: Date): Promise<StoredInstance[]> {
  const rows = await db.execute(
    sql`SELECT ${INSTANCE_COLUMNS} FROM server_instances WHERE reported_at >= ${iso(since)} ORDER BY name, id`,
  )
  return rowsOf<InstanceRow>(rows).map(instanceOf)
}

export async function findInstance(db: Database, id: string): Promise<StoredInstance | undefined> {
  const rows = await db.execute(sql`SELECT ${INSTANCE_COLUMNS} FROM server_instances WHERE id = ${id}`)
  const [row] = rowsOf<InstanceRow>(rows)
  return row && instanceOf(row)
}

export async function storeEvents(db: Database, instanceId: string, events: readonly HealthEvent[]): Promise<void> {
  const rows = events.map(
    ({ part, state, detail, at }) => sql`(${instanceId}, ${part}, ${state}, ${detail}, ${iso(at)})`,
  )
  await db.execute(
    sql`INSERT INTO health_events (instance_id, part, state, detail, at) VALUES ${sql.join(rows, sql`, `)}`,
  )
}

/** The newest event of each part of an instance. */
export async function newestEvents(db: Database, instanceId: string): Promise<HealthEvent[]> {
  const rows = await db.execute(sql`
    SELECT DISTINCT ON (part) part, state, detail, at FROM health_events
    WHERE instance_id = ${instanceId} ORDER BY part, at DESC, id DESC`)
  return rowsOf<HealthEvent & { at: Times }>(rows).map((row) => ({ ...row, at: dateOf(row.at) }))
}

export type EventQuery = { from: Date; to: Date; part: string | undefined; limit: number; cursor: number | undefined }

/** Newest first. */
export async function listEvents(db: Database, { from, to, part, limit, cursor }: EventQuery) {
  const rows = await db.execute(sql`
    SELECT id, instance_id, part, state, detail, at FROM health_events
    WHERE at >= ${iso(from)} AND at <= ${iso(to)} ${part === undefined ? sql`` : sql`AND part = ${part}`}
      ${cursor === undefined ? sql`` : sql`AND (at, id) < (SELECT at, id FROM health_events WHERE id = ${cursor}::bigint)`}
    ORDER BY at DESC, id DESC LIMIT ${limit + 1}`)
  const found = rowsOf<{ id: string; instance_id: string; at: Times } & HealthEvent>(rows)
  const items = found.slice(0, limit).map(({ id, instance_id, ...row }) => ({
    id: Number(id),
    instanceId: instance_id,
    part: row.part,
    state: row.state,
    detail: row.detail,
    at: dateOf(row.at),
  }))
  return { items, nextCursor: found.length > limit ? String(items.at(-1)?.id) : null }
}

/** The state that each part of each instance had at a time. */
export async function statesAt(db: Database, at: Date): Promise<StoredHealthEvent[]> {
  const rows = await db.execute(sql`
    SELECT last.id, instances.id AS instance_id, parts.part, last.state, last.detail, last.at
    FROM server_instances AS instances
    CROSS JOIN LATERAL (SELECT DISTINCT part FROM health_events WHERE instance_id = instances.id) AS parts
    CROSS JOIN LATERAL (
      SELECT id, state, detail, at FROM health_events
      WHERE instance_id = instances.id AND part = parts.part AND at < ${iso(at)} ORDER BY at DESC, id DESC LIMIT 1
    ) AS last`)
  return rowsOf<{ id: string; instance_id: string; at: Times } & HealthEvent>(rows).map(
    ({ id, instance_id, at: since, part, state, detail }) => ({
      id: Number(id),
      instanceId: instance_id,
      part,
      state,
      detail,
      at: dateOf(since),
    }),
  )
}

const SAMPLE_COLUMNS = {
  accepted: 'accepted',
  duplicates: 'duplicates',
  refused: 'refused',
  lagSeconds: 'lag_seconds',
  segments: 'segments',
  logBytes: 'log_bytes',
  loopDelayMs: 'loop_delay_ms',
  serverBytes: 'server_bytes',
  serverCpu: 'server_cpu',
  workersBytes: 'workers_bytes',
  workersCpu: 'workers_cpu',
  diskFreeBytes: 'disk_free_bytes',
} as const
type SampleFigure = keyof typeof SAMPLE_COLUMNS
const FIGURES = Object.keys(SAMPLE_COLUMNS) as SampleFigure[]
/** Figures of one machine or of the slowest part are not summed over instances. */
const LARGEST = new Set<SampleFigure>(['lagSeconds', 'loopDelayMs'])
const SMALLEST = new Set<SampleFigure>(['diskFreeBytes'])

export async function storeSamples(db: Database, instanceId: string, samples: readonly HealthSample[]): Promise<void> {
  const names = sql.join(
    FIGURES.map((figure) => sql.identifier(SAMPLE_COLUMNS[figure])),
    sql`, `,
  )
  const rows = samples.map((sample) => {
    const values = FIGURES.map((figure) => sql`${sample[figure]}::double precision`)
    return sql`(${iso(sample.at)}, ${instanceId}, ${sql.join(values, sql`, `)})`
  })
  await withoutWaiting(db, (tx) =>
    tx.execute(sql`
      INSERT INTO health_samples (at, instance_id, ${names}) VALUES ${sql.join(rows, sql`, `)}
      ON CONFLICT (at, instance_id) DO NOTHING`),
  )
}

export type SampleBucket = { at: Date } & Record<SampleFigure, { avg: number; min: number; max: number }>
export type SampleQuery = { from: Date; to: Date; stepSeconds: number; instanceId: string | undefined }

/** Samples of one instance, or of all together, in buckets that begin at multiples of the step. */
export async function listSamples(
  db: Database,
  { from, to, stepSeconds, instanceId }: SampleQuery,
): Promise<SampleBucket[]> {
  const over = (figure: SampleFigure) => {
    const column = sql.identifier(SAMPLE_COLUMNS[figure])
    if (LARGEST.has(figure)) return sql`max(${column}) AS ${column}`
    return SMALLEST.has(figure) ? sql`min(${column}) AS ${column}` : sql`sum(${column}) AS ${column}`
  }
  const within = (figure: SampleFigure) => {
    const column = sql.identifier(SAMPLE_COLUMNS[figure])
    const as = (agg: string) => sql.identifier(`${figure} ${agg}`)
    return sql`avg(${column})::double precision AS ${as('avg')}, min(${column})::double precision AS ${as('min')},
      max(${column})::double precision AS ${as('max')}`
  }
  const rows = await db.execute(sql`
    WITH minutes AS (
      SELECT at, ${sql.join(FIGURES.map(over), sql`, `)} FROM health_samples
      WHERE at >= ${iso(from)} AND at <= ${iso(to)} ${instanceId === undefined ? sql`` : sql`AND instance_id = ${instanceId}`}
      GROUP BY at
    )
    SELECT date_bin(make_interval(secs => ${stepSeconds}::integer), at, 'epoch') AS bucket,
      ${sql.join(FIGURES.map(within), sql`, `)}
    FROM minutes GROUP BY bucket ORDER BY bucket`)
  return rowsOf<{ bucket: Times } & Record<string, number>>(rows).map((row) => ({
    at: dateOf(row.bucket),
    ...(Object.fromEntries(
      FIGURES.map((figure) => [
        figure,
        { avg: row[`${figure} avg`], min: row[`${figure} min`], max: row[`${figure} max`] },
      ]),
    ) as Omit<SampleBucket, 'at'>),
  }))
}

/** Keeps the newest event of each part, which shows since when the part has its state. */
export async function deleteHealthBefore(db: Database, before: Date): Promise<void> {
  await db.execute(sql`DELETE FROM health_samples WHERE at < ${iso(before)}`)
  await db.execute(sql`
    DELETE FROM health_events AS old WHERE at < ${iso(before)} AND EXISTS (
      SELECT FROM health_events AS newer
      WHERE newer.instance_id = old.instance_id AND newer.part = old.part AND newer.at > old.at)`)
  await db.execute(sql`DELETE FROM server_instances WHERE reported_at < ${iso(before)}`)
  await db.execute(sql`
    DELETE FROM health_events WHERE at < ${iso(before)}
      AND NOT EXISTS (SELECT FROM server_instances WHERE id = health_events.instance_id)`)
}
