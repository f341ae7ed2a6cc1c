/** Filters, order and counts of an enterprise's sensors, from its index in memory. */
import { invalidField } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { compareNames, type Fleet, type FleetRow } from './fleet-index.ts'
import { type FleetValues, unquoted } from './fleet-values.ts'
import { SENSOR_STATES, type SensorState, stateOf } from './sensor-state.ts'
import { sortInTurns } from './sort-in-turns.ts'

export const FLEET_SORTS = ['id', 'name', 'state', 'lastAt', 'refused'] as const
type FleetSort = (typeof FLEET_SORTS)[number]

/** The default order of each sort: the worst state, the newest reading, the most refused first. */
const FIRST_ORDER = { id: 'asc', name: 'asc', state: 'asc', lastAt: 'desc', refused: 'desc' } as const

/** `channel` is the one by whose newest values sensors are sorted. */
export type FleetOrder = { by: FleetSort | 'channel'; channel?: string; isDescending: boolean }

export type FleetQuery = {
  q?: string | undefined
  tag?: string | undefined
  /** Names of states, separated by commas. */
  state?: string | undefined
  /** Ids of the only sensors that are wanted. */
  favourites?: ReadonlySet<string> | undefined
  /** `state` puts the worst first. */
  order: FleetOrder
  values: FleetValues
  limit: number
  cursor?: string | undefined
  offset?: number | undefined
}

export type StateCounts = Record<SensorState, number>
export type Listed = { row: FleetRow; state: SensorState }
export type FleetPage = {
  items: Listed[]
  nextCursor: string | null
  /** Number of sensors that match all filters. */
  total: number
  /** Counts of the sensors that match all filters except the state filter. */
  states: StateCounts
}

export const noStates = (): StateCounts => Object.fromEntries(SENSOR_STATES.map((name) => [name, 0])) as StateCounts

/** @throws AppError VALIDATION_FAILED */
export function statesIn(text: string | undefined): ReadonlySet<number> | undefined {
  if (text === undefined) return undefined
  const wanted = text.split(',').map((name) => SENSOR_STATES.indexOf(name.trim() as SensorState))
  if (wanted.includes(-1))
    throw invalidField('query.state', 'enum', fieldText('listOf', { values: SENSOR_STATES.join(', ') }))
  return new Set(wanted)
}

/** @param sort an order of records, or a channel, which may be in quotes; `-` before it reverses it */
export function fleetOrder(sort = 'id', order?: 'asc' | 'desc'): FleetOrder {
  const isReversed = sort.startsWith('-')
  if (isReversed && order !== undefined)
    throw invalidField('query.order', 'forbidden', fieldText('notTogether', { field: `sort=${sort}` }))
  const name = isReversed ? sort.slice(1) : sort
  const by = FLEET_SORTS.find((one) => one === name)
  const given = isReversed ? 'desc' : order
  if (by !== undefined) return { by, isDescending: (given ?? FIRST_ORDER[by]) === 'desc' }
  return { by: 'channel', channel: unquoted(name), isDescending: given === 'desc' }
}

/** The number by which sensors are sorted, ascending; those without one come last. @param place of the row by name */
function keyOf(
  { by, isDescending }: FleetOrder,
  row: FleetRow,
  state: number,
  values: FleetValues,
  place: number,
): number {
  const sign = isDescending ? -1 : 1
  if (by === 'state') return sign * state
  if (by === 'refused') return sign * row.refused
  const key = by === 'lastAt' ? row.lastMs || Number.NaN : by === 'channel' ? (values.sorted?.[place] ?? Number.NaN) : 0
  return Number.isNaN(key) ? Number.POSITIVE_INFINITY : sign * key
}

type Sortable = { row: FleetRow; key: number }

/** The whole order. Ties of keys are in the order of names. */
function comparison({ by, isDescending }: FleetOrder): (a: Sortable, b: Sortable) => number {
  const sign = isDescending ? -1 : 1
  if (by === 'id') return (a, b) => sign * (a.row.id === b.row.id ? 0 : a.row.id < b.row.id ? -1 : 1)
  if (by === 'name') return (a, b) => sign * compareNames(a.row, b.row)
  return (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : compareNames(a.row, b.row))
}

