/** One panel of a chart, drawn by uPlot. A separate chunk: only pages with charts load it. */
import uPlot from 'uplot'
import { timeZone } from '../../text/format.ts'
import { timeLabels, valueLabels } from './chart-axis.ts'
import type { Aligned, Column, Panel } from './chart-data.ts'
import { RIGHT_EDGE, VALUE_AXIS } from './chart-size.ts'
import { drawSpans, type Span } from './chart-spans.ts'
import { selectByTouch } from './chart-touch.ts'
import { valueRange } from './value-range.ts'

export type PlotOptions = {
  panel: Panel
  /** A colour of the tokens for each channel, by name. */
  colorOf: (channel: string) => string
  dashOf: (channel: string) => number[] | undefined
  hidden: ReadonlySet<string>
  isLast: boolean
  height: number
  onCursor: (atMs: number | undefined) => void
  onSelect: (fromMs: number, toMs: number) => void
  onRange: (min: number, max: number) => void
}

export type Plot = {
  setData(aligned: Aligned, fromMs: number, toMs: number): void
  setWidth(width: number): void
  setSpans(spans: readonly Span[]): void
  /** Values that a line marks. */
  setLimits(limits: readonly number[]): void
  /** A value that must be in view, such as a line that is moved. */
  setShownValue(value: number | undefined): void
  /** The area of the values inside the element of the plot, in pixels. */
  place(): { left: number; top: number; width: number; height: number }
  /** Distance of a value from the upper edge of that area, and the value at a distance. */
  yOf(value: number): number
  valueAt(y: number): number
  /** Moves the cursor to a time, for the keyboard. */
  setCursor(atMs: number | undefined): void
  setSelection(fromMs: number | undefined, toMs: number | undefined): void
  canvas(): HTMLCanvasElement
  destroy(): void
}

const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Points between two gaps have no line and would be invisible. */
function lonely(column: Column): number[] {
  const found: number[] = []
  let before: number | null = null
  let last = -1
  let isAlone = false
  for (const [i, value] of column.entries()) {
    if (value === undefined) continue
    if (value === null) {
      if (isAlone) found.push(last)
      isAlone = false
    } else {
      isAlone = before === null
      last = i
    }
    before = value
  }
  if (isAlone) found.push(last)
  return found
}

