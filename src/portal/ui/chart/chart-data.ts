/** The data of a chart: series of the API as columns over one list of times, with gaps where a sensor was silent. */

export type ChartChannel = { name: string; unit: string | null; measurement: 'number' | 'whole' | 'boolean' }

/** `data` of GET …/series. */
export type SeriesAnswer = {
  step: string
  series: { channel: string; agg: string; points: [string, number | string | null][] }[]
}

/** Buckets of one channel, oldest first. */
export type Points = { at: number[]; avg: number[]; min: number[]; max: number[] }
export type ChartData = { stepMs: number; fromMs: number; toMs: number; channels: ReadonlyMap<string, Points> }

/** `undefined`: no point here, and the line continues; `null`: the line ends. */
export type Column = (number | null | undefined)[]
export type Aligned = { x: number[]; columns: ReadonlyMap<string, { avg: Column; min: Column; max: Column }> }

const UNIT_MS: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  mo: 2_629_746_000,
}

/** @param text a step as the API writes it, for example `15m` */
export function stepMsOf(text: string): number {
  const [, count, unit] = /^(\d+)([a-z]+)$/.exec(text) ?? []
  return Number(count ?? 1) * (UNIT_MS[unit ?? 's'] ?? 1_000)
}

export function chartDataOf(answer: SeriesAnswer, fromMs: number, toMs: number): ChartData {
  const byChannel = Map.groupBy(answer.series, ({ channel }) => channel)
  const channels = new Map<string, Points>()
  for (const [name, series] of byChannel) {
    const of = (agg: string) => series.find((one) => one.agg === agg)?.points ?? []
    const [avg, min, max] = [of('avg'), of('min'), of('max')]
    const points: Points = { at: [], avg: [], min: [], max: [] }
    for (const [i, [at, value]] of avg.entries()) {
      // infinite values are texts; a chart cannot show them
      if (typeof value !== 'number') continue
      points.at.push(Date.parse(at))
      points.avg.push(value)
      points.min.push(numberOr(min[i]?.[1], value))
      points.max.push(numberOr(max[i]?.[1], value))
    }
    channels.set(name, points)
  }
  return { stepMs: stepMsOf(answer.step), fromMs, toMs, channels }
}

const numberOr = (value: number | string | null | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise

/** Replaces points that begin at `fromMs` or later with newer data of the same step. */
export function withTail(data: ChartData, tail: ChartData): ChartData {
  const channels = new Map(data.channels)
  for (const [name, newer] of tail.channels) {
    const old = channels.get(name) ?? { at: [], avg: [], min: [], max: [] }
    const first = newer.at[0]
    const end = first === undefined ? old.at.length : old.at.findIndex((at) => at >= first)
    const kept = end < 0 ? old.at.length : end
    channels.set(name, {
      at: [...old.at.slice(0, kept), ...newer.at],
      avg: [...old.avg.slice(0, kept), ...newer.avg],
      min: [...old.min.slice(0, kept), ...newer.min],
      max: [...old.max.slice(0, kept), ...newer.max],
    })
  }
  return { ...data, toMs: tail.toMs, channels }
}

/** Longer steps follow a clock; their buckets come from the server. */
const LONGEST_LOCAL_STEP_MS = 900_000

/**
 * Adds one reading to the newest bucket, or starts a bucket. In a bucket from the server only the range grows, because
 * the number of readings in its average is unknown; the next tail corrects it.
 */
export function withReading(data: ChartData, atMs: number, values: Record<string, number | boolean>): ChartData {
  if (data.stepMs > LONGEST_LOCAL_STEP_MS) return data
  const start = Math.floor(atMs / data.stepMs) * data.stepMs
  const channels = new Map(data.channels)
  for (const [name, text] of Object.entries(values)) {
    const value = Number(text)
    const old = channels.get(name)
    if (old === undefined || start < (old.at.at(-1) ?? 0)) continue
    const isSame = old.at.at(-1) === start
    const kept = isSame ? old.at.length - 1 : old.at.length
    channels.set(name, {
      at: [...old.at.slice(0, kept), start],
      avg: [...old.avg.slice(0, kept), isSame ? (old.avg[kept] as number) : value],
      min: [...old.min.slice(0, kept), isSame ? Math.min(old.min[kept] as number, value) : value],
      max: [...old.max.slice(0, kept), isSame ? Math.max(old.max[kept] as number, value) : value],
    })
  }
  return { ...data, toMs: Math.max(data.toMs, atMs), channels }
}

/** The distance from which two points are not joined. A sensor that missed three readings was silent. */
export function gapMsOf(at: readonly number[], stepMs: number, intervalMs: number | null | undefined): number {
  const distances = at.slice(1).map((ms, i) => ms - (at[i] as number))
  const usual = distances.sort((a, b) => a - b)[Math.floor(distances.length / 2)] ?? stepMs
  // slower than the steps: the distance of the points shows the usual interval
  if (usual > 1.5 * stepMs) return 3 * usual
  return Math.max(1.5 * stepMs, 3 * Math.min(usual, intervalMs ?? usual))
}

/** All channels over one list of times, which the panels share. */
export function align(data: ChartData, intervalMs: number | null | undefined): Aligned {
  const gaps = new Map<string, number[]>()
  const times = new Set<number>()
  for (const [name, { at }] of data.channels) {
    const gapMs = gapMsOf(at, data.stepMs, intervalMs)
    const own: number[] = []
    for (const [i, ms] of at.entries()) {
      times.add(ms)
      const before = at[i - 1]
      if (before !== undefined && ms - before > gapMs) own.push(before + data.stepMs)
    }
    for (const ms of own) times.add(ms)
    gaps.set(name, own)
  }
  const x = [...times].sort((a, b) => a - b)
  const place = new Map(x.map((ms, i) => [ms, i]))
  const columns = new Map<string, { avg: Column; min: Column; max: Column }>()
  for (const [name, points] of data.channels) {
    const empty = (): Column => new Array<number | null | undefined>(x.length).fill(undefined)
    const column = { avg: empty(), min: empty(), max: empty() }
    for (const ms of gaps.get(name) ?? []) {
      const i = place.get(ms) as number
      column.avg[i] = column.min[i] = column.max[i] = null
    }
    for (const [i, ms] of points.at.entries()) {
      const at = place.get(ms) as number
      column.avg[at] = points.avg[i]
      column.min[at] = points.min[i]
      column.max[at] = points.max[i]
    }
    columns.set(name, column)
  }
  return { x, columns }
}

export type Panel = { id: string; unit: string | null; isBoolean: boolean; channels: ChartChannel[] }

/** One panel for each unit, in the order of the channels; booleans have a separate one. */
export function panelsOf(channels: readonly ChartChannel[]): Panel[] {
  const groups = Map.groupBy(channels, ({ unit, measurement }) =>
    measurement === 'boolean' ? 'boolean' : `unit ${unit ?? ''}`,
  )
  return [...groups].map(([id, own]) => ({
    id,
    unit: own[0]?.unit ?? null,
    isBoolean: id === 'boolean',
    channels: own,
  }))
}
