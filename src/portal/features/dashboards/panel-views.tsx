/** What a panel shows, by its type. */
import { useMemo, useRef, useState } from 'preact/hooks'
import { href } from '../../shell/router.ts'
import { formatBrief, formatPercent, formatValue, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { DataChart } from '../../ui/chart/chart.tsx'
import type { ChartChannel, ChartData } from '../../ui/chart/chart-data.ts'
import type { Range } from '../../ui/chart/range.ts'
import { PlainTable } from '../../ui/plain-table.tsx'
import type { MapEngine } from '../map/engine/engine.ts'
import { MapView } from '../map/map.tsx'
import { SENSOR_STATES, State, StateShape, stateName } from '../sensors/state.tsx'
import type {
  ChartPanelData,
  MapPanelData,
  NumberPanelData,
  Panel,
  StatesPanelData,
  TablePanelData,
} from './dashboard-data.ts'

export type PanelContext = {
  range: Range
  onZoom: (fromMs: number, toMs: number) => void
  /** Whether sensors have pages: not for people who came by a link. */
  hasPages: boolean
}

type ViewProps<T> = PanelContext & { panel: Panel; title: string; data: T }

export function ChartPanel({ data, title, range, onZoom }: ViewProps<ChartPanelData>) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const lines = useMemo(() => linesOf(data), [data])
  const chart = useMemo<ChartData>(() => {
    const channels = data.series.map(({ points }, i) => {
      const at = points.map(([time]) => Date.parse(time))
      const values = points.map(([, value]) => value)
      return [String(i), { at, avg: values, min: values, max: values, count: at.map(() => 1) }] as const
    })
    return { stepMs: data.stepMs, fromMs: range.fromMs, toMs: range.toMs, channels: new Map(channels), kind: 'figures' }
  }, [data])
  return (
    <>
      <DataChart
        title={title}
        channels={lines}
        range={range}
        marks={[]}
        hidden={hidden}
        data={chart}
        onHide={setHidden}
        onZoom={onZoom}
      />
      {data.sensors > data.shownSensors && data.series.some(({ sensorId }) => sensorId !== null) && (
        <p class="weak">{t('dashboards.someSensors', { shown: data.shownSensors, count: data.sensors })}</p>
      )}
    </>
  )
}

/** The lines, each with a label that has only what distinguishes it. */
function linesOf({ series }: ChartPanelData): ChartChannel[] {
  const channels = new Set(series.map(({ channel }) => channel))
  const labels = series.map(({ sensorName, channel }) =>
    sensorName === null
      ? { label: channel }
      : channels.size === 1
        ? { label: sensorName }
        : { label: channel, sensor: sensorName },
  )
  const texts = labels.map((label) => JSON.stringify(label))
  return series.map(({ unit, measurement }, i) => {
    const own = labels[i] as (typeof labels)[number]
    // sensors of one name
    const label = texts.indexOf(texts[i] as string) === i ? own.label : `${own.label} (${i + 1})`
    return { ...own, name: String(i), label, unit, measurement }
  })
}

export function NumberPanel({ data, panel }: ViewProps<NumberPanelData>) {
  const { value, before, unit, measurement } = data
  const text = (shown: number | null): string =>
    formatBrief(measurement === 'boolean' && data.agg === 'last' && shown !== null ? shown !== 0 : shown, unit)
  const change = value === null || before === null ? undefined : value - before
  return (
    <div class="dash-figures">
      <p class="dash-figure number" title={formatValue(value, unit)}>
        <bdi>{text(value)}</bdi>
      </p>
      <p class="weak">
        {t(`dashboards.aggregates.${data.agg}`)}
        {data.shownSensors > 1 && ` · ${t('dashboards.sensorCount', { count: data.shownSensors })}`}
      </p>
      <p>
        {t('dashboards.newest')} <Age at={data.lastAt} />
      </p>
      {panel.compare !== 'none' && (
        <p class="weak">
          {change === undefined
            ? t('dashboards.noBefore')
            : change === 0
              ? t('dashboards.sameBefore')
              : t(change > 0 ? 'dashboards.moreBefore' : 'dashboards.lessBefore', {
                  change: formatBrief(Math.abs(change), unit),
                })}
        </p>
      )}
    </div>
  )
}

