/** Draws shapes and text as PDF content stream operators. */
import type { TextSetter } from '../pdf/drawing/text-setter.ts'
import { ASCENT, DESCENT, LINE_HEIGHT, type Line, type Typesetter } from '../text/typeset.ts'

export type Align = 'left' | 'center' | 'right'
export type Weight = 'regular' | 'semibold'

export const number = (value: number): string => String(Math.round(value * 1e3) / 1e3)
const list = (...values: number[]): string => values.map(number).join(' ')

/** Converts `#rrggbb` to three numbers from 0 to 1. */
export const rgb = (colour: string): string =>
  [1, 3, 5].map((at) => number(Number.parseInt(colour.slice(at, at + 2), 16) / 255)).join(' ')

export type Pen = ReturnType<typeof createPen>

export function createPen(setter: TextSetter, typesetters: Record<Weight, Typesetter>) {
  let out: string[] = []
  const pen = {
    take(): string {
      const content = out.join('\n')
      out = []
      return content
    },
    raw: (operators: string): void => void out.push(operators),
    rect(
      x: number,
      y: number,
      width: number,
      height: number,
      { fill, stroke, line = 0.5 }: { fill?: string; stroke?: string; line?: number },
    ): void {
      const paint = fill && stroke ? 'B' : fill ? 'f' : 'S'
      out.push(
        `q ${fill ? `${rgb(fill)} rg ` : ''}${stroke ? `${rgb(stroke)} RG ${number(line)} w ` : ''}${list(x, y, width, height)} re ${paint} Q`,
      )
    },
    line(x1: number, y1: number, x2: number, y2: number, colour: string, width: number, dashed = false): void {
      out.push(
        `q ${rgb(colour)} RG ${number(width)} w ${dashed ? `[${list(3 * width + 1, 2 * width + 1)}] 0 d ` : ''}${list(x1, y1)} m ${list(x2, y2)} l S Q`,
      )
    },
    /** Strokes a path of operators. */
    stroke(path: string, colour: string, width: number): void {
      out.push(`q ${rgb(colour)} RG ${number(width)} w 1 J\n${path}\nS Q`)
    },
    circle(x: number, y: number, radius: number, fill: string, stroke: string | undefined): void {
      const k = 0.5523 * radius
      const path = [
        `${list(x + radius, y)} m`,
        `${list(x + radius, y + k, x + k, y + radius, x, y + radius)} c`,
        `${list(x - k, y + radius, x - radius, y + k, x - radius, y)} c`,
        `${list(x - radius, y - k, x - k, y - radius, x, y - radius)} c`,
        `${list(x + k, y - radius, x + radius, y - k, x + radius, y)} c`,
      ]
      out.push(`q ${rgb(fill)} rg ${stroke ? `${rgb(stroke)} RG 0.6 w ` : ''}${path.join(' ')} ${stroke ? 'B' : 'f'} Q`)
    },
    polygon(
      points: readonly (readonly [number, number])[],
      fill: string | undefined,
      stroke: string | undefined,
    ): void {
      const path = points.map(([x, y], i) => `${list(x, y)} ${i === 0 ? 'm' : 'l'}`).join(' ')
      out.push(
        `q ${fill ? `${rgb(fill)} rg ` : ''}${stroke ? `${rgb(stroke)} RG 0.5 w ` : ''}${path} h ${fill && stroke ? 'B' : fill ? 'f' : 'S'} Q`,
      )
    },
    /** Draws one line of text; x is its left end, middle or right end. @returns its width */
    text(
      text: string,
      x: number,
      y: number,
      size: number,
      {
        weight = 'regular',
        align = 'left',
        colour = '#222222',
        halo = false,
      }: { weight?: Weight; align?: Align; colour?: string; halo?: boolean } = {},
    ): number {
      const line = typesetters[weight].setLine(text)
      pen.set(line, x - { left: 0, center: 0.5, right: 1 }[align] * line.width * size, y, size, colour, halo)
      return line.width * size
    },
    set(line: Line, x: number, y: number, size: number, colour = '#222222', halo = false): void {
      const shown = setter.show(line, size, x, y)
      if (halo) out.push(`q 1 1 1 RG ${number(size * 0.28)} w 1 j 1 Tr\n${shown}Q`)
      out.push(`q ${rgb(colour)} rg\n${shown}Q`)
    },
    widthOf: (text: string, size: number, weight: Weight = 'regular'): number =>
      typesetters[weight].setLine(text).width * size,
    /** Breaks text into lines of a maximum width. */
    breakText(text: string, size: number, width: number, weight: Weight = 'regular'): Line[] {
      const typesetter = typesetters[weight]
      return typesetter
        .breakLines(typesetter.measure(text), width / size)
        .map((line) => typesetter.setLine(line.text, line.direction))
    },
    heightOf: (lines: number, size: number): number => ((lines - 1) * LINE_HEIGHT + ASCENT + DESCENT) * size,
    /** Draws lines from a top edge down. @returns the y of the end */
    lines(
      lines: readonly Line[],
      left: number,
      right: number,
      top: number,
      size: number,
      align: Align,
      colour?: string,
    ): number {
      for (const [i, line] of lines.entries()) {
        const x = left + { left: 0, center: 0.5, right: 1 }[align] * (right - left - line.width * size)
        pen.set(line, x, top - (ASCENT + i * LINE_HEIGHT) * size, size, colour)
      }
      return top - pen.heightOf(lines.length, size)
    },
  }
  return pen
}
