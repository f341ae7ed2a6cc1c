/** Calls of a Tool API over time: counts, refusals by reason, and durations. */
import { useMemo, useState } from 'preact/hooks'
import { api as client, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { formatDuration, formatWhole } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { Button, CopyButton } from '../../../ui/button.tsx'
import { DataChart } from '../../../ui/chart/chart.tsx'
import type { ChartChannel, ChartData, Points } from '../../../ui/chart/chart-data.ts'
import { OriginalTexts } from '../../../ui/failure-text.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { whatToDo, whyOf } from './state.tsx'
import type { Counts, ToolApi } from './tool-api-data.ts'

const RANGES = [
  { id: '48h', step: 'hour', steps: 48 },
  { id: '30d', step: 'day', steps: 30 },
  { id: '90d', step: 'day', steps: 90 },
] as const
const STEP_MS = { hour: 3_600_000, day: 86_400_000 }

type Statistics = {
  items: (Counts & { start: string })[]
  total: Counts
  refusals: { code: string; at: string; message: string; requestId: string; isTrial: boolean }[]
}

export function StatisticsTab({ api }: { api: ToolApi }) {
  const range = RANGES.find(({ id }) => id === queryValue('range')) ?? RANGES[1]
  const stepMs = STEP_MS[range.step]
  const calls = api.activity.today
  const statistics = useResource(
    async (signal): Promise<Statistics> => {
      const toMs = (Math.floor(Date.now() / stepMs) + 1) * stepMs
      const query = { step: range.step, from: new Date(toMs - range.steps * stepMs).toISOString() }
      const params = { path: { id: api.id }, query }
      return dataOf(client.GET('/manage/v1/tool-apis/{id}/statistics', { params, signal }))
    },
    // counts of the record are loaded again every few seconds
    [api.id, range.id, calls.calls, calls.trials],
  )
  return (
    <div class="tool-api-statistics">
      <div class="range-presets" role="radiogroup" aria-label={t('chart.range')}>
        {RANGES.map(({ id }) => (
          <label key={id} class="range-preset">
            <input
              type="radio"
              name="range"
              checked={id === range.id}
              onChange={() => setQuery({ range: id === '30d' ? undefined : id })}
            />
            <span>{t(`toolApis.ranges.${id}`)}</span>
          </label>
        ))}
      </div>
      <Loaded resource={statistics}>
        {(found) => (
          <>
            <Totals total={found.total} />
            <Charts key={range.id} found={found} stepMs={stepMs} />
            <Codes found={found} />
          </>
        )}
      </Loaded>
    </div>
  )
}

function Totals({ total }: { total: Counts }) {
  const { latency } = total
  const ms = (value: number): string => formatDuration(Math.round(value))
  return (
    <dl class="sensor-facts">
      <Fact name={t('toolApis.calls')} value={formatWhole(total.calls)} />
      <Fact name={t('toolApis.results')} value={formatWhole(total.results)} />
      <Fact name={t('toolApis.refused')} value={formatWhole(total.refused)} />
      <Fact name={t('toolApis.failed')} value={formatWhole(total.failed)} />
      <Fact name={t('toolApis.featuresInResults')} value={formatWhole(total.features)} />
      {latency !== null && (
        <>
          <Fact name={t('toolApis.p50')} value={ms(latency.p50Ms)} />
          <Fact name={t('toolApis.p95')} value={ms(latency.p95Ms)} />
          <Fact name={t('toolApis.longest')} value={ms(latency.maxMs)} />
        </>
      )}
      {total.trials > 0 && <Fact name={t('toolApis.trials')} value={formatWhole(total.trials)} />}
    </dl>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="number">{value}</dd>
  </div>
)

function Charts({ found, stepMs }: { found: Statistics; stepMs: number }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [zoom, setZoom] = useState<{ fromMs: number; toMs: number } | undefined>(undefined)
  const milliseconds = t('operations.health.units.milliseconds')
  const channels: ChartChannel[] = [
    ...(['results', 'refused', 'failed'] as const).map((id) => ({
      name: t(`toolApis.series.${id}`),
      unit: null,
      measurement: 'whole' as const,
    })),
    { name: t('toolApis.p95'), unit: milliseconds, measurement: 'number' },
    { name: t('toolApis.p50'), unit: milliseconds, measurement: 'number' },
  ]
  const data = useMemo(
    () =>
      chartDataOf(
        found,
        stepMs,
        channels.map(({ name }) => name),
      ),
    [found, stepMs],
  )
  const shown = zoom ?? { fromMs: data.fromMs, toMs: data.toMs }
  return (
    <>
      <DataChart
        title={t('toolApis.calls')}
        channels={channels}
        data={data}
        hidden={hidden}
        marks={[]}
        onHide={setHidden}
        range={{ ...shown, preset: undefined }}
        onZoom={(fromMs, toMs) => setZoom({ fromMs, toMs })}
      />
      {zoom !== undefined && (
        <div>
          <Button icon="zoomOut" onClick={() => setZoom(undefined)}>
            {t('toolApis.wholeRange')}
          </Button>
        </div>
      )}
    </>
  )
}

/** Steps without calls count zero calls and have no duration. */
function chartDataOf({ items }: Statistics, stepMs: number, names: readonly string[]): ChartData {
  const valuesOf: ((item: Counts) => number | undefined)[] = [
    ({ results }) => results,
    ({ refused }) => refused,
    ({ failed }) => failed,
    ({ latency }) => latency?.p95Ms,
    ({ latency }) => latency?.p50Ms,
  ]
  const channels = new Map(
    names.map((name, i): [string, Points] => {
      const points: Points = { at: [], avg: [], min: [], max: [], count: [] }
      for (const item of items) {
        const value = valuesOf[i]?.(item)
        if (value === undefined) continue
        const shown = Math.round(value)
        points.at.push(Date.parse(item.start))
        for (const of of ['avg', 'min', 'max'] as const) points[of].push(shown)
        points.count.push(1)
      }
      return [name, points]
    }),
  )
  const fromMs = Date.parse(items[0]?.start ?? '')
  return { stepMs, fromMs, toMs: fromMs + (items.length - 0.5) * stepMs, channels, kind: 'figures' }
}

function Codes({ found: { total, refusals } }: { found: Statistics }) {
  const codes = Object.entries(total.codes).toSorted((a, b) => b[1] - a[1])
  const others = refusals.filter(({ code, isTrial }) => isTrial && !codes.some(([known]) => known === code))
  const rows = [...codes, ...others.map(({ code }): [string, number] => [code, 0])]
  return (
    <section class="tool-api-codes">
      <h2>{t('toolApis.whyRefused')}</h2>
      {rows.length === 0 ? (
        <p class="weak">{t('toolApis.noRefusals')}</p>
      ) : (
        <ul>
          {rows.map(([code, count]) => {
            const example = refusals.find((refusal) => refusal.code === code)
            return (
              <li key={code}>
                <div class="tool-api-code">
                  <strong>{whyOf(code)}</strong>
                  <span class="number">{t('toolApis.times', { count })}</span>
                  <code dir="ltr">{code}</code>
                </div>
                <p>{whatToDo(code)}</p>
                {example !== undefined && (
                  <div class="tool-api-example weak">
                    <span>
                      {t(example.isTrial ? 'toolApis.lastTrial' : 'toolApis.lastTime')} <Age at={example.at} />
                    </span>
                    {language.value === 'en' ? (
                      <bdi dir="ltr">{example.message}</bdi>
                    ) : (
                      <OriginalTexts texts={[example.message]} />
                    )}
                    <span>
                      {t('toolApis.requestId')} <code dir="ltr">{example.requestId}</code>{' '}
                      <CopyButton text={example.requestId} isSmall />
                    </span>
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
