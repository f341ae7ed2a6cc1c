/** Count, lowest, mean, highest and last value of each channel in the range of a chart. */
import { useResource } from '../../api/resource.ts'
import { formatPercent, formatValue, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { type PlainColumn, PlainTable, VALUES_ON_PHONE } from '../plain-table.tsx'
import { ChannelLabel } from './channel-label.tsx'
import { type ChartChannel, type ChartData, kindOf, type Points } from './chart-data.ts'
import { loadLast } from './chart-series.ts'

type Row = { channel: ChartChannel; count: number; min: number; mean: number; max: number; last: number | undefined }

/** Live readings change the last value; it is not asked for more often. */
const FRESH_MS = 5_000
const NOTHING: ReadonlyMap<string, number> = new Map()
const NUMBER = { kind: 'number number-cell' }

export function ChartStatistics(props: {
  data: ChartData
  sensorIds: readonly string[]
  channels: readonly ChartChannel[]
  hidden: ReadonlySet<string>
}) {
  const { data, sensorIds, channels, hidden } = props
  const isOfReadings = kindOf(data) === 'readings'
  const last = useResource(
    (signal) => (isOfReadings ? Promise.resolve(NOTHING) : loadLast(sensorIds, channels, data, signal)),
    [isOfReadings, channels, data.fromMs, data.stepMs, Math.floor(data.toMs / FRESH_MS)],
  )
  const rows = channels.flatMap((channel): Row[] => {
    const points = data.channels.get(channel.name)
    if (hidden.has(channel.name) || points === undefined || points.at.length === 0) return []
    const value = isOfReadings ? points.avg.at(-1) : last.data.value?.get(channel.name)
    return [{ channel, ...statisticsOf(points), last: value }]
  })
  if (rows.length === 0) return null
  const column = (title: string, of: (row: Row) => number | undefined): PlainColumn<Row> => [
    title,
    (row) => {
      const value = of(row)
      return value === undefined ? '–' : formatValue(value, row.channel.unit)
    },
    NUMBER,
  ]
  const isSwitch = ({ channel }: Row): boolean => channel.measurement === 'boolean'
  return (
    <PlainTable
      label={t('chart.statistics')}
      kind={VALUES_ON_PHONE}
      rows={rows}
      keyOf={({ channel }) => channel.name}
      columns={[
        [t('chart.channel'), ({ channel }) => <ChannelLabel channel={channel} />, { isName: true, kind: 'wraps' }],
        [t('chart.readings'), ({ count }) => formatWhole(count), NUMBER],
        column(t('chart.lowest'), (row) => (isSwitch(row) ? undefined : row.min)),
        [
          t('chart.mean'),
          (row) =>
            isSwitch(row)
              ? t('chart.onShare', { share: formatPercent(row.mean) })
              : formatValue(row.mean, row.channel.unit),
          NUMBER,
        ],
        column(t('chart.highest'), (row) => (isSwitch(row) ? undefined : row.max)),
        [
          t('chart.lastValue'),
          (row) =>
            row.last === undefined
              ? '–'
              : isSwitch(row)
                ? t(row.last >= 0.5 ? 'chart.on' : 'chart.off')
                : formatValue(row.last, row.channel.unit),
          NUMBER,
        ],
      ]}
    />
  )
}

/** The mean of all readings, not of the points: a point counts as often as it has readings. */
function statisticsOf({ avg, min, max, count }: Points): { count: number; min: number; mean: number; max: number } {
  const all = count.reduce((sum, n) => sum + n, 0)
  const total = avg.reduce((sum, value, i) => sum + value * (count[i] as number), 0)
  return { count: all, min: Math.min(...min), mean: total / all, max: Math.max(...max) }
}
