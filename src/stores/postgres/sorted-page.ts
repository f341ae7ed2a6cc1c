/** Pages of lists that are sorted by a column: the cursor holds the sorted value and the id of the last row. */
import { type SQL, sql } from 'drizzle-orm'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Page } from './page.ts'

export type SortedQuery<Sort extends string> = {
  limit: number
  cursor: string | undefined
  sort: Sort
  order: 'asc' | 'desc'
}

/** The columns of a sort, all with the cast that their text in a cursor needs. The last one is the id. */
export type SortKey = readonly { column: SQL; type: 'text' | 'bigint' | 'date' | 'timestamptz' }[]

type Cursor = { sort: string; values: string[] }

const makeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** A cursor is a caller's text: a value that PostgreSQL cannot cast would be an error of the server. */
const FORMS = {
  text: /^/,
  bigint: /^-?\d{1,18}$/,
  date: /^(?!0000)\d{4}-\d\d-\d\d$/,
  timestamptz: /^(?!0000)\d{4}-\d\d-\d\d ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?[+-](0\d|1[0-4])(:[0-5]\d)?$/,
}

function isOfType(value: string, type: keyof typeof FORMS): boolean {
  if (!FORMS[type].test(value)) return false
  if (type === 'text' || type === 'bigint') return true
  const day = value.slice(0, 10)
  const ms = Date.parse(`${day}T00:00:00Z`)
  // some programs read the 31st of February as a day in March
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}

export function readCursor(text: string | undefined, sort: string, key: SortKey): string[] | undefined {
  if (text === undefined) return undefined
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Cursor
    const isOfSort = cursor.sort === sort && cursor.values.length === key.length
    const isValue = ({ type }: SortKey[number], i: number): boolean => {
      const value = cursor.values[i]
      return typeof value === 'string' && isOfType(value, type)
    }
    if (isOfSort && key.every(isValue)) return cursor.values
  } catch {
    // not a cursor of this list
  }
  throw invalidField('query.cursor', 'cursor', fieldText('sameSort'))
}

/** The texts of the sort's columns, from which the next cursor is made. */
export const cursorColumn = (key: SortKey): SQL =>
  sql`jsonb_build_array(${sql.join(
    key.map(({ column }) => sql`${column}::text`),
    sql`, `,
  )})::text AS at`

export function afterCursor(key: SortKey, order: 'asc' | 'desc', values: string[] | undefined): SQL | undefined {
  if (values === undefined) return undefined
  const columns = sql.join(
    key.map(({ column }) => column),
    sql`, `,
  )
  const given = sql.join(
    key.map(({ type }, i) => sql`${values[i]}::${sql.raw(type)}`),
    sql`, `,
  )
  return order === 'asc' ? sql`(${columns}) > (${given})` : sql`(${columns}) < (${given})`
}

export const orderOf = (key: SortKey, order: 'asc' | 'desc'): SQL =>
  sql.join(
    key.map(({ column }) => sql`${column} ${sql.raw(order)}`),
    sql`, `,
  )

/** A text as part of a LIKE pattern. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** @param rows one extra row shows that there is a next page; `at` is `cursorColumn` */
export function pageOfRows<Row extends { at: string }, T>(
  rows: Row[],
  limit: number,
  sort: string,
  of: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return {
    items: shown.map(of),
    nextCursor: hasMore ? makeCursor({ sort, values: JSON.parse(last.at) as string[] }) : null,
  }
}
