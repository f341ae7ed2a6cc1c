/** Lists of all enterprises and all people, for the operator: searched, filtered and sorted by the database. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import type { Page } from '../page.ts'
import { rowsOf } from '../rows.ts'
import {
  afterCursor,
  containing,
  cursorColumn,
  orderOf,
  pageOfRows,
  readCursor,
  type SortedQuery,
  type SortKey,
} from '../sorted-page.ts'

export type EnterpriseSort = 'id' | 'name' | 'sensors' | 'readings' | 'stored' | 'active'
export type EnterpriseFilter = {
  q: string | undefined
  tier: string | undefined
  status: 'active' | 'suspended' | undefined
  held: boolean | undefined
}
export type ListedEnterprise = {
  id: string
  name: string
  tier: string
  status: 'active' | 'suspended'
  assetsHeld: boolean
  heldReason: string | null
  createdAt: Date
  sensors: number
  readingsToday: number
  readingsPerDay: number | null
  storedBytes: number
  storedMb: number | null
  creditsUsed: number
  creditsPerMonth: number | null
  lastActiveAt: Date | null
}

const ID = { column: sql`e.id`, type: 'text' } as const
const ENTERPRISE_KEYS: Record<EnterpriseSort, SortKey> = {
  id: [ID],
  name: [{ column: sql`lower(e.name)`, type: 'text' }, ID],
  sensors: [{ column: sql`f.sensors`, type: 'bigint' }, ID],
  // figures of today come first; an earlier figure counts as none
  readings: [{ column: sql`f.day`, type: 'date' }, { column: sql`f.readings`, type: 'bigint' }, ID],
  stored: [{ column: sql`f.stored_bytes`, type: 'bigint' }, ID],
  active: [{ column: sql`f.last_active_at`, type: 'timestamptz' }, ID],
}

function all(conditions: (SQL | undefined)[]): SQL {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length === 0 ? sql`true` : sql.join(given, sql` AND `)
}

function enterpriseRows(where: SQL, more: SQL, at: SQL): SQL {
  return sql`
    SELECT e.id, e.name, e.tier, e.status, e.assets_held, e.held_reason, e.created_at, e.stored_mb,
      f.sensors, f.stored_bytes, nullif(f.last_active_at, 'epoch') AS last_active_at,
      CASE WHEN f.day = (now() AT TIME ZONE 'UTC')::date THEN f.readings ELSE 0 END AS readings,
      coalesce(e.readings_per_day, t.readings_per_day) AS readings_per_day,
      coalesce(e.credits, t.credits_per_month) AS credits_per_month,
      coalesce(c.used, 0) AS credits_used, ${at}
    FROM enterprises AS e
    JOIN tiers AS t ON t.name = e.tier
    JOIN enterprise_figures AS f ON f.enterprise_id = e.id
    LEFT JOIN credit_periods AS c
      ON c.enterprise_id = e.id AND c.starts_at = date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
    WHERE ${where} ${more}`
}

type EnterpriseRow = {
  id: string
  name: string
  tier: string
  status: 'active' | 'suspended'
  assets_held: boolean
  held_reason: string | null
  created_at: string | Date
  stored_mb: number | null
  sensors: number
  stored_bytes: string
  last_active_at: string | Date | null
  readings: string
  readings_per_day: string | null
  credits_per_month: string | null
  credits_used: string
  at: string
}

const numberOrNull = (value: string | null): number | null => (value === null ? null : Number(value))

const enterpriseOf = (row: EnterpriseRow): ListedEnterprise => ({
  id: row.id,
  name: row.name,
  tier: row.tier,
  status: row.status,
  assetsHeld: row.assets_held,
  heldReason: row.held_reason,
  createdAt: new Date(row.created_at),
  sensors: row.sensors,
  readingsToday: Number(row.readings),
  readingsPerDay: numberOrNull(row.readings_per_day),
  storedBytes: Number(row.stored_bytes),
  storedMb: row.stored_mb,
  creditsUsed: Number(row.credits_used),
  creditsPerMonth: numberOrNull(row.credits_per_month),
  lastActiveAt: row.last_active_at === null ? null : new Date(row.last_active_at),
})

/** @throws AppError VALIDATION_FAILED for a cursor of another sort */
export async function listEnterprisesForOperator(
  db: Database,
  { limit, cursor, sort, order }: SortedQuery<EnterpriseSort>,
  { q, tier, status, held }: EnterpriseFilter,
): Promise<Page<ListedEnterprise>> {
  const key = ENTERPRISE_KEYS[sort]
  const where = all([
    q === undefined ? undefined : sql`(e.name ILIKE ${containing(q)} OR e.id ILIKE ${containing(q)})`,
    tier === undefined ? undefined : sql`e.tier = ${tier}`,
    status === undefined ? undefined : sql`e.status = ${status}`,
    held === undefined ? undefined : sql`e.assets_held = ${held}`,
    afterCursor(key, order, readCursor(cursor, sort, key)),
  ])
  const more = sql`ORDER BY ${orderOf(key, order)} LIMIT ${limit + 1}`
  const rows = rowsOf<EnterpriseRow>(await db.execute(enterpriseRows(where, more, cursorColumn(key))))
  return pageOfRows(rows, limit, sort, enterpriseOf)
}

