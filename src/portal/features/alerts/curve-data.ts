/** The courses and the units of the values that alerts are about. */
import { channelParameters } from '../../api/channel-parameters.ts'
import { send } from '../../api/client.ts'
import type { SeriesAnswer } from '../../ui/chart/chart-data.ts'
import type { Alert } from './alert-data.ts'
import { channelsOf, type Rule } from './rule-data.ts'
import { loadSensorTable } from './sensor-table.ts'

export const CURVE_MS = 6 * 3_600_000
const STEP_MS = 5 * 60_000

/** `values` are equally far apart, oldest first, and the newest is of now. */
export type Curve = { channel: string; unit: string | null; values: (number | null)[] }
/** By `key`. */
export type Curves = ReadonlyMap<string, Curve>

const key = (sensorId: string, channel: string): string => `${sensorId} ${channel}`

/** The channel whose value an alert has; none for rules about places, and about all of a sensor. */
const channelOf = (alert: Alert, rules: ReadonlyMap<string, Rule>): string | undefined => {
  const rule = rules.get(alert.ruleId)
  return (rule && channelsOf(rule)[0]) ?? Object.keys(alert.values)[0]
}

export function curveOf(alert: Alert, rules: ReadonlyMap<string, Rule>, curves: Curves | undefined): Curve | undefined {
  const channel = channelOf(alert, rules)
  return channel === undefined ? undefined : curves?.get(key(alert.sensorId, channel))
}

/** @param isBare only the units are wanted */
export async function loadCurves(
  alerts: readonly Alert[],
  rules: ReadonlyMap<string, Rule>,
  { isBare = false, signal }: { isBare?: boolean; signal: AbortSignal },
): Promise<Curves> {
  const wanted = alerts.flatMap((alert) => {
    const channel = channelOf(alert, rules)
    // names are null for deleted sensors
    return channel === undefined || alert.sensorName === null ? [] : [{ channel, sensorId: alert.sensorId }]
  })
  const byChannel = Map.groupBy(wanted, ({ channel }) => channel)
  const curves = new Map<string, Curve>()
  const toMs = Math.ceil(Date.now() / STEP_MS) * STEP_MS
  // a list is complete without a course, for example of a channel that was removed
  await Promise.allSettled([
    loadUnits(wanted, signal).then((units) => {
      for (const [id, unit] of units) curves.set(id, { values: [], ...curves.get(id), ...unit })
    }),
    ...(isBare ? [] : [...byChannel]).map(async ([channel, of]) => {
      const ids = [...new Set(of.map(({ sensorId }) => sensorId))]
      for (const { sensorId, points } of (await loadSeries(ids, channel, toMs, signal)).series) {
        const id = key(sensorId, channel)
        curves.set(id, { channel, unit: null, ...curves.get(id), values: spread(points, toMs) })
      }
    }),
  ])
  return curves
}

async function loadSeries(
  sensorIds: readonly string[],
  channel: string,
  toMs: number,
  signal: AbortSignal,
): Promise<SeriesAnswer> {
  const query = new URLSearchParams({
    sensors: sensorIds.join(),
    from: new Date(toMs - CURVE_MS).toISOString(),
    to: new Date(toMs).toISOString(),
    step: `${STEP_MS / 1000}s`,
    agg: 'avg',
  })
  for (const name of channelParameters([channel])) query.append('channel', name)
  const response = await send(`/enterprise/v1/assets/series?${query}`, { signal })
  return ((await response.json()) as { data: SeriesAnswer }).data
}

/** A value for each step; a step without readings has none. */
function spread(points: SeriesAnswer['series'][number]['points'], toMs: number): (number | null)[] {
  const values = new Array<number | null>(CURVE_MS / STEP_MS).fill(null)
  for (const [at, value] of points)
    if (typeof value === 'number') values[Math.floor((Date.parse(at) - (toMs - CURVE_MS)) / STEP_MS)] = value
  return values
}

async function loadUnits(
  wanted: readonly { sensorId: string; channel: string }[],
  signal: AbortSignal,
): Promise<Map<string, { channel: string; unit: string | null }>> {
  const units = new Map<string, { channel: string; unit: string | null }>()
  const sensorIds = [...new Set(wanted.map(({ sensorId }) => sensorId))]
  const channels = [...new Set(wanted.map(({ channel }) => channel))]
  for (const { sensorId, values } of await loadSensorTable(sensorIds, channels, signal))
    for (const [i, found] of values.entries()) {
      const channel = channels[i] as string
      units.set(key(sensorId, channel), { channel, unit: found?.unit ?? null })
    }
  return units
}
