/**
 * Charts of sensors' channels: one panel for each unit, with one cursor for all. Dragging along the time axis zooms,
 * with a mouse, a finger or the arrow keys, and a finer step is loaded.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { now } from '../../shell/clock.ts'
import { language, theme } from '../../shell/preferences.ts'
import { queryValue, setQuery } from '../../shell/router.ts'
import { timeZone } from '../../text/format.ts'
import { locale, t } from '../../text/text.ts'
import { Button } from '../button.tsx'
import { Failure } from '../states.tsx'
import { type Aligned, align, type ChartChannel, type ChartData, type Panel, panelsOf } from './chart-data.ts'
import { saveChartCsv, saveChartPicture } from './chart-export.ts'
import { useKeys } from './chart-keys.ts'
import { ChartLegend, pointText, Readout } from './chart-legend.tsx'
import { LimitsDialog, useLimits } from './chart-limits.tsx'
import { DraggedLine, type MovedLine } from './chart-line.tsx'
import { type Mark, MarkStrip } from './chart-marks.tsx'
import type { Plot } from './chart-plot.ts'
import { useSeries } from './chart-series.ts'
import type { Span } from './chart-spans.ts'
import { ChartStatistics } from './chart-statistics.tsx'
import { ChartTable } from './chart-table.tsx'
import { lengthOf, type Range } from './range.ts'

export type { Mark } from './chart-marks.tsx'
export type { Span } from './chart-spans.ts'

const plots = import('./chart-plot.ts')
/** Free width beside the plot: the value axis and the edge. */
const BESIDE = 72
/** Width of a bucket: finer ones cannot be distinguished, and cost time. */
const PIXELS = 1.5
const HEIGHTS = { last: 218, other: 190, boolean: 92 }
const COLORS = 6
/** The first is not dashed. */
const DASHES = [undefined, [8, 4], [2, 3], [12, 3, 2, 3]]
const NO_MARKS: readonly Mark[] = []
const NO_LIMITS: readonly number[] = []
const NO_SPANS: readonly Span[] = []

/** `channel`: the name of a channel of the chart. */
export type Threshold = { channel: string; value: number }

type ChartProps = {
  title: string
  channels: readonly ChartChannel[]
  range: Range
  marks: readonly Mark[]
  spans?: readonly Span[]
  /** Lines at values of a channel, beside those that a person draws. */
  thresholds?: readonly Threshold[]
  line?: MovedLine | undefined
  hidden: ReadonlySet<string>
  /** Text to show when there are no points; by default, that there are no readings. */
  noneText?: string
  onHide: (hidden: ReadonlySet<string>) => void
  onZoom: (fromMs: number, toMs: number) => void
}

/** A chart of the channels of one or several sensors, in steps that fit the width. */
export function Chart(props: ChartProps & { sensorIds: readonly string[]; newestAt?: string | null | undefined }) {
  const root = useRef<HTMLDivElement>(null)
  const width = useWidth(root)
  const points = width === undefined ? undefined : (width - BESIDE) / PIXELS
  const series = useSeries(props.sensorIds, props.channels, props.range, points, props.newestAt)
  return (
    <Panels
      {...props}
      root={root}
      width={width}
      data={series.data.value}
      isLoading={series.isLoading.value}
      statistics={
        series.data.value && (
          <ChartStatistics
            data={series.data.value}
            sensorIds={props.sensorIds}
            channels={props.channels}
            hidden={props.hidden}
          />
        )
      }
      hasLimits
      failure={series.error.value && <Failure error={series.error.value} onRetry={series.reload} />}
    />
  )
}

/** A chart of data that the page has loaded. */
export function DataChart(props: ChartProps & { data: ChartData | undefined }) {
  const root = useRef<HTMLDivElement>(null)
  return <Panels {...props} root={root} width={useWidth(root)} isLoading={props.data === undefined} />
}

