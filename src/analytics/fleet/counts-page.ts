/** Pages of counted names, such as tags and channels. */
import { invalidField } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'

export type CountsQuery = { q: string | undefined; limit: number; cursor: string | undefined }
export type CountsPage<T> = { items: T[]; nextCursor: string | null }

/** @throws AppError VALIDATION_FAILED */
export async function countsPage<T>(
  all: readonly T[],
  nameOf: (item: T) => string,
  { q, limit, cursor }: CountsQuery,
): Promise<CountsPage<T>> {
  if (cursor !== undefined && !/^o\d{1,9}$/.test(cursor))
    throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
  const start = Number(cursor?.slice(1) ?? 0)
  const wanted = q?.toLowerCase() ?? ''
  const items: T[] = []
  let matching = 0
  await inTurns(all.length, (i) => {
    const item = all[i] as T
    if (wanted !== '' && !nameOf(item).toLowerCase().includes(wanted)) return
    if (matching >= start && items.length < limit) items.push(item)
    matching++
  })
  const end = start + items.length
  return { items, nextCursor: end < matching ? `o${end}` : null }
}
