/** Pages of lists, ordered by id; the cursor is the last id of the previous page. */
export type PageQuery = { limit: number; cursor: string | undefined }
export type Page<T> = { items: T[]; nextCursor: string | null }

/** Takes up to `limit` + 1 rows; the extra row shows that there is a next page. */
export function pageOf<T extends { id: string }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