function Panels(
  props: ChartProps & {
    root: RefObject<HTMLDivElement>
    width: number | undefined
    data: ChartData | undefined
    isLoading: boolean
    statistics?: ComponentChildren
    hasLimits?: boolean
    failure?: ComponentChildren
  },
) {
  const { channels, range, hidden, root, width, data } = props
  const aligned = useMemo(() => (data === undefined ? undefined : align(data)), [data])
  const panels = useMemo(() => panelsOf(channels), [channels])
  const cursor = useSignal<number | undefined>(undefined)
  const keys = useKeys({ cursor, x: aligned?.x ?? [], onZoom: props.onZoom })
  const drawn = useRef(new Map<string, Plot>())
  const [isTable, setTable] = useState(false)
  const limitsOf = useLimits()
  const [limited, setLimited] = useState<Panel | undefined>(undefined)
  const channelOf = new Map(channels.map((channel, i) => [channel.name, { ...channel, i }]))
  const colorOf = (name: string): number => {
    const channel = channelOf.get(name)
    return ((channel?.color ?? channel?.i ?? 0) % COLORS) + 1
  }
  const dashOf = (name: string): number[] | undefined => DASHES[(channelOf.get(name)?.dash ?? 0) % DASHES.length]
  const [fromMs, toMs] = useShownRange(range, data, width)
  const isMarked = queryValue('events') !== 'off'
  const marks = isMarked ? props.marks : NO_MARKS
  const areSpansShown = queryValue('alerts') !== 'off'
  const spans = areSpansShown ? (props.spans ?? NO_SPANS) : NO_SPANS
  const inPanel = useMemo(() => {
    const perPanel = panels.map(({ id, channels: own }) => {
      const has = (name: string): boolean => own.some((channel) => channel.name === name)
      const shown = spans.filter(({ channels: named }) => named === undefined || named.some(has))
      const values = (props.thresholds ?? []).flatMap(({ channel, value }) => (has(channel) ? [value] : []))
      return [id, { spans: shown, thresholds: values }] as const
    })
    return new Map(perPanel)
  }, [panels, spans, props.thresholds])

  const isEmpty = data !== undefined && [...data.channels.values()].every(({ at }) => at.length === 0)
  const file = { title: props.title, panels, drawn: drawn.current, data, hidden, colorOf }
  return (
    <section class="chart" aria-label={t('chart.title')}>
      <div class="chart-line">
        <Readout
          cursor={cursor}
          data={data}
          isLive={range.preset !== undefined}
          channels={channels}
          hidden={hidden}
          marks={marks}
          spans={spans}
          isSpoken={keys.isUsed}
        />
        <span class="chart-step weak">
          {data !== undefined && `${pointText(data)} · ${t('chart.zone', { zone: timeZone.value })}`}
        </span>
        <div class="row">
          {props.marks.length > 0 && (
            <Button
              kind="quiet"
              isPressed={isMarked}
              title={t(isMarked ? 'chart.hideEvents' : 'chart.showEvents')}
              onClick={() => setQuery({ events: isMarked ? 'off' : undefined })}
            >
              {t('chart.events', { count: props.marks.length })}
            </Button>
          )}
          {(props.spans?.length ?? 0) > 0 && (
            <Button
              kind="quiet"
              isPressed={areSpansShown}
              title={t(areSpansShown ? 'chart.hideAlerts' : 'chart.showAlerts')}
              onClick={() => setQuery({ alerts: areSpansShown ? 'off' : undefined })}
            >
              {t('chart.alerts', { count: props.spans?.length ?? 0 })}
            </Button>
          )}
          <Button kind="quiet" icon="download" disabled={data === undefined} onClick={() => saveChartPicture(file)}>
            PNG
          </Button>
          <Button kind="quiet" icon="download" disabled={data === undefined} onClick={() => saveChartCsv(file)}>
            CSV
          </Button>
        </div>
      </div>
      {props.failure}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs */}
      <div
        ref={root}
        class={props.isLoading ? 'chart-panels chart-loading' : 'chart-panels'}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the cursor and select
        tabIndex={0}
        aria-label={t('chart.keys')}
        aria-busy={props.isLoading}
        data-points={aligned?.x.length}
        data-step={data?.stepMs}
        onKeyDown={keys.onKeyDown}
        onBlur={keys.onBlur}
      >
        {marks.length > 0 && width !== undefined && (
          <MarkStrip marks={marks} width={width} fromMs={fromMs} toMs={toMs} />
        )}
        {panels.map((panel, i) => (
          <PanelView
            key={`${panel.id} ${panel.channels.map(({ name }) => name).join()}`}
            panel={panel}
            width={width}
            data={data}
            aligned={aligned}
            fromMs={fromMs}
            toMs={toMs}
            hidden={hidden}
            cursor={cursor}
            colorOf={colorOf}
            dashOf={dashOf}
            drawn={drawn.current}
            isLast={i === panels.length - 1}
            limits={props.hasLimits && !panel.isBoolean ? limitsOf(panel.unit) : NO_LIMITS}
            thresholds={inPanel.get(panel.id)?.thresholds ?? NO_LIMITS}
            spans={inPanel.get(panel.id)?.spans ?? NO_SPANS}
            line={panel.channels.some(({ name }) => name === props.line?.channel) ? props.line : undefined}
            onLimits={props.hasLimits && !panel.isBoolean ? () => setLimited(panel) : undefined}
            selection={keys.selection.value}
            onHide={props.onHide}
            onZoom={props.onZoom}
          />
        ))}
        {isEmpty && <p class="chart-none weak">{props.noneText ?? t('chart.none')}</p>}
      </div>
      {limited !== undefined && <LimitsDialog unit={limited.unit} onClose={() => setLimited(undefined)} />}
      {props.statistics}
      <Button kind="quiet" icon={isTable ? 'down' : 'forward'} onClick={() => setTable(!isTable)}>
        {t(isTable ? 'chart.hideTable' : 'chart.showTable')}
      </Button>
      {isTable && data !== undefined && aligned !== undefined && (
        <ChartTable data={data} aligned={aligned} channels={channels} />
      )}
    </section>
  )
}

