/** Loads the data of a chart: a step that fits the pixels, and new readings as they arrive. */

import { type Signal, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { channelParameters } from '../../api/channel-parameters.ts'
import { ApiError, send } from '../../api/client.ts'
import { type LiveReading, useLive } from '../../live.ts'
import { timeZone } from '../../text/format.ts'
import {
  type ChartChannel,
  type ChartData,
  chartDataOf,
  type SeriesAnswer,
  withReading,
  withTail,
} from './chart-data.ts'
import { lengthOf, type Range } from './range.ts'

/** The API's limit for all series of an answer, which has four for each channel. */
const MAX_ALL_POINTS = 240_000
const MAX_POINTS = 2_000
/** From this length on, buckets begin at hours and days of the person's clock. */
const CLOCK_MS = 2 * 86_400_000
const TAIL_MS = 5_000
const RETRY_MS = 5_000

export type SeriesState = {
  data: Signal<ChartData | undefined>
  error: Signal<ApiError | undefined>
  isLoading: Signal<boolean>
  reload(): void
}

type Wanted = {
  sensorIds: readonly string[]
  channels: readonly ChartChannel[]
  fromMs: number
  toMs: number
  points: number
}

type Named = SeriesAnswer['series'][number] & { name: string }

/** The series of a chart's channels, with their names in the chart. */
async function ask(
  { sensorIds, channels, fromMs, toMs, points }: Wanted,
  step: string,
  agg: string,
  abort: AbortSignal,
): Promise<{ step: string; series: Named[] }> {
  const query = new URLSearchParams({
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    step,
    agg,
  })
  const most = Math.floor(MAX_ALL_POINTS / (4 * Math.max(1, channels.length)))
  if (step === 'auto') query.set('points', String(Math.max(2, Math.min(Math.round(points), MAX_POINTS, most))))
  if (toMs - fromMs > CLOCK_MS || step.endsWith('d')) query.set('tz', timeZone.peek())
  const names = [...new Set(channels.map((channel) => channel.of?.channel ?? channel.name))]
  for (const name of channelParameters(names)) query.append('channel', name)
  const [only = '', ...others] = sensorIds
  if (others.length > 0) query.set('sensors', sensorIds.join(','))
  const path = others.length > 0 ? '/series' : `/sensors/${encodeURIComponent(only)}/series`
  const response = await send(`/enterprise/v1/assets${path}?${query}`, { signal: abort })
  const { data } = (await response.json()) as { data: SeriesAnswer }
  const wanted = new Map(channels.map((one) => [one.of === undefined ? one.name : keyOf(one.of), one.name]))
  const series = data.series.flatMap((one) => {
    const name = wanted.get(channels[0]?.of === undefined ? one.channel : keyOf(one))
    return name === undefined ? [] : [{ ...one, name }]
  })
  return { step: data.step, series }
}

const load = async (wanted: Wanted, step: string, abort: AbortSignal): Promise<ChartData> =>
  chartDataOf(await ask(wanted, step, 'avg,min,max,count', abort), wanted.fromMs, wanted.toMs)

/** The last reading of each channel in the range of a chart, whose points may be means. */
export async function loadLast(
  sensorIds: readonly string[],
  channels: readonly ChartChannel[],
  { channels: points, toMs }: ChartData,
  abort: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const starts = [...points.values()].flatMap(({ at }) => at.at(-1) ?? [])
  if (starts.length === 0) return new Map()
  // the end is exclusive
  const wanted = { sensorIds, channels, fromMs: Math.min(...starts), toMs: toMs + 1, points: 2 }
  const { series } = await ask(wanted, 'auto', 'last', abort)
  return new Map(
    series.flatMap(({ name, points: found }) => {
      const value = found.at(-1)?.[1]
      return typeof value === 'number' ? [[name, value] as const] : []
    }),
  )
}

const keyOf = (of: { sensorId: string; channel: string }): string => `${of.sensorId} ${of.channel}`

const textOf = (stepMs: number): string =>
  stepMs % 86_400_000 === 0 ? `${stepMs / 86_400_000}d` : `${Math.round(stepMs / 1000)}s`

/**
 * @param points of the plot's width; nothing is loaded before it is known
 * @param newestAt the time of the sensor's last reading, from any source of the page: the chart follows it
 */
export function useSeries(
  sensorIds: readonly string[],
  channels: readonly ChartChannel[],
  range: Range,
  points: number | undefined,
  newestAt: string | null | undefined,
): SeriesState {
  const ids = sensorIds.join()
  const state = useMemo(() => {
    const data = signal<ChartData | undefined>(undefined)
    const error = signal<ApiError | undefined>(undefined)
    const isLoading = signal(true)
    let abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let tail: ReturnType<typeof setTimeout> | undefined
    const own = {
      data,
      error,
      isLoading,
      wanted: undefined as { range: Range; channels: readonly ChartChannel[]; points: number } | undefined,
      reload(): void {
        const { wanted } = own
        if (wanted === undefined) return
        const isTailDue = tail !== undefined
        own.stop()
        abort = new AbortController()
        const { signal: aborted } = abort
        const toMs = wanted.range.preset === undefined ? wanted.range.toMs : Date.now()
        const fromMs = toMs - lengthOf(wanted.range)
        isLoading.value = true
        load({ sensorIds, ...wanted, fromMs, toMs }, 'auto', aborted).then(
          (loaded) => {
            if (aborted.aborted) return
            data.value = loaded
            error.value = undefined
            isLoading.value = false
            // a reading that arrived just before is not in this answer yet
            if (isTailDue) own.loadTailLater()
          },
          (failure: unknown) => {
            if (aborted.aborted) return
            error.value = failure instanceof ApiError ? failure : new ApiError(0, 'UNEXPECTED', String(failure))
            isLoading.value = false
            if (error.value.status === 0 || error.value.status === 503) timer = setTimeout(own.reload, RETRY_MS)
          },
        )
      },
      /** Loads the newest buckets again, which new readings change. */
      loadTail(): void {
        const { wanted } = own
        const shown = data.peek()
        tail = undefined
        if (wanted === undefined || shown === undefined) return
        // the old end of a chart that moved by a fifth is dropped
        if (Date.now() - shown.fromMs > 1.2 * lengthOf(wanted.range)) {
          own.reload()
          return
        }
        const newest = Math.max(...[...shown.channels.values()].map(({ at }) => at.at(-1) ?? shown.fromMs))
        const fromMs = Math.max(shown.fromMs, Math.min(newest, shown.toMs) - shown.stepMs)
        const { signal: aborted } = abort
        load({ sensorIds, ...wanted, fromMs, toMs: Date.now() }, textOf(shown.stepMs), aborted).then(
          (loaded) => {
            if (!aborted.aborted && data.peek() !== undefined) data.value = withTail(data.peek() as ChartData, loaded)
          },
          () => {
            // the server is busy, or the connection is lost
            if (!aborted.aborted) tail ??= setTimeout(own.loadTail, RETRY_MS)
          },
        )
      },
      onReading({ sensorId, at, values }: LiveReading): void {
        const atMs = Date.parse(at)
        const shown = data.peek()
        if (shown === undefined || own.wanted?.range.preset === undefined) return
        const { channels } = own.wanted
        const named = Object.entries(values).map(([channel, value]) => {
          const found = channels.find(({ of }) => of?.sensorId === sensorId && of.channel === channel)
          return [found?.name ?? channel, value] as const
        })
        data.value = withReading(shown, atMs, Object.fromEntries(named))
        own.loadTailLater()
      },
      loadTailLater(): void {
        if (own.wanted?.range.preset !== undefined) tail ??= setTimeout(own.loadTail, TAIL_MS)
      },
      stop(): void {
        clearTimeout(timer)
        clearTimeout(tail)
        tail = undefined
        abort.abort()
      },
    }
    return own
  }, [ids])
  const rangeKey = range.preset ?? `${range.fromMs} ${range.toMs}`
  const names = channels.map(({ name }) => name).join('\n')
  const pointsKey = points === undefined ? undefined : Math.round(points / 100)
  // not after the next frame: where drawing is slow, the chart would start a frame later
  useLayoutEffect(() => {
    state.wanted = points === undefined || channels.length === 0 ? undefined : { range, channels, points }
    state.reload()
    return state.stop
  }, [ids, rangeKey, names, pointsKey, timeZone.value])
  useEffect(() => {
    if (state.data.peek() !== undefined) state.loadTailLater()
  }, [newestAt])
  useLive(
    {
      sensors: sensorIds,
      onReadings: (readings) => {
        for (const reading of readings) state.onReading(reading)
      },
      refresh: () => {
        if (state.wanted?.range.preset !== undefined) state.loadTail()
      },
    },
    [ids],
  )
  return state
}
