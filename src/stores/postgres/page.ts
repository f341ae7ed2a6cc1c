/** Lists by pages, in the order of ids; the cursor is the last id of the page before. */
export type PageQuery = { limit: number; cursor: string | undefined }
export type Page<T> = { items: T[]; nextCursor: string | null }

/** From up to `limit` + 1 rows: one more than asked for tells whether there is a next page. */
export function pageOf<T extends { id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
