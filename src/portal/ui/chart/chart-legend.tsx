/** The values below the cursor, or the newest ones, as an instrument shows them. */
import type { ReadonlySignal } from '@preact/signals'
import { formatMoment, formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { Aligned, ChartData, Panel } from './chart-data.ts'
import type { Mark } from './chart-plot.ts'

export type Shown = { avg: number; min: number; max: number; atMs: number }

/** The bucket of a channel at a time, or its newest one. */
export function shownAt(data: ChartData, channel: string, atMs: number | undefined): Shown | undefined {
  const points = data.channels.get(channel)
  if (points === undefined || points.at.length === 0) return undefined
  const i = atMs === undefined ? points.at.length - 1 : nearestIndex(points.at, atMs)
  const at = points.at[i] as number
  // nothing was measured near a cursor in a gap
  if (atMs !== undefined && Math.abs(at - atMs) > Math.max(2 * data.stepMs, distanceAround(points.at, i)))
    return undefined
  return { avg: points.avg[i] as number, min: points.min[i] as number, max: points.max[i] as number, atMs: at }
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

/** Time of the cursor, and events at that time. */
export function Readout(props: {
  cursor: ReadonlySignal<number | undefined>
  data: ChartData | undefined
  marks: readonly Mark[]
  isSpoken: ReadonlySignal<boolean>
}) {
  const { data } = props
  const atMs = props.cursor.value
  if (data === undefined) return <span class="chart-time" />
  const near =
    atMs === undefined ? [] : props.marks.filter((mark) => Math.abs(mark.atMs - atMs) < (data.toMs - data.fromMs) / 150)
  const spoken = props.isSpoken.value
    ? [...data.channels.keys()]
        .map((name) => [name, shownAt(data, name, atMs)] as const)
        .flatMap(([name, shown]) => (shown === undefined ? [] : [`${name} ${formatValue(shown.avg)}`]))
    : []
  return (
    <div class="chart-time">
      <span class="number">{atMs === undefined ? t('chart.newest') : <bdi>{formatMoment(atMs)}</bdi>}</span>
      {near.slice(0, 2).map((mark) => (
        <span key={`${mark.atMs} ${mark.text}`} class={`chart-mark chart-mark-${mark.kind}`}>
          {mark.text}
        </span>
      ))}
      <span class="visually-hidden" aria-live="polite">
        {spoken.length > 0 && atMs !== undefined && `${formatMoment(atMs)}: ${spoken.join(', ')}`}
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
  onHide: (hidden: ReadonlySet<string>) => void
}) {
  const { panel, data, hidden, shownRange, colorOf } = props
  const atMs = props.cursor.value
  const onOff = (value: number): string => t(value >= 0.5 ? 'chart.on' : 'chart.off')
  function toggle(name: string): void {
    const next = new Set(hidden)
    if (!next.delete(name)) next.add(name)
    props.onHide(next)
  }
  return (
    <div class="chart-legend">
      {panel.channels.map(({ name, unit }) => {
        const shown = data === undefined ? undefined : shownAt(data, name, atMs)
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
            <span class={`chart-swatch series-${colorOf(name)}`} aria-hidden="true" />
            <bdi class="chart-name cut">{name}</bdi>
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
          </button>
        )
      })}
      {shownRange !== undefined && !panel.isBoolean && shownRange[0] > 0 && (
        <span class="chart-zero weak">
          {t('chart.notZero', { from: formatValue(Number(shownRange[0].toPrecision(3)), panel.unit) })}
        </span>
      )}
    </div>
  )
}
