/** Filters, order and counts of an enterprise's sensors, from its index in memory. */
import { invalidField } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Fleet, FleetRow } from './fleet-index.ts'
import { SENSOR_STATES, type SensorState, stateOf } from './sensor-state.ts'
import { sortInTurns } from './sort-in-turns.ts'

export const FLEET_SORTS = ['id', 'name', 'state', 'lastAt', 'refused'] as const
export type FleetSort = (typeof FLEET_SORTS)[number]

/** The default order of each sort: the worst state, the newest reading, the most refused first. */
const FIRST_ORDER = { id: 'asc', name: 'asc', state: 'asc', lastAt: 'desc', refused: 'desc' } as const

export type FleetQuery = {
  q?: string | undefined
  tag?: string | undefined
  /** Names of states, separated by commas. */
  state?: string | undefined
  /** `state` puts the worst first. */
  sort?: FleetSort | undefined
  order?: 'asc' | 'desc' | undefined
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

const byId = (a: FleetRow, b: FleetRow): number => (a.id < b.id ? -1 : 1)
/** Sensors that never sent come last in both directions. */
const byTime = (a: FleetRow, b: FleetRow): number =>
  (a.lastMs === 0 ? 1 : 0) - (b.lastMs === 0 ? 1 : 0) || b.lastMs - a.lastMs
const oldestFirst = (a: FleetRow, b: FleetRow): number =>
  (a.lastMs === 0 ? 1 : 0) - (b.lastMs === 0 ? 1 : 0) || a.lastMs - b.lastMs

/** Ties keep the given order, which is by name. */
async function inOrder(groups: FleetRow[][], sort: FleetSort, isReversed: boolean): Promise<FleetRow[]> {
  if (sort === 'state') return (isReversed ? groups.toReversed() : groups).flat()
  const rows = groups.flat()
  if (sort === 'lastAt') return sortInTurns(rows, isReversed ? oldestFirst : byTime)
  if (sort === 'refused')
    return sortInTurns(rows, (a, b) => (isReversed ? a.refused - b.refused : b.refused - a.refused))
  const sorted = sort === 'id' ? await sortInTurns(rows, byId) : rows
  return isReversed ? sorted.reverse() : sorted
}

/** Positions in the list, because the order changes with every reading. @throws AppError VALIDATION_FAILED */
function offsetOf({ cursor, offset }: FleetQuery): number {
  if (cursor === undefined) return offset ?? 0
  if (offset !== undefined)
    throw invalidField('query.offset', 'forbidden', fieldText('notTogether', { field: 'cursor' }))
  if (!/^o\d{1,9}$/.test(cursor)) throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
  return Number(cursor.slice(1))
}

/** @throws AppError VALIDATION_FAILED */
export async function listFleet({ byName }: Fleet, query: FleetQuery, nowMs = Date.now()): Promise<FleetPage> {
  const offset = offsetOf(query)
  const wanted = statesIn(query.state)
  const sort = query.sort ?? 'id'
  const text = query.q?.toLowerCase()
  const { tag } = query
  const counts = new Array<number>(SENSOR_STATES.length).fill(0)
  // one list for all, unless they are sorted by state
  const groups: FleetRow[][] = sort === 'state' ? SENSOR_STATES.map(() => []) : [[]]
  await inTurns(byName.length, (i) => {
    const row = byName[i] as FleetRow
    if (text !== undefined && !row.searched.includes(text)) return
    if (tag !== undefined && !row.tags.includes(tag)) return
    const state = stateOf(row, nowMs)
    counts[state] = (counts[state] as number) + 1
    if (wanted?.has(state) === false) return
    groups[sort === 'state' ? state : 0]?.push(row)
  })
  const rows = await inOrder(groups, sort, (query.order ?? FIRST_ORDER[sort]) !== FIRST_ORDER[sort])
  const page = rows.slice(offset, offset + query.limit)
  const end = offset + page.length
  return {
    items: page.map((row) => ({ row, state: SENSOR_STATES[stateOf(row, nowMs)] as SensorState })),
    nextCursor: end < rows.length ? `o${end}` : null,
    total: rows.length,
    states: Object.fromEntries(SENSOR_STATES.map((name, i) => [name, counts[i]])) as StateCounts,
  }
}
