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
  /** `state` puts the worst first. */
  order: FleetOrder
  values: FleetValues
  limit: number
  cursor?: string | undefined
  offset?: number | undefined
}

export type StateCounts = Record<SensorState, number>
/** `key` is the number by which the list is sorted; NaN comes last. */
export type Listed = { row: FleetRow; state: SensorState; key: number }
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

const keyOf = (by: FleetOrder['by'], row: FleetRow, state: number, values: FleetValues): number => {
  if (by === 'state') return state
  if (by === 'lastAt') return row.lastMs === 0 ? Number.NaN : row.lastMs
  if (by === 'refused') return row.refused
  return by === 'channel' ? (values.sorted?.get(row.number) ?? Number.NaN) : 0
}

type Compare = (a: Listed, b: Listed) => number

function byKey(isDescending: boolean): Compare {
  const sign = isDescending ? -1 : 1
  return ({ key: a }, { key: b }) =>
    Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : sign * (a - b)
}

/** The whole order, with ties by name. */
function comparison({ by, isDescending }: FleetOrder): Compare {
  const sign = isDescending ? -1 : 1
  if (by === 'id') return (a, b) => sign * (a.row.id === b.row.id ? 0 : a.row.id < b.row.id ? -1 : 1)
  if (by === 'name') return (a, b) => sign * compareNames(a.row, b.row)
  const first = byKey(isDescending)
  return (a, b) => first(a, b) || compareNames(a.row, b.row)
}

/** @param groups rows in the order of names, one group for each state if they are sorted by it */
async function sorted(groups: Listed[][], order: FleetOrder): Promise<Listed[]> {
  if (order.by === 'state') return (order.isDescending ? groups.toReversed() : groups).flat()
  const rows = groups.flat()
  if (order.by === 'name') return order.isDescending ? rows.reverse() : rows
  // the sort is stable, so ties stay in the order of names
  return sortInTurns(rows, order.by === 'id' ? comparison(order) : byKey(order.isDescending))
}

/**
 * A cursor names the last sensor of a page and the key that it had, because the order changes with every reading: the
 * next page begins after them, wherever they are by then. Its position serves if the sensor was deleted meanwhile.
 */
const cursorAfter = ({ row, key }: Listed, end: number): string =>
  `k${Buffer.from(JSON.stringify([row.id, Number.isNaN(key) ? null : key, end])).toString('base64url')}`

type Position = { id: string; key: number; end: number }

/** @throws AppError VALIDATION_FAILED */
function positionIn(cursor: string): Position {
  try {
    const [id, key, end] = JSON.parse(Buffer.from(cursor.slice(1), 'base64url').toString()) as unknown[]
    if (cursor.startsWith('k') && typeof id === 'string' && (key === null || typeof key === 'number'))
      if (typeof end === 'number' && Number.isSafeInteger(end) && end >= 0) return { id, key: key ?? Number.NaN, end }
  } catch {
    // refused below
  }
  throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
}

/** The place of the first row after a position. */
function placeAfter(rows: readonly Listed[], last: Listed, compare: Compare): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(rows[middle] as Listed, last) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** @throws AppError VALIDATION_FAILED */
export async function listFleet(fleet: Fleet, query: FleetQuery, nowMs = Date.now()): Promise<FleetPage> {
  const { tag, cursor, order, values } = query
  if (cursor !== undefined && query.offset !== undefined)
    throw invalidField('query.offset', 'forbidden', fieldText('notTogether', { field: 'cursor' }))
  const position = cursor === undefined ? undefined : positionIn(cursor)
  const wanted = statesIn(query.state)
  const text = query.q?.toLowerCase()
  const counts = new Array<number>(SENSOR_STATES.length).fill(0)
  // one list for all, unless they are sorted by state
  const groups: Listed[][] = order.by === 'state' ? SENSOR_STATES.map(() => []) : [[]]
  await inTurns(fleet.byName.length, (i) => {
    const row = fleet.byName[i] as FleetRow
    if (text !== undefined && !row.searched.includes(text)) return
    if (tag !== undefined && !row.tags.includes(tag)) return
    if (!values.matches(row.number)) return
    const state = stateOf(row, nowMs)
    counts[state] = (counts[state] as number) + 1
    if (wanted?.has(state) === false) return
    const key = keyOf(order.by, row, state, values)
    groups[order.by === 'state' ? state : 0]?.push({ row, state: SENSOR_STATES[state] as SensorState, key })
  })
  const rows = await sorted(groups, order)
  const last = position && fleet.rows.get(fleet.numbers.get(position.id) ?? -1)
  const start =
    last === undefined
      ? (position?.end ?? query.offset ?? 0)
      : placeAfter(rows, { row: last, state: 'new', key: (position as Position).key }, comparison(order))
  const items = rows.slice(start, start + query.limit)
  const end = start + items.length
  const final = items.at(-1)
  return {
    items,
    nextCursor: final !== undefined && end < rows.length ? cursorAfter(final, end) : null,
    total: rows.length,
    states: Object.fromEntries(SENSOR_STATES.map((name, i) => [name, counts[i]])) as StateCounts,
  }
}
