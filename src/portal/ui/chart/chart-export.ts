/** A chart as a picture, or its points as CSV. */
import { formatExact, formatValue } from '../../text/format.ts'
import { saveFile } from '../save-file.ts'
import { csvFile, csvLine } from '../table/csv.ts'
import { align, type ChartData, type Panel } from './chart-data.ts'
import { averageOf, shownAt } from './chart-legend.tsx'
import type { Plot } from './chart-plot.ts'

type ChartFile = {
  title: string
  panels: readonly Panel[]
  drawn: ReadonlyMap<string, Plot>
  data: ChartData | undefined
  hidden: ReadonlySet<string>
}

const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
const nameOf = ({ title, data }: ChartFile): string =>
  data === undefined ? title : `${title} ${stamp(data.fromMs)} ${stamp(data.toMs)}`

const TITLE = 44
const LEGEND = 22

/** Title, range, and each panel with its channels and their newest values above it. */
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
  write(`${formatExact(data.fromMs)} – ${formatExact(data.toMs)}`, 12, 37, 12, '--text-weak')
  const names = panels.flatMap(({ channels }) => channels.map(({ name }) => name))
  let top = TITLE
  for (const { panel, canvas } of shown) {
    let x = 12
    for (const { name, unit } of panel.channels) {
      if (hidden.has(name)) continue
      const newest = shownAt(data, name, undefined)
      const value = newest === undefined || panel.isBoolean ? '' : formatValue(averageOf(newest), unit)
      const text = `${name} ${value}`
      x += write(text, x, top + 15, 12, `--series-${(names.indexOf(name) % 6) + 1}`) + 20
    }
    context.drawImage(canvas, 0, (top + LEGEND) * scale)
    top += LEGEND + canvas.height / scale
  }
  const blob = await new Promise<Blob | null>((resolve) => all.toBlob(resolve, 'image/png'))
  if (blob !== null) saveFile(`${nameOf(file)}.png`, blob)
}

/** The shown buckets: their start, and for each channel average, minimum and maximum. */
export function saveChartCsv(file: ChartFile): void {
  const { panels, data, hidden } = file
  if (data === undefined) return
  const names = panels.flatMap(({ channels }) => channels.map(({ name }) => name)).filter((name) => !hidden.has(name))
  const { x, columns } = align(data, undefined)
  const head = ['at', ...names.flatMap((name) => [name, `${name} min`, `${name} max`])]
  const lines = [csvLine(head)]
  for (const [i, ms] of x.entries()) {
    const cells = names.flatMap((name) => {
      const column = columns.get(name)
      return [column?.avg[i], column?.min[i], column?.max[i]]
    })
    if (cells.some((cell) => typeof cell === 'number')) lines.push(csvLine([new Date(ms).toISOString(), ...cells]))
  }
  saveFile(`${nameOf(file)}.csv`, csvFile(lines))
}
