/** Pages of lists, ordered by id; the cursor is the last id of the previous page. */
import { and, asc, desc, gt, lt, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './client.ts'

export type PageQuery = { limit: number; cursor: string | undefined }
export type Page<T> = { items: T[]; nextCursor: string | null }

/** Takes up to `limit` + 1 rows; the extra row shows that there is a next page. */
export function pageOf<T extends { id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

/** A page of a table's rows that match `where`; ids of later rows are higher, so `desc` is newest first. */
export async function pageOfTable<T extends PgTable & { id: AnyPgColumn }>(
  db: Database,
  table: T,
  where: SQL | undefined,
  { limit, cursor }: PageQuery,
  order: 'asc' | 'desc' = 'asc',
): Promise<Page<T['$inferSelect'] & { id: string }>> {
  const [after, by] = order === 'asc' ? [gt, asc] : [lt, desc]
  const rows = await db
    .select()
    .from(table as PgTable)
    .where(and(where, cursor === undefined ? undefined : after(table.id, cursor)))
    .orderBy(by(table.id))
    .limit(limit + 1)
  return pageOf(rows as (T['$inferSelect'] & { id: string })[], limit)
}