export function createPlot(element: HTMLElement, width: number, options: PlotOptions): Plot {
  const { panel, colorOf, dashOf, hidden, isLast } = options
  const shown = panel.channels.filter(({ name }) => !hidden.has(name))
  const grid = { stroke: token('--line'), width: 1 }
  const axis = { stroke: token('--text-weak'), font: `12px ${token('--font')}`, grid, ticks: { show: false } }
  let range: [number, number] = [Date.now() - 1000, Date.now()]
  let columns: Column[] = []
  let spans: readonly Span[] = []
  let limits: readonly number[] = []
  let shownValue: number | undefined

  /** A time that the edge of the chart cuts would be read as another one. */
  function isInside({ ctx, width: chart }: uPlot, label: string, ms: number): boolean {
    const [from, to] = range
    const centre = VALUE_AXIS + ((ms - from) / (to - from)) * (chart - VALUE_AXIS - RIGHT_EDGE)
    ctx.save()
    ctx.font = axis.font
    const half = Math.max(...label.split('\n').map((line) => ctx.measureText(line).width)) / 2
    ctx.restore()
    return centre - half >= 0 && centre + half <= chart
  }

  const lines = shown.flatMap(({ name, measurement }): uPlot.Series[] => {
    const color = colorOf(name)
    const dash = dashOf(name)
    const paths = measurement === 'boolean' ? uPlot.paths.stepped?.({ align: 1 }) : undefined
    const bound: uPlot.Series = { label: name, stroke: 'transparent', width: 0, points: { show: false } }
    if (paths !== undefined) bound.paths = paths
    return [
      {
        label: name,
        stroke: color,
        width: 1.5,
        ...(dash !== undefined && { dash }),
        ...(paths !== undefined && { paths }),
        points: {
          size: 5,
          fill: color,
          filter: (_u, series, isShown) => (isShown ? null : lonely(columns[series] ?? [])),
        },
      },
      bound,
      { ...bound },
    ]
  })
  const bands = shown.map(({ name }, i): uPlot.Band => {
    const color = colorOf(name)
    // the range from minimum to maximum of a bucket, behind its average
    return { series: [3 * i + 3, 3 * i + 2], fill: `color-mix(in srgb, ${color} 22%, transparent)` }
  })

  const plot = new uPlot(
    {
      width,
      height: options.height,
      ms: 1,
      tzDate: (ms) => (timeZone.value === 'UTC' ? uPlot.tzDate(new Date(ms), 'Etc/UTC') : new Date(ms)),
      padding: [10, RIGHT_EDGE, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        sync: {
          key: 'chart',
          scales: ['x', null] as [string, null],
          setSeries: false,
          // the end of a drag would zoom once for each panel
          filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
        },
        drag: { x: true, y: false, setScale: false },
        points: { size: 7 },
      },
      scales: {
        x: { time: true, range: () => range },
        y: panel.isBoolean
          ? { range: [-0.08, 1.08] }
          : {
              range: (_u, min, max) =>
                valueRange(...withLimits(min, max, shownValue === undefined ? limits : [...limits, shownValue])),
            },
      },
      axes: [
        {
          ...axis,
          size: isLast ? 40 : 12,
          space: 70,
          values: isLast
            ? (u, splits, _axis, _space, distance) =>
                timeLabels(splits, distance).map((label, i) => (isInside(u, label, splits[i] as number) ? label : ''))
            : (_u, splits) => splits.map(() => ''),
        },
        {
          ...axis,
          size: VALUE_AXIS,
          space: 28,
          ...(panel.isBoolean && { splits: [0, 1] }),
          values: (_u, splits, _axis, _space, distance) => valueLabels(splits, panel.isBoolean ? 1 : distance),
        },
      ],
      series: [{}, ...lines],
      bands,
      hooks: {
        drawClear: [(u) => drawSpans(u, spans)],
        draw: [(u) => drawLimits(u, limits)],
        setCursor: [
          (u) => {
            const { left = -1 } = u.cursor
            options.onCursor(left < 0 ? undefined : u.posToVal(left, 'x'))
          },
        ],
        setSelect: [
          (u) => {
            const { left, width: selected } = u.select
            if (selected < 4) return
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            options.onSelect(u.posToVal(left, 'x'), u.posToVal(left + selected, 'x'))
          },
        ],
        setScale: [
          (u, key) => {
            const { min, max } = u.scales.y ?? {}
            if (key === 'y' && min !== undefined && max !== undefined) options.onRange(min, max)
          },
        ],
      },
    },
    undefined,
    element,
  )
  const endTouch = selectByTouch(plot)

  return {
    setData(aligned, fromMs, toMs) {
      range = [fromMs, toMs]
      const none = new Array<undefined>(aligned.x.length).fill(undefined)
      const drawn = shown.flatMap(({ name }) => {
        const own = aligned.columns.get(name)
        return own === undefined ? [none, none, none] : [own.avg, own.min, own.max]
      })
      columns = [[], ...drawn]
      plot.setData([aligned.x, ...drawn] as uPlot.AlignedData)
    },
    setWidth: (next) => plot.setSize({ width: next, height: options.height }),
    setShownValue(next) {
      shownValue = next
      const { min, max } = plot.scales.y ?? {}
      const isInView = next === undefined || (next >= (min ?? next) && next <= (max ?? next))
      // a line that is dragged inside the range must not move the range
      if (!isInView) plot.setData(plot.data)
    },
    place() {
      const { offsetLeft: left, offsetTop: top, clientWidth, clientHeight } = plot.over
      return { left, top, width: clientWidth, height: clientHeight }
    },
    yOf: (value) => plot.valToPos(value, 'y'),
    valueAt: (y) => plot.posToVal(y, 'y'),
    setSpans(next) {
      spans = next
      plot.redraw(false)
    },
    setLimits(next) {
      if (next.length === limits.length && next.every((value, i) => value === limits[i])) return
      limits = next
      plot.setData(plot.data)
    },
    setCursor(atMs) {
      if (atMs === undefined) plot.setCursor({ left: -10, top: -10 })
      else plot.setCursor({ left: plot.valToPos(atMs, 'x'), top: 20 })
    },
    setSelection(fromMs, toMs) {
      if (fromMs === undefined || toMs === undefined) {
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        return
      }
      const [a, b] = [plot.valToPos(fromMs, 'x'), plot.valToPos(toMs, 'x')]
      plot.setSelect({ left: Math.min(a, b), top: 0, width: Math.abs(b - a), height: plot.over.clientHeight }, false)
    },
    canvas: () => plot.ctx.canvas,
    destroy() {
      endTouch()
      plot.destroy()
    },
  }
}

/** A limit is in view also when all values are far from it. */
function withLimits(
  min: number | null,
  max: number | null,
  limits: readonly number[],
): [min: number | null, max: number | null] {
  if (min === null || max === null) return [min, max]
  return [Math.min(min, ...limits), Math.max(max, ...limits)]
}

function drawLimits(u: uPlot, limits: readonly number[]): void {
  const { ctx, bbox } = u
  ctx.save()
  ctx.strokeStyle = token('--danger')
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio])
  for (const limit of limits) {
    const y = u.valToPos(limit, 'y', true)
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
  }
  ctx.restore()
}