/** The place at which a value stands or would stand in sorted numbers. */
function placeOf(numbers: Float64Array, value: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A page of rows that are in the order of names. The keys alone are sorted, in 2 ms for 100,000, and then the rows with
 * the keys of the page: sorting all rows took 60 ms.
 */
async function pageByKey(rows: readonly Sortable[], start: number, limit: number): Promise<Sortable[]> {
  if (start >= rows.length) return []
  const keys = Float64Array.from(rows, ({ key }) => key).sort()
  const first = keys[start] as number
  const last = keys[Math.min(start + limit, keys.length) - 1] as number
  const near: Sortable[] = []
  await inTurns(rows.length, (i) => {
    const one = rows[i] as Sortable
    if (one.key >= first && one.key <= last) near.push(one)
  })
  // the sort is stable, so ties stay in the order of names
  const sorted = await sortInTurns(near, (a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
  const before = placeOf(keys, first)
  return sorted.slice(start - before, start - before + limit)
}

/** @param rows in the order of names */
async function pageOf(rows: Sortable[], order: FleetOrder, start: number, limit: number): Promise<Sortable[]> {
  if (order.by === 'name') return (order.isDescending ? rows.reverse() : rows).slice(start, start + limit)
  if (order.by === 'id') return (await sortInTurns(rows, comparison(order))).slice(start, start + limit)
  return pageByKey(rows, start, limit)
}

/**
 * A cursor names the last sensor of a page and the key that it had, because the order changes with every reading: the
 * next page begins after them, wherever they are by then. Its position serves if the sensor was deleted meanwhile.
 */
const cursorAfter = ({ row, key }: Sortable, end: number): string =>
  `k${Buffer.from(JSON.stringify([row.id, Number.isFinite(key) ? key : null, end])).toString('base64url')}`

type Position = { id: string; key: number; end: number }

/** @throws AppError VALIDATION_FAILED */
function positionIn(cursor: string): Position {
  try {
    const [id, key, end] = JSON.parse(Buffer.from(cursor.slice(1), 'base64url').toString()) as unknown[]
    if (cursor.startsWith('k') && typeof id === 'string' && (key === null || typeof key === 'number'))
      if (typeof end === 'number' && Number.isSafeInteger(end) && end >= 0)
        return { id, key: key ?? Number.POSITIVE_INFINITY, end }
  } catch {
    // refused below
  }
  throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
}

/** The place of the first row after a position. */
async function startAfter(
  fleet: Fleet,
  rows: readonly Sortable[],
  order: FleetOrder,
  position: Position,
): Promise<number> {
  const row = fleet.rows.get(fleet.numbers.get(position.id) ?? -1)
  if (row === undefined) return position.end
  const last = { row, key: position.key }
  const compare = comparison(order)
  let before = 0
  await inTurns(rows.length, (i) => {
    if (compare(rows[i] as Sortable, last) <= 0) before++
  })
  return before
}

/** @throws AppError VALIDATION_FAILED */
export async function listFleet(fleet: Fleet, query: FleetQuery, nowMs = Date.now()): Promise<FleetPage> {
  const { tag, favourites, cursor, order, values } = query
  if (cursor !== undefined && query.offset !== undefined)
    throw invalidField('query.offset', 'forbidden', fieldText('notTogether', { field: 'cursor' }))
  const position = cursor === undefined ? undefined : positionIn(cursor)
  const wanted = statesIn(query.state)
  const text = query.q?.toLowerCase()
  const counts = new Array<number>(SENSOR_STATES.length).fill(0)
  const rows: Sortable[] = []
  const byName = values.byName ?? fleet.byName
  await inTurns(byName.length, (i) => {
    const row = byName[i] as FleetRow
    if (text !== undefined && !row.searched.includes(text)) return
    if (tag !== undefined && !row.tags.includes(tag)) return
    if (favourites?.has(row.id) === false) return
    if (!values.matches(i)) return
    const state = stateOf(row, nowMs)
    counts[state] = (counts[state] as number) + 1
    if (wanted?.has(state) !== false) rows.push({ row, key: keyOf(order, row, state, values, i) })
  })
  const start = position === undefined ? (query.offset ?? 0) : await startAfter(fleet, rows, order, position)
  const page = await pageOf(rows, order, start, query.limit)
  const end = start + page.length
  const last = page.at(-1)
  return {
    items: page.map(({ row }) => ({ row, state: SENSOR_STATES[stateOf(row, nowMs)] as SensorState })),
    nextCursor: last !== undefined && end < rows.length ? cursorAfter(last, end) : null,
    total: rows.length,
    states: Object.fromEntries(SENSOR_STATES.map((name, i) => [name, counts[i]])) as StateCounts,
  }
}
