/**
 * The data of one panel of a dashboard. A panel is the whole question, so a share link can answer for the panels of its
 * document and for nothing else. Sensors are chosen from the fleet in memory, of any size.
 */
import { invalidField } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { formatTimestamp, MS_PER_DAY } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { type Aggregate, type SeriesRequest, seriesBetween } from '../../stores/clickhouse/queries/series.ts'
import { latestOf } from '../../stores/clickhouse/readings.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type ChannelRecord, findSensors, type Sensor } from '../../stores/postgres/sensors/sensors.ts'
import type { FleetIndexes, FleetRow } from '../fleet/fleet-index.ts'
import { noStates } from '../fleet/fleet-list.ts'
import type { SensorIndexes } from '../fleet/sensor-index.ts'
import { SENSOR_STATES, type SensorState, stateOf } from '../fleet/sensor-state.ts'
import { livePositions } from '../live.ts'
import { type Enterprise, valueIn } from '../readings.ts'
import { bucketsOf, membersOf, resolutionOf } from '../series.ts'
import { niceStep } from '../step.ts'
import { oldestVisibleMs, type TimeRange } from '../time-range.ts'
import type { DashboardDocument, DashboardPanel } from './dashboard-document.ts'

export type PanelSources = {
  db: Database
  clickhouse: ClickHouse
  fleets: FleetIndexes
  sensorIndexes: SensorIndexes
}
export type PanelQuery = {
  range: TimeRange
  /** Most buckets of a chart. */
  points: number
  variables: NonNullable<DashboardDocument['variables']>
}
type Owner = Enterprise & { id: string }

/** The portal has this many colours. */
const MAX_LINES = 6
/** Sensors whose readings one panel reads. */
const MAX_READ = 1_000
const MAX_ROWS = 100
const MAX_POSITIONS = 5_000
/** A number folds these buckets, which the rollups hold. */
const NUMBER_POINTS = 100

/** @throws AppError VALIDATION_FAILED for a panel that would read too many sensors */
export async function panelData(
  sources: PanelSources,
  owner: Owner,
  panel: DashboardPanel,
  query: PanelQuery,
  signal: AbortSignal,
): Promise<object> {
  switch (panel.type) {
    case 'chart':
      return chart(sources, owner, panel, query, signal)
    case 'number':
      return figure(sources, owner, panel, query, signal)
    case 'table':
      return table(sources, owner, panel, query, signal)
    case 'states':
      return states(sources, owner, panel, query)
    case 'map':
      return positions(sources, owner, panel, query, signal)
  }
}

/** The sensors of a panel, in the order of names. */
async function chosen(
  byName: readonly FleetRow[],
  { sensors = {} }: DashboardPanel,
  { variables }: PanelQuery,
): Promise<FleetRow[]> {
  const ids = sensors.sensorIds && new Set(sensors.sensorIds)
  const tags = [sensors.tag, sensors.variables ? variables.tag : undefined].filter((tag) => tag !== undefined)
  const assets = [sensors.assetId, sensors.variables ? variables.assetId : undefined].filter((id) => id !== undefined)
  const rows: FleetRow[] = []
  await inTurns(byName.length, (i) => {
    const row = byName[i] as FleetRow
    if (ids?.has(row.id) === false) return
    if (tags.every((tag) => row.tags.includes(tag)) && assets.every((id) => row.assetId === id)) rows.push(row)
  })
  return rows
}

/** The records of sensors in the order of the rows. @throws AppError VALIDATION_FAILED for too many */
async function recordsOf(db: Database, owner: Owner, rows: readonly FleetRow[]): Promise<Sensor[]> {
  if (rows.length > MAX_READ)
    throw invalidField('body.panel.sensors', 'maxItems', fieldText('sensorsOfPanel', { most: MAX_READ }))
  if (rows.length === 0) return []
  const found = await findSensors(
    db,
    owner.id,
    rows.map(({ id }) => id),
    rows.length,
  )
  const byId = new Map(found.map((sensor) => [sensor.id, sensor]))
  return rows.flatMap(({ id }) => byId.get(id) ?? [])
}

const activeIn = (sensor: Sensor, name: string): ChannelRecord | undefined =>
  sensor.channels.find((channel) => channel.active && channel.name === name)

function requestOf(owner: Owner, { fromMs, toMs }: TimeRange, points: number) {
  const step = niceStep(toMs - fromMs, points - 1)
  const buckets = bucketsOf(step, 'UTC', { fromMs, toMs })
  const visibleMs = Math.max(fromMs, oldestVisibleMs(owner))
  return {
    step,
    request: {
      fromMs: visibleMs,
      toMs: Math.max(visibleMs, toMs),
      resolution: resolutionOf(buckets, { fromMs, toMs }),
      buckets,
    } satisfies Partial<SeriesRequest>,
  }
}