function useWidth(root: { current: HTMLElement | null }): number | undefined {
  const [width, setWidth] = useState<number | undefined>(undefined)
  useLayoutEffect(() => {
    const element = root.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    setWidth(Math.floor(element.clientWidth))
    return () => observer.disconnect()
  }, [])
  return width
}

/** A range relative to now moves with the clock, by whole pixels: one pixel of a long range covers minutes. */
function useShownRange(range: Range, data: ChartData | undefined, width: number | undefined): [number, number] {
  if (range.preset === undefined) return [data?.fromMs ?? range.fromMs, data?.toMs ?? range.toMs]
  const pixelMs = Math.max(1_000, lengthOf(range) / (width ?? 1000))
  const toMs = Math.ceil(Math.max(data?.toMs ?? 0, now.value) / pixelMs) * pixelMs
  return [toMs - lengthOf(range), toMs]
}

type PanelProps = {
  panel: Panel
  width: number | undefined
  data: ChartData | undefined
  aligned: Aligned | undefined
  fromMs: number
  toMs: number
  hidden: ReadonlySet<string>
  limits: readonly number[]
  thresholds: readonly number[]
  spans: readonly Span[]
  line: MovedLine | undefined
  onLimits: (() => void) | undefined
  cursor: { value: number | undefined; peek(): number | undefined }
  colorOf: (name: string) => number
  dashOf: (name: string) => number[] | undefined
  drawn: Map<string, Plot>
  isLast: boolean
  selection: readonly [number, number] | undefined
  onHide: (hidden: ReadonlySet<string>) => void
  onZoom: (fromMs: number, toMs: number) => void
}

