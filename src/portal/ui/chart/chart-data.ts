/** The data of a chart: series of the API as columns over one list of times, with gaps where a sensor was silent. */

export type ChartChannel = {
  /** Distinguishes it from the others of the chart. */
  name: string
  unit: string | null
  measurement: 'number' | 'whole' | 'boolean'
  /** In a chart of several sensors: whose channel it is, and its name there. */
  of?: { sensorId: string; channel: string }
  /** Shown instead of the name. */
  label?: string
  /** In a chart of several sensors: shown before the name. */
  sensor?: string
  /** From 0; by default a colour for each channel, and no dash. */
  color?: number
  dash?: number
}

/** `data` of GET …/series. */
export type SeriesAnswer = {
  step: string
  series: { sensorId: string; channel: string; agg: string; points: [string, number | string | null][] }[]
}

/** Buckets of one channel, oldest first, and how many readings each has. */
export type Points = { at: number[]; avg: number[]; min: number[]; max: number[]; count: number[] }
/** A point shows one reading, the mean of several, or a figure of another kind for its step. */
export type PointKind = 'readings' | 'means' | 'figures'
export type ChartData = {
  stepMs: number
  fromMs: number
  toMs: number
  channels: ReadonlyMap<string, Points>
  /** For data that are no readings. */
  kind?: PointKind
}

export const kindOf = ({ kind, channels }: ChartData): PointKind =>
  kind ?? ([...channels.values()].every(({ count }) => count.every((n) => n <= 1)) ? 'readings' : 'means')

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

/** @param answer each series with the name of its channel in the chart */
export function chartDataOf(
  answer: { step: string; series: (SeriesAnswer['series'][number] & { name: string })[] },
  fromMs: number,
  toMs: number,
): ChartData {
  const byChannel = Map.groupBy(answer.series, ({ name }) => name)
  const channels = new Map<string, Points>()
  for (const [name, series] of byChannel) {
    const of = (agg: string) => series.find((one) => one.agg === agg)?.points ?? []
    const [avg, min, max, count] = [of('avg'), of('min'), of('max'), of('count')]
    const points: Points = { at: [], avg: [], min: [], max: [], count: [] }
    for (const [i, [at, value]] of avg.entries()) {
      // infinite values are texts; a chart cannot show them
      if (typeof value !== 'number') continue
      points.at.push(Date.parse(at))
      points.avg.push(value)
      points.min.push(numberOr(min[i]?.[1], value))
      points.max.push(numberOr(max[i]?.[1], value))
      points.count.push(numberOr(count[i]?.[1], 1))
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
    const old = channels.get(name) ?? { at: [], avg: [], min: [], max: [], count: [] }
    const first = newer.at[0]
    const end = first === undefined ? old.at.length : old.at.findIndex((at) => at >= first)
    const kept = end < 0 ? old.at.length : end
    channels.set(name, {
      at: [...old.at.slice(0, kept), ...newer.at],
      avg: [...old.avg.slice(0, kept), ...newer.avg],
      min: [...old.min.slice(0, kept), ...newer.min],
      max: [...old.max.slice(0, kept), ...newer.max],
      count: [...old.count.slice(0, kept), ...newer.count],
    })
  }
  return { ...data, toMs: tail.toMs, channels }
}

/** Longer steps follow a clock; their buckets come from the server. */
const LONGEST_LOCAL_STEP_MS = 900_000

/**
 * Adds one reading to the newest bucket, or starts a bucket. In a bucket from the server only the range grows, because
 * the server may have counted the reading already; the next tail corrects it.
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
      count: [...old.count.slice(0, kept), isSame ? (old.count[kept] as number) : 1],
    })
  }
  return { ...data, toMs: Math.max(data.toMs, atMs), channels }
}

/** Distances on each side of a distance that show the sensor's rhythm there. */
const AROUND = 5

/**
 * Indexes of points that are not joined with the point before: the sensor missed three readings of its rhythm in that
 * stretch. A sensor may have been slower before, so the whole range has no common rhythm.
 */
export function gapsOf({ at, count }: Points, stepMs: number): number[] {
  const distances = at.slice(1).map((ms, i) => ms - (at[i] as number))
  const intervals = distances.map((distance, i) => distance / Math.max(1, count[i] ?? 1))
  return distances.flatMap((distance, i) => {
    const before = intervals.slice(Math.max(0, i - AROUND), i)
    const after = intervals.slice(i + 1, i + 1 + AROUND)
    // one distance alone is no rhythm, unless there is nothing else
    const sides = [before, after].filter(({ length }) => length > 1)
    const usual = sides.length > 0 ? Math.max(...sides.map(median)) : median([...before, ...after])
    return distance > Math.max(1.5 * stepMs, 3 * usual) ? [i + 1] : []
  })
}

/** @returns Infinity for nothing */
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY

/** All channels over one list of times, which the panels share. */
export function align(data: ChartData): Aligned {
  const gaps = new Map<string, number[]>()
  const times = new Set<number>()
  for (const [name, points] of data.channels) {
    const own = gapsOf(points, data.stepMs).map((i) => (points.at[i - 1] as number) + data.stepMs)
    for (const ms of [...points.at, ...own]) times.add(ms)
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
