/**
 * Drawings of assets and clusters on a canvas, kept for each state, size and theme. The shapes are the same as in
 * features/sensors/state.tsx.
 */

import { VALUE_CLASSES } from '../value-scale.ts'
import type { Palette } from './palette.ts'

/** Shapes on a square of 12 by 12: filled, or lines. */
type Shape = { fill?: string; line?: string }
const SHAPES: Record<string, Shape> = {
  sending: { fill: 'M1.5 6a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z' },
  late: { fill: 'M6 2a4 4 0 0 1 0 8z', line: 'M2 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z' },
  silent: { line: 'M2 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z' },
  new: { line: 'M6 1.5v9M1.5 6h9' },
  refused: { line: 'M2 2l8 8M10 2l-8 8' },
  held: { line: 'M4 2v8M8 2v8' },
  off: { line: 'M1.5 6h9' },
}
/** Larger than a state, because the colour alone has the meaning. */
const VALUE: Shape = { fill: 'M-0.5 6a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0z' }
const NO_VALUE: Shape = { line: 'M2 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z' }
const shapeOf = (kind: string): Shape =>
  kind === 'value-none' ? NO_VALUE : kind.startsWith('value-') ? VALUE : (SHAPES[kind] ?? (SHAPES.sending as Shape))

export function paletteOf(root: HTMLElement): Palette {
  const style = getComputedStyle(root)
  const value = (name: string): string => style.getPropertyValue(name).trim()
  const colours = new Map([
    ...Object.keys(SHAPES).map((state) => [state, value(`--state-${state}`)] as const),
    ...VALUE_CLASSES.map((name) => [name, value(`--${name}`)] as const),
  ])
  return {
    surface: value('--surface'),
    text: value('--text'),
    textWeak: value('--text-weak'),
    accent: value('--accent'),
    water: value('--map-water'),
    land: value('--map-land'),
    sea: value('--map-sea'),
    green: value('--map-green'),
    building: value('--map-building'),
    road: value('--map-road'),
    roadEdge: value('--map-road-edge'),
    border: value('--map-border'),
    coast: value('--line-strong'),
    track: value('--series-2'),
    zone: value('--series-6'),
    colourOf: (kind) => colours.get(kind) ?? value('--text-weak'),
  }
}

type Drawing = CanvasImageSource & { width: number; height: number }
export type Symbols = {
  /** In CSS pixels. */
  symbolSize: number
  /** @param kind a state, or a class of a value */
  symbol(kind: string): Drawing
  /** @param shares number of assets of each of `kinds` */
  ring(count: number, kinds: readonly string[], shares: readonly number[]): { drawing: Drawing; size: number }
}

const SYMBOL_PX = 22
/** A state with few assets must stay visible in a large cluster. */
const MIN_RING_SHARE = 1 / 20
const RING_SHARE_STEPS = 40
const MAX_RINGS = 2_000

export const ringSize = (count: number): number => Math.round(28 + Math.min(5, Math.log10(count)) * 7)

function canvasOf(size: number, ratio: number): [OffscreenCanvas, OffscreenCanvasRenderingContext2D] {
  const canvas = new OffscreenCanvas(Math.ceil(size * ratio), Math.ceil(size * ratio))
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
  context.scale(ratio, ratio)
  return [canvas, context]
}

export function createSymbols(palette: Palette, ratio: number): Symbols {
  const symbols = new Map<string, Drawing>()
  const rings = new Map<string, Drawing>()

  function drawSymbol(kind: string): Drawing {
    const [canvas, context] = canvasOf(SYMBOL_PX, ratio)
    const { fill, line } = shapeOf(kind)
    context.fillStyle = palette.surface
    context.strokeStyle = palette.colourOf(kind)
    context.lineWidth = 1
    context.beginPath()
    context.arc(SYMBOL_PX / 2, SYMBOL_PX / 2, 9, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
    context.translate(SYMBOL_PX / 2 - 6, SYMBOL_PX / 2 - 6)
    context.lineWidth = 2
    context.fillStyle = palette.colourOf(kind)
    if (line !== undefined) context.stroke(new Path2D(line))
    if (fill !== undefined) context.fill(new Path2D(fill))
    return canvas
  }

  function drawRing(size: number, kinds: readonly string[], steps: readonly number[]): Drawing {
    const [canvas, context] = canvasOf(size, ratio)
    const middle = size / 2
    context.fillStyle = palette.surface
    context.beginPath()
    context.arc(middle, middle, middle - 0.5, 0, 2 * Math.PI)
    context.fill()
    const whole = steps.reduce((a, b) => a + b, 0)
    context.lineWidth = 4
    let angle = -Math.PI / 2
    for (const [i, share] of steps.entries()) {
      if (share === 0) continue
      const end = angle + (share / whole) * 2 * Math.PI
      context.strokeStyle = palette.colourOf(kinds[i] as string)
      context.beginPath()
      context.arc(middle, middle, middle - 3, angle, end)
      context.stroke()
      angle = end
    }
    return canvas
  }

  return {
    symbolSize: SYMBOL_PX,
    symbol(kind) {
      let drawing = symbols.get(kind)
      if (drawing === undefined) {
        drawing = drawSymbol(kind)
        symbols.set(kind, drawing)
      }
      return drawing
    },
    ring(count, kinds, shares) {
      const size = ringSize(count)
      const steps = shares.map((share) =>
        share === 0 ? 0 : Math.round(Math.max(MIN_RING_SHARE, share / count) * RING_SHARE_STEPS),
      )
      // as many kinds of values as of states would have the same steps
      const key = `${kinds[0]} ${size} ${steps.join()}`
      let drawing = rings.get(key)
      if (drawing === undefined) {
        if (rings.size >= MAX_RINGS) rings.clear()
        drawing = drawRing(size, kinds, steps)
        rings.set(key, drawing)
      }
      return { drawing, size }
    },
  }
}