async function chart(
  { db, clickhouse, fleets }: PanelSources,
  owner: Owner,
  panel: DashboardPanel,
  query: PanelQuery,
  signal: AbortSignal,
) {
  const isOverAll = panel.over === 'sensors'
  const { byName } = await (isOverAll ? fleets.named(owner) : fleets.of(owner))
  const rows = await chosen(byName, panel, query)
  const names = panel.channels ?? []
  const read = isOverAll ? rows : await firstWithReadings(rows)
  const sensors = (await recordsOf(db, owner, read)).filter((sensor) => names.some((name) => activeIn(sensor, name)))
  const lines = Math.max(1, Math.floor(MAX_LINES / Math.max(1, names.length)))
  const shown = isOverAll ? sensors : sensors.slice(0, lines)
  const all = membersOf(shown, names)
  const { step, request } = requestOf(owner, query.range, query.points)
  const aggregates: Aggregate[] = [panel.agg ?? 'avg']
  const members = all.flatMap(({ sensor, channel, numbers }, i) =>
    numbers.map((number) => ({
      series: isOverAll ? names.indexOf(channel) : i,
      sensor: sensor.number,
      channel: number,
    })),
  )
  const { points } = await seriesBetween(clickhouse, { ...request, aggregates, members }, signal)
  const heads = isOverAll
    ? names.map((channel) => ({ channel, sensor: shown.find((sensor) => activeIn(sensor, channel)) }))
    : all
  return {
    sensors: rows.length,
    shownSensors: shown.length,
    stepMs: step.kind === 'seconds' ? step.seconds * 1000 : step.count * MS_PER_DAY,
    series: heads.map(({ sensor, channel }, i) => {
      const record = sensor && activeIn(sensor, channel)
      const found = points[i] ?? { starts: [], values: [] }
      return {
        sensorId: isOverAll ? null : (sensor?.id ?? null),
        sensorName: isOverAll ? null : (sensor?.name ?? null),
        channel,
        unit: record?.unit ?? null,
        measurement: record?.measurement ?? 'number',
        // a chart cannot show what is beyond the range of a double
        points: found.starts.flatMap((ms, at) => {
          const value = found.values[0]?.[at]
          return value !== undefined && Number.isFinite(value) ? [[formatTimestamp(ms), value]] : []
        }),
      }
    }),
  }
}

/** The first sensors by name; sensors that never sent come last, because they would take the place of a line. */
async function firstWithReadings(rows: readonly FleetRow[]): Promise<FleetRow[]> {
  const [sending, others]: [FleetRow[], FleetRow[]] = [[], []]
  await inTurns(rows.length, (i) => {
    const row = rows[i] as FleetRow
    ;(row.lastMs > 0 ? sending : others).push(row)
  })
  return sending.concat(others).slice(0, MAX_ROWS)
}

const FOLDED: Aggregate[] = ['sum', 'count', 'min', 'max', 'last']

async function figure(
  { db, clickhouse, fleets }: PanelSources,
  owner: Owner,
  panel: DashboardPanel,
  query: PanelQuery,
  signal: AbortSignal,
) {
  const [name = ''] = panel.channels ?? []
  const rows = await chosen((await fleets.named(owner)).byName, panel, query)
  const sensors = (await recordsOf(db, owner, rows)).filter((sensor) => activeIn(sensor, name))
  const [only] = sensors
  const channel = only && activeIn(only, name)
  const agg = panel.agg ?? (sensors.length > 1 ? 'avg' : 'last')
  const members = membersOf(sensors, [name]).flatMap(({ sensor, numbers }) =>
    numbers.map((number) => ({ series: 0, sensor: sensor.number, channel: number })),
  )

  async function over(range: TimeRange): Promise<number | null> {
    const { request } = requestOf(owner, range, NUMBER_POINTS)
    const { points } = await seriesBetween(clickhouse, { ...request, aggregates: FOLDED, members }, signal)
    const [sum = [], count = [], min = [], max = [], last = []] = points[0]?.values ?? []
    if (sum.length === 0) return null
    const total = (values: number[]): number => values.reduce((all, value) => all + value, 0)
    switch (agg) {
      case 'sum':
        return total(sum)
      case 'min':
        return min.reduce((least, value) => Math.min(least, value))
      case 'max':
        return max.reduce((most, value) => Math.max(most, value))
      case 'last':
        return last.at(-1) ?? null
      default:
        return total(sum) / total(count)
    }
  }
  /** The newest value of all sensors, whenever it was. */
  async function newest(): Promise<{ value: number; ms: number } | undefined> {
    const numbers = sensors.map(({ number }) => number)
    const latest = await latestOf(clickhouse, owner.number, numbers, oldestVisibleMs(owner), signal)
    let found: { value: number; ms: number } | undefined
    for (const { sensor, channel: number } of members)
      for (const [own, value, ms] of latest.get(sensor)?.values ?? [])
        if (own === number && ms > (found?.ms ?? 0)) found = { value, ms }
    return found
  }
  const { fromMs, toMs } = query.range
  const before = { fromMs: fromMs - (toMs - fromMs), toMs: fromMs }
  const isCompared = panel.compare !== 'none' && sensors.length > 0
  const [last, value, earlier] = await Promise.all([
    sensors.length > 0 ? newest() : undefined,
    agg === 'last' || sensors.length === 0 ? null : over(query.range),
    isCompared ? over(before) : null,
  ])
  return {
    sensors: rows.length,
    shownSensors: sensors.length,
    agg,
    channel: name,
    unit: channel?.unit ?? null,
    measurement: channel?.measurement ?? 'number',
    value: agg === 'last' ? (last?.value ?? null) : value,
    lastAt: last === undefined ? null : formatTimestamp(last.ms),
    before: earlier,
  }
}

