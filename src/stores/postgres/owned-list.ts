/** Lists of what an owner has, searched and sorted: in pages that begin after the last row of the previous one. */
import { type AnyColumn, and, asc, desc, eq, gt, or, type SQL, sql } from 'drizzle-orm'
import { invalidField } from '../../errors.ts'
import type { Page, PageQuery } from './page.ts'

export type ListQuery = PageQuery & {
  /** Part of the name, in any case, or the id. */
  q?: string | undefined
  sort?: string | undefined
  order?: 'asc' | 'desc' | undefined
}

/** What a list can be sorted by, besides the id: its text tells rows with different values apart. */
export type SortColumns = Record<string, SQL>

type Owned = { id: AnyColumn; ownerId: AnyColumn; name: AnyColumn }

/** A cursor of a sorted list: the value of the column as text, and the id. */
function placeOf(cursor: string): [value: string, id: string] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(place) && place.length === 2 && place.every((part) => typeof part === 'string'))
      return place as [string, string]
  } catch {
    // answered below
  }
  throw invalidField('query.cursor', 'cursor', 'must be nextCursor of the previous page')
}

/**
 * @param column of the sort, or undefined for the order of ids
 * @param type of the column in PostgreSQL
 */
export function listOrder(
  table: Owned,
  ownerId: string,
  { q, cursor, order = 'asc' }: ListQuery,
  column: SQL | undefined,
  type: string,
): { where: SQL | undefined; orderBy: SQL[] } {
  const found = q === undefined ? undefined : matches(table, q)
  const isDown = order === 'desc'
  const by = isDown ? desc : asc
  const after = cursor === undefined ? undefined : column === undefined ? cursor : placeOf(cursor)
  const below = (value: SQL | AnyColumn, bound: SQL): SQL =>
    isDown ? sql`${value} < ${bound}` : sql`${value} > ${bound}`
  const start =
    typeof after === 'string'
      ? isDown
        ? below(table.id, sql`${after}`)
        : gt(table.id, after)
      : after === undefined
        ? undefined
        : below(sql`(${column}, ${table.id})`, sql`(${after[0]}::text::${sql.raw(type)}, ${after[1]}::text)`)
  return {
    where: and(eq(table.ownerId, ownerId), found, start),
    orderBy: [...(column === undefined ? [] : [by(column)]), by(table.id)],
  }
}

function matches({ name, id }: Owned, q: string): SQL | undefined {
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`
  return or(sql`${name} ILIKE ${pattern}`, eq(id, q))
}

/** Rows with the text of the column by which they are sorted; one more than the page shows that there is a next one. */
export function pageOfSorted<T extends { id: string }>(
  rows: (T & { sortValue: string | null })[],
  limit: number,
  isSorted: boolean,
): Page<T> {
  const last = rows[limit - 1]
  const nextCursor =
    rows.length <= limit || last === undefined
      ? null
      : isSorted
        ? Buffer.from(JSON.stringify([last.sortValue, last.id])).toString('base64url')
        : last.id
  return { items: rows.slice(0, limit).map(({ sortValue: _, ...row }) => row as unknown as T), nextCursor }
}