/** Undefined for an id that no enterprise has. */
export async function findEnterpriseForOperator(db: Database, id: string): Promise<ListedEnterprise | undefined> {
  const rows = rowsOf<EnterpriseRow>(await db.execute(enterpriseRows(sql`e.id = ${id}`, sql``, sql`'' AS at`)))
  return rows[0] && enterpriseOf(rows[0])
}

export type PersonSort = 'id' | 'email'
export type PersonFilter = {
  q: string | undefined
  plan: string | undefined
  status: 'active' | 'suspended' | undefined
}
export type ListedPerson = {
  id: string
  email: string
  plan: string
  status: 'active' | 'suspended'
  accountId: string | null
  createdAt: Date
  toolApis: number
  toolApisHeld: number
  lastSignInAt: Date | null
}

const PERSON_ID = { column: sql`p.id`, type: 'text' } as const
const PERSON_KEYS: Record<PersonSort, SortKey> = {
  id: [PERSON_ID],
  email: [{ column: sql`lower(p.email)`, type: 'text' }, PERSON_ID],
}

type PersonRow = {
  id: string
  email: string
  plan: string
  status: 'active' | 'suspended'
  account_id: string | null
  created_at: string | Date
  tool_apis: number
  tool_apis_held: number
  last_sign_in_at: string | Date | null
  at: string
}

/** @throws AppError VALIDATION_FAILED for a cursor of another sort */
export async function listPeopleForOperator(
  db: Database,
  { limit, cursor, sort, order }: SortedQuery<PersonSort>,
  { q, plan, status }: PersonFilter,
): Promise<Page<ListedPerson>> {
  const key = PERSON_KEYS[sort]
  const where = all([
    q === undefined ? undefined : sql`(p.email ILIKE ${containing(q)} OR p.id ILIKE ${containing(q)})`,
    plan === undefined ? undefined : sql`p.plan = ${plan}`,
    status === undefined ? undefined : sql`p.status = ${status}`,
    afterCursor(key, order, readCursor(cursor, sort, key)),
  ])
  // counted for the people of this page only
  const rows = await db.execute(sql`
    SELECT shown.*, apis.tool_apis, apis.tool_apis_held, signed_in.last_sign_in_at FROM (
      SELECT p.id, p.email, p.plan, p.status, p.account_id, p.created_at, ${cursorColumn(key)}
      FROM people AS p WHERE ${where} ORDER BY ${orderOf(key, order)} LIMIT ${limit + 1}
    ) AS shown
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS tool_apis, (count(*) FILTER (WHERE held))::integer AS tool_apis_held
      FROM tool_apis WHERE owner_id = shown.id) AS apis
    CROSS JOIN LATERAL (
      SELECT max(updated_at) AS last_sign_in_at FROM sessions WHERE account_id = shown.account_id) AS signed_in
    ORDER BY ${orderOf(
      key.map((part) => ({
        ...part,
        column: part.column === PERSON_ID.column ? sql`shown.id` : sql`lower(shown.email)`,
      })),
      order,
    )}`)
  return pageOfRows(rowsOf<PersonRow>(rows), limit, sort, (row) => ({
    id: row.id,
    email: row.email,
    plan: row.plan,
    status: row.status,
    accountId: row.account_id,
    createdAt: new Date(row.created_at),
    toolApis: row.tool_apis,
    toolApisHeld: row.tool_apis_held,
    lastSignInAt: row.last_sign_in_at === null ? null : new Date(row.last_sign_in_at),
  }))
}
