/** Charts of the figures of the past, one sample a minute. */
import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { usePolled } from '../../api/polled.ts'
import type { components } from '../../api/schema.d.ts'
import { place, queryValue, setQuery } from '../../shell/router.ts'
import { locale, t } from '../../text/text.ts'
import { DataChart } from '../../ui/chart/chart.tsx'
import type { ChartChannel, ChartData, Points } from '../../ui/chart/chart-data.ts'
import { chooseRange, lengthOf, type Range } from '../../ui/chart/range.ts'
import { Failure } from '../../ui/states.tsx'

type Sample = components['schemas']['HealthSample']
type Figure = Exclude<keyof Sample, 'at'>

const MINUTE_MS = 60_000
/** Maximum number of points that can be distinguished on a wide screen. */
const POINTS = 600
const MIB = 2 ** 20
const GIB = 2 ** 30
/** Figures that are counted by the minute are shown per second. */
const FIGURES: {
  figure: Figure
  unit: 'rate' | 'seconds' | 'milliseconds' | 'mebibytes' | 'gibibytes' | 'cores'
  per: number
}[] = [
  { figure: 'accepted', unit: 'rate', per: 60 },
  { figure: 'duplicates', unit: 'rate', per: 60 },
  { figure: 'refused', unit: 'rate', per: 60 },
  { figure: 'lagSeconds', unit: 'seconds', per: 1 },
  { figure: 'loopDelayMs', unit: 'milliseconds', per: 1 },
  { figure: 'serverBytes', unit: 'mebibytes', per: MIB },
  { figure: 'workersBytes', unit: 'mebibytes', per: MIB },
  { figure: 'logBytes', unit: 'mebibytes', per: MIB },
  { figure: 'serverCpu', unit: 'cores', per: 1 },
  { figure: 'workersCpu', unit: 'cores', per: 1 },
  { figure: 'diskFreeBytes', unit: 'gibibytes', per: GIB },
]

const nameOf = (figure: Figure): string => t(`operations.health.series.${figure as Exclude<Figure, 'segments'>}`)

/** More digits would be noise. */
const rounded = (value: number): number => Number(value.toPrecision(3))

function chartOf(items: readonly Sample[], stepMs: number, fromMs: number, toMs: number): ChartData {
  const channels = new Map<string, Points>()
  for (const { figure, per } of FIGURES)
    channels.set(nameOf(figure), {
      at: items.map(({ at }) => Date.parse(at)),
      avg: items.map((sample) => rounded(sample[figure].avg / per)),
      min: items.map((sample) => rounded(sample[figure].min / per)),
      max: items.map((sample) => rounded(sample[figure].max / per)),
      count: items.map(() => stepMs / MINUTE_MS),
    })
  return { stepMs, fromMs, toMs, channels, kind: 'means' }
}

export function HealthCharts(props: { instanceId: string | undefined; range: Range; onZoom: () => void }) {
  const { instanceId, range } = props
  const samples = usePolled(
    async (signal) => {
      // a range relative to now has moved since the address was read
      const toMs = range.preset === undefined ? range.toMs : Date.now()
      const fromMs = toMs - lengthOf(range)
      const query = {
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        points: POINTS,
        ...(instanceId !== undefined && { instance: instanceId }),
      }
      const { items, stepSeconds } = await dataOf(
        api.GET('/manage/v1/operator/health/samples', { params: { query }, signal }),
      )
      return chartOf(items, stepSeconds * 1000, fromMs, toMs)
    },
    [place.value.query.toString(), locale.value],
    MINUTE_MS,
  )
  const hide = queryValue('hide') ?? ''
  const hidden = useMemo(
    () =>
      new Set(
        hide
          .split(',')
          .flatMap((figure) => FIGURES.filter((one) => one.figure === figure).map((one) => nameOf(one.figure))),
      ),
    [hide, locale.value],
  )
  const channels = useMemo<ChartChannel[]>(
    () =>
      FIGURES.map(({ figure, unit }) => ({
        name: nameOf(figure),
        unit: t(`operations.health.units.${unit}`),
        measurement: 'number',
      })),
    [locale.value],
  )
  const hideThese = (names: ReadonlySet<string>): void => {
    const figures = FIGURES.filter(({ figure }) => names.has(nameOf(figure))).map(({ figure }) => figure)
    setQuery({ hide: figures.join(',') })
  }
  return (
    <section class="stack" aria-labelledby="figures">
      <h3 id="figures">{t('operations.health.charts')}</h3>
      {samples.error.value !== undefined && <Failure error={samples.error.value} onRetry={samples.reload} />}
      <DataChart
        title={t('operations.health.title')}
        channels={channels}
        range={range}
        hidden={hidden}
        data={samples.data.value}
        marks={NO_MARKS}
        noneText={t('operations.health.noSamples')}
        onHide={hideThese}
        onZoom={(fromMs, toMs) => {
          props.onZoom()
          chooseRange(fromMs, toMs, { push: true })
        }}
      />
    </section>
  )
}

const NO_MARKS = [] as const