function PanelView(props: PanelProps) {
  const { panel, width, data, aligned, fromMs, toMs, hidden, drawn, isLast } = props
  const limits = useMemo(() => [...props.limits, ...props.thresholds], [props.limits, props.thresholds])
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot | undefined>(undefined)
  const [shownRange, setShownRange] = useState<readonly [number, number] | undefined>(undefined)
  const [isReady, setReady] = useState(0)
  const latest = useRef(props)
  latest.current = props
  const height = panel.isBoolean ? HEIGHTS.boolean + (isLast ? 28 : 0) : isLast ? HEIGHTS.last : HEIGHTS.other
  const isDark = useDark()

  useEffect(() => {
    if (width === undefined || element.current === null) return
    const place = element.current
    let isGone = false
    plots.then(
      ({ createPlot }) => {
        if (isGone) return
        plot.current = createPlot(place, width, {
          panel,
          hidden,
          height,
          isLast,
          colorOf: (name) =>
            getComputedStyle(document.documentElement)
              .getPropertyValue(`--series-${latest.current.colorOf(name)}`)
              .trim(),
          dashOf: (name) => latest.current.dashOf(name),
          onCursor: (atMs) => {
            latest.current.cursor.value = atMs
          },
          onSelect: (fromMs, toMs) => latest.current.onZoom(fromMs, toMs),
          onRange: (min, max) =>
            setShownRange((before) => (before?.[0] === min && before[1] === max ? before : [min, max])),
        })
        drawn.set(panel.id, plot.current)
        setReady((count) => count + 1)
      },
      // the frame reports a part of the page that could not be loaded when the page is opened again
      () => undefined,
    )
    return () => {
      isGone = true
      plot.current?.destroy()
      plot.current = undefined
      drawn.delete(panel.id)
    }
  }, [width === undefined, hidden, isDark, height, locale.value, timeZone.value])
  useEffect(() => {
    if (width !== undefined) plot.current?.setWidth(width)
  }, [width])
  useLayoutEffect(() => {
    if (aligned !== undefined) plot.current?.setData(aligned, fromMs, toMs)
  }, [aligned, isReady, fromMs, toMs])
  useLayoutEffect(() => plot.current?.setSpans(props.spans), [props.spans, isReady])
  useLayoutEffect(() => plot.current?.setLimits(limits), [limits, isReady])
  useLayoutEffect(() => plot.current?.setShownValue(props.line?.value), [props.line?.value, aligned, isReady])
  useEffect(() => {
    plot.current?.setSelection(props.selection?.[0], props.selection?.[1])
  }, [props.selection])
  useEffect(() => {
    const at = props.cursor.peek()
    if (props.selection !== undefined || at !== undefined) plot.current?.setCursor(at)
  }, [props.selection])

  return (
    <div class="chart-panel">
      <ChartLegend {...props} limits={limits} shownRange={shownRange} />
      <div class="chart-area" dir="ltr">
        <div
          ref={element}
          // an axis without data would show meaningless numbers
          class={data === undefined ? 'chart-plot chart-waits' : 'chart-plot'}
          style={{ minHeight: `${height}px` }}
        />
        {props.line !== undefined && plot.current !== undefined && shownRange !== undefined && (
          <DraggedLine line={props.line} plot={plot.current} shownRange={shownRange} />
        )}
      </div>
    </div>
  )
}

/** Canvases read their colours when they are created. */
function useDark(): boolean {
  const media = useMemo(() => matchMedia('(prefers-color-scheme: dark)'), [])
  const [isDark, setDark] = useState(media.matches)
  useEffect(() => {
    const change = (): void => setDark(media.matches)
    media.addEventListener('change', change)
    return () => media.removeEventListener('change', change)
  }, [])
  void language.value
  return theme.value === 'auto' ? isDark : theme.value === 'dark'
}
