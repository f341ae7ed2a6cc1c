/** Readings a minute of the last 24 hours, with the 24 hours before as a comparison. */
import { useId } from 'preact/hooks'
import { formatMoment, formatPercent, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'

export type Rates = { from: string; stepSeconds: number; today: number[]; yesterday: number[] }

/** The curve is stretched to the width of the page. */
const WIDTH = 144
const HEIGHT = 64
const DAY_MS = 86_400_000

const sumOf = (rates: readonly number[], { stepSeconds }: Rates): number =>
  rates.reduce((sum, rate) => sum + rate * (stepSeconds / 60), 0)

export function RateCurve({ rates }: { rates: Rates }) {
  const id = useId()
  const { today, yesterday, from } = rates
  const most = Math.max(...today, ...yesterday)
  if (most === 0) return null
  const [sum, before] = [sumOf(today, rates), sumOf(yesterday, rates)]
  const lineOf = (values: readonly number[]): string =>
    values.map((rate, i) => `${i === 0 ? 'M' : 'L'}${i} ${(HEIGHT * (1 - rate / most)).toFixed(1)}`).join('')
  const change = before === 0 ? undefined : (sum - before) / before
  const text = t('overview.curve.text', {
    today: formatWhole(sum),
    yesterday: formatWhole(before),
    most: formatWhole(most),
  })
  return (
    <section class="overview-curve" aria-labelledby={id}>
      <h2 id={id}>{t('overview.curve.title')}</h2>
      <p>
        <strong class="number">{t('overview.curve.last', { count: Math.round(sum) })}</strong>{' '}
        <span class="weak">
          {change === undefined
            ? t('overview.curve.noneBefore')
            : t(change < 0 ? 'overview.curve.less' : 'overview.curve.more', { share: formatPercent(Math.abs(change)) })}
        </span>
      </p>
      {/* time runs from left to right in every language */}
      <div dir="ltr" class="overview-plot">
        <span class="number weak">{formatWhole(most)}</span>
        <svg viewBox={`0 0 ${WIDTH - 1} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={text}>
          <title>{text}</title>
          <path class="overview-before" d={lineOf(yesterday)} />
          <path class="overview-now" d={lineOf(today)} />
        </svg>
        <span class="number weak">0</span>
        <span class="overview-times weak">
          <bdi>{formatMoment(Date.parse(from))}</bdi>
          <bdi>{formatMoment(Date.parse(from) + DAY_MS)}</bdi>
        </span>
      </div>
      <p class="overview-key weak">
        <span class="overview-key-now">{t('overview.curve.today')}</span>
        <span class="overview-key-before">{t('overview.curve.yesterday')}</span>
      </p>
    </section>
  )
}
