/** Stretches of time behind the lines of a panel, such as episodes of alerts. */
import type uPlot from 'uplot'

export type SpanKind = 'critical' | 'warning' | 'info'
export type Span = {
  fromMs: number
  /** null: it lasts. */
  toMs: number | null
  kind: SpanKind
  text: string
  /** Names of the chart's channels that it is about; undefined for all panels. */
  channels?: readonly string[] | undefined
}

/** The colour of the band, and the dashes of the line above it, which tell the kinds apart without colour. */
const LOOKS: Record<SpanKind, { token: string; dash: number[] }> = {
  critical: { token: '--danger', dash: [] },
  warning: { token: '--state-late', dash: [10, 4] },
  info: { token: '--state-new', dash: [3, 4] },
}
const LINE_PX = 4
/** A moment is visible too. */
const LEAST_PX = 2
const OPACITY = 0.14

/** The spans at a time, with some room around short ones. */
export const spansAt = (spans: readonly Span[], atMs: number, roomMs: number): Span[] =>
  spans.filter(({ fromMs, toMs }) => atMs >= fromMs - roomMs && (toMs === null || atMs <= toMs + roomMs))

export function drawSpans({ ctx, bbox, scales, valToPos }: uPlot, spans: readonly Span[]): void {
  const end = scales.x?.max
  if (end === undefined) return
  const style = getComputedStyle(document.documentElement)
  const px = devicePixelRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const { fromMs, toMs, kind } of spans) {
    const left = valToPos(fromMs, 'x', true)
    const width = Math.max(LEAST_PX * px, valToPos(toMs ?? end, 'x', true) - left)
    const { token, dash } = LOOKS[kind]
    const color = style.getPropertyValue(token).trim()
    ctx.globalAlpha = OPACITY
    ctx.fillStyle = color
    ctx.fillRect(left, bbox.top, width, bbox.height)
    ctx.globalAlpha = 1
    ctx.strokeStyle = color
    ctx.lineWidth = LINE_PX * px
    ctx.setLineDash(dash.map((length) => length * px))
    ctx.beginPath()
    ctx.moveTo(left, bbox.top + ctx.lineWidth / 2)
    ctx.lineTo(left + width, bbox.top + ctx.lineWidth / 2)
    ctx.stroke()
  }
  ctx.restore()
}
