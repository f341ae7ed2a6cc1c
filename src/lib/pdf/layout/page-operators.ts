/** Interprets the operators of a page and reports the painted glyphs, paths and images (ISO 32000-2, 8.4 and 9.4). */
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.js'
import type { OptionalContentConfig } from 'pdfjs-dist/types/src/display/optional_content_config.js'
import type { Pdfjs } from './page-content.ts'
import { type Box, boxOf, intersection, type Matrix, times } from './page-geometry.ts'

/** A font as PDF.js describes it. */
export type PageFont = {
  name?: string
  bold?: boolean
  black?: boolean
  italic?: boolean
  isMonospace?: boolean
  isSerifFont?: boolean
  isType3Font?: boolean
  vertical?: boolean
  fontMatrix?: number[]
}
export type RawImage = { width: number; height: number; kind?: number; data?: Uint8Array | Uint8ClampedArray }
/** Properties shared by the glyphs of one operator. */
export type TextStyle = {
  /** From text space to the page; its origin is not used. */
  matrix: Matrix
  fontSize: number
  font: PageFont
  fontId: string
  color: string
  isStroked: boolean
  isHidden: boolean
}
/** Receives a glyph and its position on the page; `advance` is in text space. */
export type PlaceGlyph = (text: string, code: number, x: number, y: number, advance: number) => void
export type Painter = {
  text(style: TextStyle): PlaceGlyph
  /** @param path numbers in PDF.js' encoding */
  path(path: readonly number[], matrix: Matrix, paint: { fill?: string; stroke: boolean }, clip: Box): void
  image(image: RawImage | null, matrix: Matrix, clip: Box): Promise<void>
  /** An image that PDF.js describes in another form, such as a mask. */
  otherImage(box: Box): void
}

type Glyph = { unicode: string; originalCharCode: number; width: number; isSpace: boolean; vmetric?: number[] }
type State = {
  matrix: Matrix
  clip: Box
  fill: string
  stroke: string
  font: PageFont
  fontId: string
  fontSize: number
  charSpacing: number
  wordSpacing: number
  horizontalScale: number
  leading: number
  rise: number
  mode: number
}

const BLACK = '#000000'
const INVISIBLE = 3
const STROKE_MODES = new Set([1, 2, 5, 6])
const UNIT = [0.001, 0, 0, 0.001, 0, 0]

