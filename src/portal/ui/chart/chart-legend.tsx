/** The values below the cursor, or the last ones of the range, as an instrument shows them. */
import type { ReadonlySignal } from '@preact/signals'
import {
  formatDays,
  formatDuration,
  formatList,
  formatMoment,
  formatSpan,
  formatValue,
  withUnit,
} from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { IconButton } from '../button.tsx'
import { labelOf } from './channel-label.tsx'
import { axisEnd } from './chart-axis.ts'
import { type Aligned, type ChartChannel, type ChartData, kindOf, type Panel } from './chart-data.ts'
import type { Mark } from './chart-marks.tsx'
import { type Span, spansAt } from './chart-spans.ts'

export type Shown = { avg: number; min: number; max: number; count: number; atMs: number }

/** The bucket of a channel at a time, or its last one. */
export function shownAt(data: ChartData, channel: string, atMs: number | undefined): Shown | undefined {
  const points = data.channels.get(channel)
  if (points === undefined || points.at.length === 0) return undefined
  const i = atMs === undefined ? points.at.length - 1 : nearestIndex(points.at, atMs)
  const at = points.at[i] as number
  // nothing was measured near a cursor in a gap
  if (atMs !== undefined && Math.abs(at - atMs) > Math.max(2 * data.stepMs, distanceAround(points.at, i)))
    return undefined
  const [avg, min, max] = [points.avg[i] as number, points.min[i] as number, points.max[i] as number]
  return { avg, min, max, count: points.count[i] as number, atMs: at }
}

/** @param at ascending */
export function nearestIndex(at: readonly number[], ms: number): number {
  let [low, high] = [0, at.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] as number) < ms) low = middle + 1
    else high = middle
  }
  const before = at[low - 1]
  return before !== undefined && ms - before < (at[low] as number) - ms ? low - 1 : low
}

/** To the nearer neighbour: each point owns half of the distance. */
function distanceAround(at: readonly number[], i: number): number {
  const here = at[i] as number
  return Math.min(here - (at[i - 1] ?? Number.NEGATIVE_INFINITY), (at[i + 1] ?? Number.POSITIVE_INFINITY) - here)
}

/** An average has no more decimals than the readings. */
export function averageOf({ avg, min, max }: Shown): number {
  const decimals = Math.max(...[min, max].map((value) => /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0))
  return min === max ? avg : Number(avg.toFixed(Math.min(12, decimals + 1)))
}

const DAY_MS = 86_400_000

/** The time that a point covers. A bucket of days may be an hour shorter or longer than its step. */
export function pointTime(atMs: number, { stepMs, kind }: ChartData): string {
  if (stepMs >= DAY_MS) return formatDays(atMs, atMs + stepMs - DAY_MS / 2)
  return stepMs <= 1000 || kind === 'figures' ? formatMoment(atMs) : formatSpan(atMs, atMs + stepMs)
}

/** What a point is, for example "Each point is the mean of 15 min". */
export const pointText = (data: ChartData): string =>
  t(`chart.points.${kindOf(data)}`, { step: formatDuration(data.stepMs) })

/** The start of the bucket at the cursor: of the channel that has the nearest one. */
function bucketAt(data: ChartData, hidden: ReadonlySet<string>, atMs: number): number | undefined {
  const starts = [...data.channels.keys()].flatMap((name) => {
    const found = hidden.has(name) ? undefined : shownAt(data, name, atMs)
    return found === undefined ? [] : [found.atMs]
  })
  return starts.sort((a, b) => Math.abs(a - atMs) - Math.abs(b - atMs))[0]
}

