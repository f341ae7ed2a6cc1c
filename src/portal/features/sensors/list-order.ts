/**
 * The list that a person came from, in its order and with its filter: a sensor's page links to the ones before and after.
 * The order stays as it was shown, also when states change meanwhile.
 */
import { api, dataOf } from '../../api/client.ts'

type ListQuery = NonNullable<Parameters<typeof load>[0]>
type Order = { query: ListQuery; ids: (string | undefined)[]; total: number }

const KEY = 'groundwave.sensors'
/** Rows of one answer. */
const MOST = 1_000

const load = (
  query: {
    sort?: string
    order?: 'asc' | 'desc'
    q?: string
    tag?: string
    state?: string
    where?: string
    favourite?: 'true' | 'false'
  },
  offset: number,
  limit: number,
  signal: AbortSignal,
) =>
  dataOf(
    api.GET('/enterprise/v1/assets/sensors', {
      params: { query: { ...query, offset, limit, include: 'state' } },
      signal,
    }),
  )

let known: Order | undefined

/** Keeps a part of the list as it is shown. */
export function keepOrder(
  query: ListQuery,
  offset: number,
  { items, total = 0 }: { items: readonly { id: string }[]; total?: number },
): void {
  if (known === undefined || JSON.stringify(known.query) !== JSON.stringify(query)) {
    known = { query, ids: [], total }
    // a reload of a sensor's page keeps the list
    sessionStorage.setItem(KEY, JSON.stringify(query))
  }
  known.total = total
  for (const [i, { id }] of items.entries()) known.ids[offset + i] = id
}

export type Neighbours = { before: string | undefined; after: string | undefined; number: number; total: number }

/** @returns undefined for a sensor that is not in the list, or too far from its start to be found */
export async function neighboursOf(id: string, signal: AbortSignal): Promise<Neighbours | undefined> {
  if (!known?.ids.includes(id)) {
    const query = JSON.parse(sessionStorage.getItem(KEY) ?? '{"sort":"state"}') as ListQuery
    keepOrder(query, 0, await load(query, 0, MOST, signal))
  }
  if (known === undefined) return undefined
  const { query, ids, total } = known
  const index = ids.indexOf(id)
  if (index < 0) return undefined
  for (const at of [index - 1, index + 1])
    if (at >= 0 && at < total && ids[at] === undefined) keepOrder(query, at, await load(query, at, 1, signal))
  return { before: ids[index - 1], after: ids[index + 1], number: index + 1, total }
}
