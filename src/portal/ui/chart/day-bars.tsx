/** A bar for each day, stacked where several things add up, with the figures as a table below. */

import { formatWhole } from '../../text/format.ts'
import { locale, t } from '../../text/text.ts'
import { type PlainColumn, PlainTable } from '../plain-table.tsx'

export type BarSeries = { id: string; label: string; values: readonly (number | null)[] }

const dayFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale.value, { timeZone: 'UTC', ...options })

/** The next of 1, 2 and 5 with zeros, so that the axis has round figures. */
export function roundUp(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

/** An allowance far above all bars would make them invisible; the text above shows it. */
const MAX_ABOVE = 2

export function DayBars(props: {
  label: string
  /** As `2026-11-01`. */
  days: readonly string[]
  series: readonly BarSeries[]
  /** The daily allowance. */
  most?: number | undefined
  /** The forecast of days that have not ended. */
  expected?: readonly (number | undefined)[] | undefined
}) {
  const { days, series, most, expected } = props
  const totals = days.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const highest = Math.max(0, ...totals, ...(expected ?? []).map((value) => value ?? 0))
  const showsMost = most !== undefined && most > 0 && most <= highest * MAX_ABOVE
  const top = roundUp(Math.max(highest, showsMost ? most : 0))
  const short = dayFormat({ day: 'numeric', month: 'short' })
  const long = dayFormat({ weekday: 'long', day: 'numeric', month: 'long' })
  const at = (day: string): number => Date.parse(day)
  const title = (i: number): string => {
    const parts = series.flatMap(({ label, values }) =>
      (values[i] ?? 0) > 0 ? [`${label}: ${formatWhole(values[i] ?? 0)}`] : [],
    )
    const about = expected?.[i]
    if (about !== undefined) parts.push(t('usage.expectedOn', { count: Math.round(about) }))
    return [long.format(at(days[i] as string)), ...(parts.length > 0 ? parts : [formatWhole(0)])].join('\n')
  }
  const height = (value: number): string => `${(value / top) * 100}%`
  return (
    <figure class="day-bars">
      {series.length > 1 && (
        <ul class="bar-legend">
          {series.map(({ id, label }, i) => (
            <li key={id}>
              <span class={`bar-colour bar-${i + 1}`} />
              <bdi>{label}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div class="bar-plot" dir="ltr" role="img" aria-label={props.label}>
        <div class="bar-axis number" aria-hidden="true">
          <span>{formatWhole(top)}</span>
          <span>{formatWhole(0)}</span>
        </div>
        <div class="bar-area">
          {showsMost && <div class="bar-most" style={{ insetBlockEnd: height(most) }} title={t('usage.allowance')} />}
          {days.map((day, i) => (
            <div key={day} class="bar-day" title={title(i)}>
              {expected?.[i] !== undefined && (
                <span class="bar-expected" style={{ blockSize: height(expected[i] as number) }} />
              )}
              <span class="bar-stack" style={{ blockSize: height(totals[i] as number) }}>
                {series.map(
                  ({ id, values }, s) =>
                    (values[i] ?? 0) > 0 && (
                      <span key={id} class={`bar-part bar-${s + 1}`} style={{ flexGrow: values[i] ?? 0 }} />
                    ),
                )}
              </span>
            </div>
          ))}
        </div>
        <div class="bar-days number" aria-hidden="true">
          <span>{short.format(at(days[0] as string))}</span>
          <span>{short.format(at(days[Math.floor(days.length / 2)] as string))}</span>
          <span>{short.format(at(days.at(-1) as string))}</span>
        </div>
      </div>
      <details>
        <summary>{t('usage.figures')}</summary>
        <Figures days={days} series={series} dayText={(day) => short.format(at(day))} />
      </details>
    </figure>
  )
}

function Figures(props: { days: readonly string[]; series: readonly BarSeries[]; dayText: (day: string) => string }) {
  const { days, series } = props
  return (
    <PlainTable
      label={t('usage.figures')}
      rows={days.map((day, i) => ({ day, i })).reverse()}
      keyOf={({ day }) => day}
      columns={[
        [t('usage.day'), ({ day }) => props.dayText(day), { isName: true }],
        ...series.map(
          ({ label, values }): PlainColumn<{ i: number }> => [
            label,
            ({ i }) => (values[i] === null || values[i] === undefined ? '–' : formatWhole(values[i])),
            { head: <bdi>{label}</bdi>, kind: 'number-cell number' },
          ],
        ),
      ]}
    />
  )
}