async function table(
  { db, clickhouse, fleets }: PanelSources,
  owner: Owner,
  panel: DashboardPanel,
  query: PanelQuery,
  signal: AbortSignal,
) {
  const nowMs = Date.now()
  const named = await chosen((await fleets.of(owner)).byName, panel, query)
  const names = panel.channels ?? []
  const { sort = 'worst' } = panel
  const byValue = sort === 'highest' || sort === 'lowest'
  const sorted = sort === 'worst' ? (await byState(named, nowMs)).flat() : named
  const rows = byValue ? sorted : sorted.slice(0, MAX_ROWS)
  const read = await recordsOf(db, owner, rows)
  const numbers = read.map(({ number }) => number)
  const latest = await latestOf(clickhouse, owner.number, numbers, oldestVisibleMs(owner), signal)
  const facts = new Map(rows.map((row) => [row.id, row]))
  const items = read.map((sensor) => {
    const row = facts.get(sensor.id) as FleetRow
    const stored = latest.get(sensor.number)?.values ?? []
    return {
      sensorId: sensor.id,
      sensorName: sensor.name,
      assetName: sensor.assetName,
      state: SENSOR_STATES[stateOf(row, nowMs)] as SensorState,
      lastAt: row.lastMs === 0 ? null : formatTimestamp(row.lastMs),
      values: names.map((name) => {
        const channel = activeIn(sensor, name)
        const found = channel && stored.find(([number]) => number === channel.number)
        if (channel === undefined || found === undefined) return null
        return { value: valueIn(channel, found[1]), unit: channel.unit, at: formatTimestamp(found[2]) }
      }),
    }
  })
  if (byValue) {
    const of = (item: (typeof items)[number]): number => Number(item.values[0]?.value ?? Number.NaN)
    const sign = sort === 'highest' ? -1 : 1
    // sensors without a value come last
    items.sort((a, b) => Number(Number.isNaN(of(a))) - Number(Number.isNaN(of(b))) || sign * (of(a) - of(b)) || 0)
  }
  return { sensors: named.length, channels: names, items: items.slice(0, MAX_ROWS) }
}

/** The rows of each state, the worst first. */
async function byState(rows: readonly FleetRow[], nowMs: number): Promise<FleetRow[][]> {
  const groups: FleetRow[][] = SENSOR_STATES.map(() => [])
  await inTurns(rows.length, (i) => {
    const row = rows[i] as FleetRow
    groups[stateOf(row, nowMs)]?.push(row)
  })
  return groups
}

async function states({ fleets }: PanelSources, owner: Owner, panel: DashboardPanel, query: PanelQuery) {
  const nowMs = Date.now()
  const rows = await chosen((await fleets.of(owner)).byName, panel, query)
  const counts = noStates()
  for (const [i, own] of (await byState(rows, nowMs)).entries()) counts[SENSOR_STATES[i] as SensorState] = own.length
  return { sensors: rows.length, states: counts }
}

async function positions(
  { clickhouse, fleets, sensorIndexes }: PanelSources,
  owner: Owner,
  panel: DashboardPanel,
  query: PanelQuery,
  signal: AbortSignal,
) {
  const nowMs = Date.now()
  const [{ byName }, sensorIndex] = await Promise.all([fleets.of(owner), sensorIndexes.of(owner.id)])
  const own = await chosen(byName, panel, query)
  const rows = new Map<string, FleetRow>()
  await inTurns(own.length, (i) => {
    const row = own[i] as FleetRow
    rows.set(row.id, row)
  })
  const found = await livePositions(clickhouse, owner, sensorIndex, undefined, signal)
  const items: object[] = []
  let located = 0
  await inTurns(found.length, (i) => {
    const { sensor, longitude, latitude, ms } = found[i] as (typeof found)[number]
    const row = rows.get(sensor.id)
    if (row === undefined || ++located > MAX_POSITIONS) return
    items.push({
      sensorId: row.id,
      name: row.assetName,
      state: SENSOR_STATES[stateOf(row, nowMs)] as SensorState,
      at: formatTimestamp(ms),
      location: [longitude, latitude],
    })
  })
  return { sensors: rows.size, located, items }
}
