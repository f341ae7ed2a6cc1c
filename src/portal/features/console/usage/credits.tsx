/** Credits of a month by day, the month's forecast, and the months before; runs for people, who pay none. */

import { setQuery } from '../../../shell/router.ts'
import { formatDay, formatPercent, formatWhole } from '../../../text/format.ts'
import { locale, t } from '../../../text/text.ts'
import { type BarSeries, DayBars } from '../../../ui/chart/day-bars.tsx'
import { type Forecast, forecastOf } from './forecast.ts'
import { type Month, monthsUntil } from './months.ts'
import type { CreditAllowance, Daily, Group } from './usage-data.ts'

const DAY_MS = 86_400_000

type Props = {
  data: Daily
  /** Null for people; undefined while it is loading. */
  credits: CreditAllowance | null | undefined
  month: Month
  groupName: (group: Group) => string
}

export function Credits({ data, credits, month, groupName }: Props) {
  const sumOf = (figure: 'runs' | 'credits'): number => data.days.reduce((sum, day) => sum + day[figure], 0)
  const [runs, charged] = [sumOf('runs'), sumOf('credits')]
  // a month with runs of free tools only
  const measure = charged === 0 ? 'runs' : 'credits'
  const total = measure === 'runs' ? runs : charged
  const forecast = month.isCurrent && credits != null ? forecastFor(credits, month) : undefined
  const todayIndex = month.days.indexOf(month.today)
  const expected = forecast && month.days.map((_, i) => (i > todayIndex ? forecast.perDay : undefined))
  return (
    <>
      <p class="usage-total">
        <strong class="number">
          {formatWhole(credits === null ? runs : month.isCurrent && credits !== undefined ? credits.used : charged)}
        </strong>{' '}
        {credits === null
          ? t('usage.runsIn', { month: monthName(month.month) })
          : month.isCurrent && credits !== undefined
            ? t('usage.creditsOf', {
                allowance: formatWhole(credits.allowance),
                share: formatPercent(credits.allowance > 0 ? credits.used / credits.allowance : 0),
              })
            : t('usage.creditsIn', { month: monthName(month.month) })}
      </p>
      {credits != null && month.isCurrent && <ForecastText forecast={forecast} credits={credits} month={month} />}
      {credits != null && charged === 0 && runs > 0 && <p>{t('usage.freeRuns', { count: runs })}</p>}
      {total === 0 ? (
        <p class="weak">{t('usage.nothing')}</p>
      ) : (
        <DayBars
          label={t(measure === 'runs' ? 'usage.runs' : 'usage.credits')}
          days={month.days}
          series={seriesOf(data, measure, groupName)}
          expected={measure === 'credits' ? expected : undefined}
        />
      )}
      {data.months.length > 1 && <Months months={data.months} current={month.month} />}
    </>
  )
}

const forecastFor = (credits: CreditAllowance, { days }: Month): Forecast | undefined =>
  forecastOf({
    // credits reserved by running jobs count as well
    used: credits.used,
    allowance: credits.allowance,
    daysSoFar: (Date.now() - Date.parse(days[0] as string)) / DAY_MS,
    daysInMonth: days.length,
  })

function ForecastText(props: { forecast: Forecast | undefined; credits: CreditAllowance; month: Month }) {
  const { forecast, credits, month } = props
  if (forecast === undefined) return <p class="weak">{t('usage.noForecast')}</p>
  const day = (number: number): string => formatDay(Date.parse(month.days[number - 1] as string))
  return (
    <div class={forecast.reachedOn === undefined ? 'usage-forecast' : 'usage-forecast usage-forecast-full'}>
      <p>
        {t('usage.forecast', {
          expected: formatWhole(Math.round(forecast.expected)),
          day: day(month.days.length),
        })}
      </p>
      {forecast.reachedOn !== undefined && (
        <p>
          <strong>
            {credits.used >= credits.allowance
              ? t('usage.usedUp', { day: formatDay(Date.parse(credits.periodEnd)) })
              : t('usage.reachedOn', { day: day(forecast.reachedOn) })}
          </strong>
        </p>
      )}
      <p class="weak">{t('usage.basis')}</p>
    </div>
  )
}

/** The largest groups, and the rest together. */
function seriesOf({ days, groups }: Daily, measure: 'runs' | 'credits', groupName: Props['groupName']): BarSeries[] {
  const shown = groups.filter((group) => group.daily !== null && group[measure] > 0)
  const series = shown.map((group) => ({
    id: group.id ?? 'portal',
    label: groupName(group),
    values: group.daily?.[measure] ?? [],
  }))
  const rest = days.map((day, i) => day[measure] - series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  if (rest.some((value) => value > 0)) series.push({ id: 'rest', label: t('usage.rest'), values: rest })
  return series
}

const monthName = (month: string): string =>
  new Intl.DateTimeFormat(locale.value, { timeZone: 'UTC', year: 'numeric', month: 'long' }).format(
    Date.parse(`${month}-01`),
  )

/** Months to compare with; each opens its days. */
function Months({ months, current }: { months: Daily['months']; current: string }) {
  const most = Math.max(1, ...months.map(({ credits }) => credits))
  return (
    <section class="months">
      <h3>{t('usage.months')}</h3>
      <ul>
        {months.map(({ month, credits }) => (
          <li key={month}>
            <button
              type="button"
              aria-current={month === current}
              onClick={() => setQuery({ month: month === monthsUntil(Date.now())[0] ? undefined : month })}
            >
              <span>{monthName(month)}</span>
              <span class="month-bar" aria-hidden="true">
                <span style={{ inlineSize: `${(credits / most) * 100}%` }} />
              </span>
              <span class="number">{formatWhole(credits)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
