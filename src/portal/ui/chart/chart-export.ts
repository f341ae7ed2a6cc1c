/** A chart as a picture, or its points as CSV. */
import { formatDuration, formatExact, formatIso, formatValue, plainText, timeZone } from '../../text/format.ts'
import { saveFile } from '../save-file.ts'
import { csvFile, csvLine } from '../table/csv.ts'
import { labelOf } from './channel-label.tsx'
import { align, type ChartData, kindOf, type Panel } from './chart-data.ts'
import { averageOf, pointText, shownAt } from './chart-legend.tsx'
import type { Plot } from './chart-plot.ts'

type ChartFile = {
  title: string
  panels: readonly Panel[]
  drawn: ReadonlyMap<string, Plot>
  data: ChartData | undefined
  hidden: ReadonlySet<string>
  colorOf: (name: string) => number
}

const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
const nameOf = ({ title, data }: ChartFile): string =>
  plainText(data === undefined ? title : `${title} ${stamp(data.fromMs)} ${stamp(data.toMs)}`)

const TITLE = 44
const LEGEND = 22

/** Title, range, and each panel with its channels and their last values above it. */
export async function saveChartPicture(file: ChartFile): Promise<void> {
  const { title, panels, drawn, data, hidden } = file
  if (data === undefined) return
  const shown = panels.flatMap((panel) => {
    const plot = drawn.get(panel.id)
    return plot === undefined ? [] : [{ panel, canvas: plot.canvas() }]
  })
  const style = getComputedStyle(document.documentElement)
  const color = (name: string): string => style.getPropertyValue(name).trim()
  const font = style.getPropertyValue('--font').trim()
  const scale = devicePixelRatio
  const all = document.createElement('canvas')
  all.width = Math.max(...shown.map(({ canvas }) => canvas.width))
  all.height = shown.reduce((sum, { canvas }) => sum + canvas.height + LEGEND * scale, TITLE * scale)
  const context = all.getContext('2d')
  if (context === null) return
  context.fillStyle = color('--surface')
  context.fillRect(0, 0, all.width, all.height)
  const write = (text: string, x: number, y: number, size: number, fill: string): number => {
    context.font = `${size * scale}px ${font}`
    context.fillStyle = color(fill)
    context.fillText(text, x * scale, y * scale)
    return context.measureText(text).width / scale
  }
  write(title, 12, 20, 16, '--text')
  write(`${formatExact(data.fromMs)} – ${formatExact(data.toMs)} · ${pointText(data)}`, 12, 37, 12, '--text-weak')
  let top = TITLE
  for (const { panel, canvas } of shown) {
    let x = 12
    for (const channel of panel.channels) {
      const { name, unit } = channel
      if (hidden.has(name)) continue
      const last = shownAt(data, name, undefined)
      const value = last === undefined || panel.isBoolean ? '' : formatValue(averageOf(last), unit)
      const text = `${labelOf(channel)} ${value}`
      x += write(text, x, top + 15, 12, `--series-${file.colorOf(name)}`) + 20
    }
    context.drawImage(canvas, 0, (top + LEGEND) * scale)
    top += LEGEND + canvas.height / scale
  }
  const blob = await new Promise<Blob | null>((resolve) => all.toBlob(resolve, 'image/png'))
  if (blob !== null) saveFile(`${nameOf(file)}.png`, blob)
}

/**
 * The shown points. Their time is the start of their bucket on the chart's clock, and the head names zone, step and units.
 */
export function saveChartCsv(file: ChartFile): void {
  const { panels, data, hidden } = file
  if (data === undefined) return
  const channels = panels.flatMap((panel) => panel.channels).filter(({ name }) => !hidden.has(name))
  const isMean = kindOf(data) === 'means'
  const { x, columns } = align(data)
  const parts = isMean ? ([' mean', ' min', ' max'] as const) : (['' as const] as const)
  const head = channels.flatMap((channel) => {
    const unit = channel.unit === null ? '' : ` (${channel.unit})`
    return parts.map((part) => plainText(`${labelOf(channel)}${part}${unit}`))
  })
  const step = formatDuration(data.stepMs)
  const lines = [csvLine([`start of ${plainText(step)} (${timeZone.value})`, ...head])]
  for (const [i, ms] of x.entries()) {
    const cells = channels.flatMap(({ name }) => {
      const column = columns.get(name)
      return isMean ? [column?.avg[i], column?.min[i], column?.max[i]] : [column?.avg[i]]
    })
    if (cells.some((cell) => typeof cell === 'number')) lines.push(csvLine([formatIso(ms), ...cells]))
  }
  saveFile(`${nameOf(file)}.csv`, csvFile(lines))
}