/** Time of the values that are shown, and events at the cursor. */
export function Readout(props: {
  cursor: ReadonlySignal<number | undefined>
  data: ChartData | undefined
  /** The range ends now: its last values are the newest. */
  isLive: boolean
  channels: readonly ChartChannel[]
  hidden: ReadonlySet<string>
  marks: readonly Mark[]
  spans: readonly Span[]
  isSpoken: ReadonlySignal<boolean>
}) {
  const { data, channels, hidden } = props
  const atMs = props.cursor.value
  if (data === undefined) return <span class="chart-time" />
  const roomMs = (data.toMs - data.fromMs) / 150
  const near = atMs === undefined ? [] : props.marks.filter((mark) => Math.abs(mark.atMs - atMs) < roomMs)
  const around = atMs === undefined ? [] : spansAt(props.spans, atMs, roomMs)
  const bucketMs = atMs === undefined ? undefined : bucketAt(data, hidden, atMs)
  const time = atMs === undefined ? '' : bucketMs === undefined ? formatMoment(atMs) : pointTime(bucketMs, data)
  const spoken = props.isSpoken.value
    ? channels.flatMap((channel) => {
        const shown = shownAt(data, channel.name, atMs)
        return shown === undefined ? [] : [`${labelOf(channel)} ${formatValue(shown.avg)}`]
      })
    : []
  return (
    <div class="chart-time">
      <span class="number">
        {atMs === undefined ? (
          t(`chart.${props.isLive ? 'newest' : 'last'}.${kindOf(data)}`, { step: formatDuration(data.stepMs) })
        ) : (
          <bdi data-at={bucketMs}>{time}</bdi>
        )}
      </span>
      {around.slice(0, 2).map(({ fromMs, kind, text }) => (
        <span key={`${fromMs} ${text}`} class={`chart-mark severity-${kind}`}>
          {text}
        </span>
      ))}
      {near.slice(0, 2).map((mark) => (
        <span key={`${mark.atMs} ${mark.text}`} class={`chart-mark chart-mark-${mark.kind}`}>
          {mark.text}
        </span>
      ))}
      {near.length > 2 && <span class="chart-mark weak">{t('chart.moreEvents', { count: near.length - 2 })}</span>}
      <span class="visually-hidden" aria-live="polite">
        {spoken.length > 0 &&
          atMs !== undefined &&
          `${time}: ${[...spoken, ...around.map(({ text }) => text)].join(', ')}`}
      </span>
    </div>
  )
}

export function ChartLegend(props: {
  panel: Panel
  data: ChartData | undefined
  aligned: Aligned | undefined
  hidden: ReadonlySet<string>
  shownRange: readonly [number, number] | undefined
  cursor: { value: number | undefined }
  colorOf: (name: string) => number
  dashOf: (name: string) => number[] | undefined
  limits: readonly number[]
  onLimits: (() => void) | undefined
  onHide: (hidden: ReadonlySet<string>) => void
}) {
  const { panel, data, hidden, shownRange, colorOf } = props
  const atMs = props.cursor.value
  const bucketMs = data === undefined || atMs === undefined ? undefined : bucketAt(data, hidden, atMs)
  const onOff = (value: number): string => t(value >= 0.5 ? 'chart.on' : 'chart.off')
  function toggle(name: string): void {
    const next = new Set(hidden)
    if (!next.delete(name)) next.add(name)
    props.onHide(next)
  }
  return (
    <div class="chart-legend">
      {panel.channels.map((channel) => {
        const { name, unit } = channel
        const shown = data === undefined ? undefined : shownAt(data, name, atMs)
        const isElsewhere = atMs !== undefined && shown !== undefined && shown.atMs !== bucketMs
        const isSpan = shown !== undefined && shown.min !== shown.max
        return (
          <button
            key={name}
            type="button"
            class="chart-value"
            aria-pressed={!hidden.has(name)}
            title={t(hidden.has(name) ? 'chart.showChannel' : 'chart.hideChannel')}
            onClick={() => toggle(name)}
          >
            <svg class={`chart-swatch series-${colorOf(name)}`} aria-hidden="true" viewBox="0 0 24 4">
              <line x1="0" y1="2" x2="24" y2="2" stroke-dasharray={props.dashOf(name)?.join(' ')} />
            </svg>
            {channel.sensor === undefined ? (
              <bdi class="chart-name cut" title={labelOf(channel)}>
                {channel.label ?? channel.name}
              </bdi>
            ) : (
              <span class="chart-pair" title={labelOf(channel)}>
                <bdi class="cut">{channel.sensor}</bdi>
                {' · '}
                <bdi class="cut">{channel.label ?? channel.name}</bdi>
              </span>
            )}
            <span class={panel.isBoolean ? 'chart-number' : 'chart-number chart-number-wide number'}>
              {shown === undefined
                ? '–'
                : panel.isBoolean
                  ? isSpan
                    ? t('chart.mixed')
                    : onOff(shown.avg)
                  : formatValue(averageOf(shown), unit)}
            </span>
            {isSpan && !panel.isBoolean && (
              <span class="chart-span number weak" dir="ltr">
                {formatValue(shown.min)} – {formatValue(shown.max)}
              </span>
            )}
            {isElsewhere && data !== undefined && (
              <bdi class="chart-span number weak">{pointTime(shown.atMs, data)}</bdi>
            )}
          </button>
        )
      })}
      <span class="chart-zero weak">
        {props.limits.length > 0 &&
          t('chart.limitsAt', { values: formatList(props.limits.map((limit) => formatValue(limit, panel.unit))) })}
        {props.onLimits && (
          <IconButton
            icon={props.limits.length > 0 ? 'edit' : 'limit'}
            label={t('chart.limits')}
            onClick={props.onLimits}
          />
        )}
        {shownRange !== undefined &&
          !panel.isBoolean &&
          shownRange[0] > 0 &&
          t('chart.notZero', { from: withUnit(axisEnd(shownRange[0]), panel.unit) })}
      </span>
    </div>
  )
}
