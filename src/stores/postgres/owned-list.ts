/** Lists of an owner's records, searched and sorted, in keyset pages. */
import { and, asc, desc, eq, getTableColumns, or, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Database } from './client.ts'
import type { Page, PageQuery } from './page.ts'
import { containing } from './sorted-page.ts'

export type ListQuery = PageQuery & {
  /** Part of the name, in any case, or the id. */
  q?: string | undefined
  sort?: string | undefined
  order?: 'asc' | 'desc' | undefined
}

/** The columns by which a list can be sorted, besides the id, and their types in PostgreSQL. */
type Sorts = Record<string, { column: SQL; type: string }>

type Owned = PgTable & { id: AnyPgColumn; ownerId: AnyPgColumn; name: AnyPgColumn }

/** A cursor of a sorted list: the value of the column as text, and the id. */
function placeOf(cursor: string): [value: string, id: string] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(place) && place.length === 2 && place.every((part) => typeof part === 'string'))
      return place as [string, string]
  } catch {
    // answered below
  }
  throw invalidField('query.cursor', 'cursor', fieldText('previousPage'))
}

/** A page of an owner's records, in the order of ids without a sort. */
export async function listOwned<T extends Owned>(
  db: Database,
  table: T,
  sorts: Sorts,
  ownerId: string,
  { q, cursor, sort = 'id', order = 'asc', limit }: ListQuery,
): Promise<Page<T['$inferSelect']>> {
  const { column, type } = sorts[sort] ?? { column: undefined, type: '' }
  const by = order === 'desc' ? desc : asc
  const after = (value: SQL, bound: SQL): SQL =>
    order === 'desc' ? sql`${value} < ${bound}` : sql`${value} > ${bound}`
  const start = (from: string): SQL => {
    if (column === undefined) return after(sql`${table.id}`, sql`${from}`)
    const [value, id] = placeOf(from)
    return after(sql`(${column}, ${table.id})`, sql`(${value}::text::${sql.raw(type)}, ${id}::text)`)
  }
  const found = await db
    .select({ ...getTableColumns(table), sortValue: sql<string | null>`${column ?? table.id}::text` })
    .from(table as PgTable)
    .where(
      and(
        eq(table.ownerId, ownerId),
        q === undefined ? undefined : matches(table, q),
        cursor === undefined ? undefined : start(cursor),
      ),
    )
    .orderBy(...(column === undefined ? [] : [by(column)]), by(table.id))
    // one extra row shows that there is a next page
    .limit(limit + 1)
  const rows = found as unknown as (T['$inferSelect'] & { id: string; sortValue: string | null })[]
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const place = (row: (typeof rows)[number]): string =>
    column === undefined ? row.id : Buffer.from(JSON.stringify([row.sortValue, row.id])).toString('base64url')
  return {
    items: rows.slice(0, limit).map(({ sortValue: _, ...row }) => row as unknown as T['$inferSelect']),
    nextCursor: last === undefined ? null : place(last),
  }
}

function matches({ name, id }: Owned, q: string): SQL | undefined {
  const pattern = containing(q)
  return or(sql`${name} ILIKE ${pattern}`, eq(id, q))
}