export async function followOperators(
  { OPS }: Pdfjs,
  page: PDFPageProxy,
  base: Matrix,
  visibility: OptionalContentConfig,
  painter: Painter,
): Promise<void> {
  const { fnArray, argsArray } = await page.getOperatorList()
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = page.view
  const initial = (): State => ({
    matrix: base,
    clip: boxOf(base, x1, y1, x2, y2),
    fill: BLACK,
    stroke: BLACK,
    font: {},
    fontId: '',
    fontSize: 0,
    charSpacing: 0,
    wordSpacing: 0,
    horizontalScale: 1,
    leading: 0,
    rise: 0,
    mode: 0,
  })
  let state = initial()
  const saved: State[] = []
  const save = (): void => void saved.push({ ...state })
  const restore = (): void => {
    state = saved.pop() ?? state
  }
  let [textMatrix, lineMatrix] = [base, base]
  let willClip = false
  const layers: boolean[] = []
  const isShown = (): boolean => layers.every((shown) => shown)
  const moveLine = (x: number, y: number): void => {
    lineMatrix = times(lineMatrix, [1, 0, 0, 1, x, y])
    textMatrix = lineMatrix
  }
  const setFont = (id: string, size: number): void => {
    state.font = page.commonObjs.has(id) ? (page.commonObjs.get(id) as PageFont) : {}
    Object.assign(state, { fontId: id, fontSize: size })
  }
  const fills = new Set([
    OPS.fill,
    OPS.eoFill,
    OPS.fillStroke,
    OPS.eoFillStroke,
    OPS.closeFillStroke,
    OPS.closeEOFillStroke,
  ])
  const strokes = new Set([
    OPS.stroke,
    OPS.closeStroke,
    OPS.fillStroke,
    OPS.eoFillStroke,
    OPS.closeFillStroke,
    OPS.closeEOFillStroke,
  ])

  const settings = {
    [OPS.setCharSpacing]: 'charSpacing',
    [OPS.setWordSpacing]: 'wordSpacing',
    [OPS.setLeading]: 'leading',
    [OPS.setTextRise]: 'rise',
    [OPS.setTextRenderingMode]: 'mode',
  } as const satisfies Record<number, keyof State>

  function showText(items: readonly (Glyph | number)[]): void {
    const { font, fontId, fontSize, charSpacing, wordSpacing, horizontalScale, rise, mode } = state
    const unit = ((font.fontMatrix ?? UNIT)[0] ?? 0.001) * fontSize
    const matrix = times(state.matrix, textMatrix)
    const color = mode === 1 || mode === 5 ? state.stroke : state.fill
    const place = isShown()
      ? painter.text({
          matrix,
          fontSize,
          font,
          fontId,
          color,
          isStroked: STROKE_MODES.has(mode),
          isHidden: mode === INVISIBLE,
        })
      : undefined
    const placeAt = ({ unicode, originalCharCode }: Glyph, x: number, y: number, advance: number): void =>
      place?.(
        unicode,
        originalCharCode,
        matrix[0] * x + matrix[2] * y + matrix[4],
        matrix[1] * x + matrix[3] * y + matrix[5],
        advance,
      )
    let [x, y] = [0, 0]
    for (const item of items) {
      if (typeof item === 'number') {
        if (font.vertical) y -= (item * fontSize) / 1000
        else x -= ((item * fontSize) / 1000) * horizontalScale
        continue
      }
      const spacing = charSpacing + (item.isSpace ? wordSpacing : 0)
      if (font.vertical) {
        const [height = -1000, vx = 500, vy = 880] = item.vmetric ?? []
        placeAt(item, x - vx * unit, y - vy * unit, item.width * unit)
        y += height * unit - spacing
      } else {
        const advance = (item.width * unit + spacing) * horizontalScale
        placeAt(item, x, y + rise, advance)
        x += advance
      }
    }
    textMatrix = times(textMatrix, [1, 0, 0, 1, x, y])
  }

  function paintPath(paint: number, data: Record<number, number> | null, bounds: ArrayLike<number> | null): void {
    if (willClip && bounds !== null) {
      const [left = 0, bottom = 0, right = 0, top = 0] = Array.from(bounds)
      state.clip = intersection(state.clip, boxOf(state.matrix, left, bottom, right, top))
    }
    willClip = false
    if (data === null || !isShown() || !(fills.has(paint) || strokes.has(paint))) return
    const fill = fills.has(paint) ? { fill: state.fill } : {}
    painter.path(Object.values(data), state.matrix, { ...fill, stroke: strokes.has(paint) }, state.clip)
  }

  for (const [i, operator] of fnArray.entries()) {
    const args = argsArray[i] as unknown[]
    const [first, second] = args ?? []
    const numbers = args as number[]
    const setting = settings[operator]
    if (setting !== undefined) state[setting] = Number(first)
    switch (operator) {
      case OPS.save:
        save()
        break
      case OPS.restore:
      case OPS.paintFormXObjectEnd:
        restore()
        break
      case OPS.transform:
        state.matrix = times(state.matrix, numbers)
        break
      case OPS.paintFormXObjectBegin: {
        save()
        if (first) state.matrix = times(state.matrix, first as number[])
        const [left = 0, bottom = 0, right = 0, top = 0] = (second as number[] | null) ?? []
        if (second) state.clip = intersection(state.clip, boxOf(state.matrix, left, bottom, right, top))
        break
      }
      case OPS.beginAnnotation:
        save()
        state = initial()
        state.matrix = times(times(base, args[2] as number[]), args[3] as number[])
        break
      case OPS.endAnnotation:
        restore()
        break
      case OPS.beginMarkedContent:
        layers.push(true)
        break
      case OPS.beginMarkedContentProps:
        layers.push(first !== 'OC' || visibility.isVisible(second as Parameters<typeof visibility.isVisible>[0]))
        break
      case OPS.endMarkedContent:
        layers.pop()
        break
      case OPS.setFillRGBColor:
        state.fill = String(first)
        break
      case OPS.setStrokeRGBColor:
        state.stroke = String(first)
        break
      case OPS.setFillColorN:
        state.fill = BLACK
        break
      case OPS.setGState:
        for (const [key, value] of first as [string, unknown][])
          if (key === 'Font') setFont(...(value as [string, number]))
        break
      case OPS.beginText:
        textMatrix = lineMatrix = [1, 0, 0, 1, 0, 0]
        break
      case OPS.setHScale:
        state.horizontalScale = Number(first) / 100
        break
      case OPS.setFont:
        setFont(String(first), Number(second))
        break
      case OPS.setTextMatrix:
        textMatrix = lineMatrix = [
          ...((Array.isArray(first) || ArrayBuffer.isView(first) ? first : args) as number[]),
        ] as Matrix
        break
      case OPS.moveText:
        moveLine(Number(first), Number(second))
        break
      case OPS.setLeadingMoveText:
        state.leading = -Number(second)
        moveLine(Number(first), Number(second))
        break
      case OPS.nextLine:
        moveLine(0, -state.leading)
        break
      case OPS.showText:
        showText(first as (Glyph | number)[])
        break
      case OPS.clip:
      case OPS.eoClip:
        willClip = true
        break
      case OPS.constructPath:
        paintPath(Number(first), (second as [Record<number, number> | null])[0], args[2] as ArrayLike<number> | null)
        break
      case OPS.shadingFill:
        if (isShown()) painter.path([], state.matrix, { fill: BLACK, stroke: false }, state.clip)
        break
      case OPS.paintImageXObject:
        if (isShown()) await painter.image(await objectOf(page, String(first)), state.matrix, state.clip)
        break
      case OPS.paintInlineImageXObject:
        if (isShown()) await painter.image(first as RawImage, state.matrix, state.clip)
        break
      case OPS.paintImageMaskXObject:
      case OPS.paintImageMaskXObjectGroup:
      case OPS.paintImageMaskXObjectRepeat:
      case OPS.paintSolidColorImageMask:
      case OPS.paintImageXObjectRepeat:
      case OPS.paintInlineImageXObjectGroup:
        if (isShown()) painter.otherImage(intersection(boxOf(state.matrix, 0, 0, 1, 1), state.clip))
        break
    }
  }
}

const objectOf = (page: PDFPageProxy, id: string): Promise<RawImage | null> =>
  new Promise((resolve) => (id.startsWith('g_') ? page.commonObjs : page.objs).get(id, resolve))