type TableItem = TablePanelData['items'][number]
export function TablePanel({ data, title, hasPages }: ViewProps<TablePanelData>) {
  return (
    <>
      <PlainTable<TableItem>
        label={title}
        rows={data.items}
        keyOf={({ sensorId }) => sensorId}
        columns={[
          [
            t('dashboards.sensor'),
            ({ sensorId, sensorName, assetName }) =>
              hasPages ? (
                <a href={href('/sensors/:id', { id: sensorId })} title={assetName}>
                  <bdi>{sensorName}</bdi>
                </a>
              ) : (
                <bdi title={assetName}>{sensorName}</bdi>
              ),
            { isName: true },
          ],
          [t('dashboards.state'), ({ state }) => <State state={state} />],
          ...data.channels.map(
            (channel, i) =>
              [
                channel,
                ({ values }: TableItem) => {
                  const found = values[i]
                  return found === null || found === undefined ? (
                    <span class="weak">–</span>
                  ) : (
                    <bdi title={formatValue(found.value, found.unit)}>{formatBrief(found.value, found.unit)}</bdi>
                  )
                },
                { kind: 'number number-cell', head: <bdi>{channel}</bdi> },
              ] as const,
          ),
          [t('dashboards.lastReading'), ({ lastAt }) => <Age at={lastAt} />],
        ]}
      />
      {data.sensors > data.items.length && (
        <p class="weak">{t('dashboards.someSensors', { shown: data.items.length, count: data.sensors })}</p>
      )}
    </>
  )
}

export function StatesPanel({ data, hasPages }: ViewProps<StatesPanelData>) {
  const shown = SENSOR_STATES.filter((state) => data.states[state] > 0)
  return (
    <ul class="dash-state-list">
      {shown.map((state) => {
        const count = data.states[state]
        const content = (
          <>
            <StateShape state={state} />
            <span class={`state-${state}`}>{stateName(state)}</span>
            <span class="dash-state-count number">{formatWhole(count)}</span>
            <span class="weak number">{formatPercent(count / data.sensors)}</span>
          </>
        )
        return (
          <li key={state}>
            {hasPages ? (
              <a class="dash-state" href={href('/sensors', {}, { state })}>
                {content}
              </a>
            ) : (
              <span class="dash-state">{content}</span>
            )}
            <span class="dash-share" aria-hidden="true">
              <span class={`state-${state}`} style={{ inlineSize: `${(100 * count) / data.sensors}%` }} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

const POINTS = 'panel-points'
export function MapPanel({ data, title }: ViewProps<MapPanelData>) {
  const engine = useRef<MapEngine | undefined>(undefined)
  const collection = useMemo(
    () => ({
      type: 'FeatureCollection' as const,
      features: data.items.map(({ location, state }) => ({
        type: 'Feature' as const,
        properties: { state },
        geometry: { type: 'Point' as const, coordinates: location },
      })),
    }),
    [data],
  )
  engine.current?.setPartData(POINTS, collection)
  return (
    <>
      <MapView
        label={title}
        isSmall
        onReady={(map) => {
          engine.current = map
          map.setPart((palette) => ({
            sources: [POINTS],
            layers: [
              {
                id: POINTS,
                type: 'circle',
                source: POINTS,
                paint: {
                  'circle-radius': 5,
                  'circle-stroke-width': 1.5,
                  'circle-stroke-color': palette.surface,
                  'circle-color': [
                    'match',
                    ['get', 'state'],
                    ...SENSOR_STATES.flatMap((state) => [state, palette.colourOf(state)]),
                    palette.accent,
                  ] as unknown as string,
                },
              },
            ],
          }))
          map.setPartData(POINTS, collection)
          const box = boxOf(data)
          if (box !== undefined) map.fitFirst(box)
          return () => {
            engine.current = undefined
          }
        }}
      />
      <p class="weak">
        {data.located > data.items.length
          ? t('dashboards.someSensors', { shown: data.items.length, count: data.located })
          : t('dashboards.located', { count: data.located })}
      </p>
    </>
  )
}

function boxOf({ items }: MapPanelData): [number, number, number, number] | undefined {
  if (items.length === 0) return undefined
  return items.reduce<[number, number, number, number]>(
    ([west, south, east, north], { location: [x, y] }) => [
      Math.min(west, x),
      Math.min(south, y),
      Math.max(east, x),
      Math.max(north, y),
    ],
    [180, 90, -180, -90],
  )
}
