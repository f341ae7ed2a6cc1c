/**
 * Draws the appearance of form fields (ISO 32000-1, 12.7.3.3) with the product's fonts. Appearances are in points:
 * viewers scale them to the rectangles of their fields.
 */
import type { PDFDocument, PDFField, PDFObject, PDFRef, PDFWidgetAnnotation } from '@cantoo/pdf-lib'
import { ASCENT, DESCENT, LINE_HEIGHT, type Line, type Typesetter } from '../../text/typeset.ts'
import type { TextSetter } from '../drawing/text-setter.ts'
import { unitsOf } from '../structure/page-units.ts'

export type FieldStyle = {
  multiline?: boolean
  /** Number of comb cells, with one character each. */
  comb?: number | undefined
  /** For a list box: the indexes of the selected lines. */
  chosen?: readonly number[]
}

type Box = { width: number; height: number }
type Align = 'left' | 'center' | 'right'
type Pdf = typeof import('@cantoo/pdf-lib')

const PADDING = 2
const AUTO = { single: 12, multiline: 12, min: 4 }
/** Font size as a share of the field's height. */
const FONT_TO_FIELD_HEIGHT = 0.72
const ALIGNS: Align[] = ['left', 'center', 'right']
const CHOSEN_COLOUR = '0.6 0.76 0.85 rg'

const number = (value: number): string => String(Math.round(value * 1e3) / 1e3)

export type Painter = {
  /** Sets the appearance of a text field. @returns whether the whole text is visible */
  paintText(field: PDFField, widget: PDFWidgetAnnotation, text: string, style: FieldStyle): boolean
  /** Sets the checked and unchecked appearances of a box without any. @param name of the checked state */
  paintTick(field: PDFField, widget: PDFWidgetAnnotation, round: boolean, name: string): void
}

export async function createPainter(
  document: PDFDocument,
  pdf: Pdf,
  setter: TextSetter,
  typesetter: Typesetter,
): Promise<Painter> {
  const { PDFArray, PDFDict, PDFHexString, PDFName, PDFNumber, PDFString } = pdf
  const { context } = document
  const key = PDFName.of
  const units = new Map<PDFObject | undefined, number>()
  for (const [page, unit] of (await unitsOf(document)).entries())
    if (unit !== 1)
      for (const widget of document.getPage(page).node.Annots()?.asArray() ?? [])
        units.set(context.lookup(widget), unit)
  const unitOf = (widget: PDFWidgetAnnotation): number => units.get(widget.dict) ?? 1

  /** An entry of the widget, inherited from its field or the form. */
  function inherited(field: PDFField, widget: PDFWidgetAnnotation, name: string): PDFObject | undefined {
    return (
      widget.dict.lookup(key(name)) ??
      field.acroField.getInheritableAttribute(key(name)) ??
      document.getForm().acroForm.dict.lookup(key(name))
    )
  }
  function styleOf(
    field: PDFField,
    widget: PDFWidgetAnnotation,
  ): { size: number; colour: string; align: Align | undefined } {
    const da = inherited(field, widget, 'DA')
    const text = da instanceof PDFString || da instanceof PDFHexString ? da.decodeText() : ''
    const [, size = '0'] = /([\d.]+)\s+Tf/.exec(text) ?? []
    const [colour = '0 g'] = /(?:[\d.]+\s+){1,4}(?:g|rg|k)\b/.exec(text) ?? []
    const q = inherited(field, widget, 'Q')
    return {
      size: Number(size) * unitOf(widget),
      colour,
      align: q instanceof PDFNumber ? ALIGNS[q.asNumber()] : undefined,
    }
  }
  const numbersOf = (value: PDFObject | undefined): number[] =>
    value instanceof PDFArray ? value.asArray().map((one) => (one instanceof PDFNumber ? one.asNumber() : 0)) : []
  const colourOf = (values: readonly number[], operators: readonly string[]): string | undefined =>
    values.length === 0
      ? undefined
      : `${values.map(number).join(' ')} ${operators[[1, 3, 4].indexOf(values.length)] ?? 'g'}`

  /** Background and border from the widget's appearance characteristics. */
  function frame(widget: PDFWidgetAnnotation, { width, height }: Box): { content: string; border: number } {
    const [characteristics, style] = [widget.MK(), widget.BS()]
    const background = colourOf(numbersOf(characteristics?.lookup(key('BG'))), ['g', 'rg', 'k'])
    const line = colourOf(numbersOf(characteristics?.lookup(key('BC'))), ['G', 'RG', 'K'])
    const lineWidth = style?.lookup(key('W'))
    const border = line === undefined ? 0 : unitOf(widget) * (lineWidth instanceof PDFNumber ? lineWidth.asNumber() : 1)
    const parts = [
      ...(background === undefined ? [] : [`q ${background} 0 0 ${number(width)} ${number(height)} re f Q`]),
      ...(line === undefined || border === 0
        ? []
        : [
            `q ${line} ${number(border)} w ${[border / 2, border / 2, width - border, height - border].map(number).join(' ')} re S Q`,
          ]),
    ]
    return { content: parts.join('\n'), border }
  }

  /** The visible size of the widget, and the matrix that rotates it. */
  function boxOf(widget: PDFWidgetAnnotation): Box & { matrix: number[] } {
    const [width, height] = [widget.getRectangle().width, widget.getRectangle().height].map(
      (side) => side * unitOf(widget),
    ) as [number, number]
    const rotation = widget.MK()?.lookup(key('R'))
    switch (rotation instanceof PDFNumber ? ((rotation.asNumber() % 360) + 360) % 360 : 0) {
      case 90:
        return { width: height, height: width, matrix: [0, 1, -1, 0, width, 0] }
      case 180:
        return { width, height, matrix: [-1, 0, 0, -1, width, height] }
      case 270:
        return { width: height, height: width, matrix: [0, -1, 1, 0, 0, height] }
      default:
        return { width, height, matrix: [1, 0, 0, 1, 0, 0] }
    }
  }
  function formOf(content: string, { width, height, matrix }: ReturnType<typeof boxOf>): PDFRef {
    const dict = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, width, height], Matrix: matrix }
    return context.register(context.flateStream(content, { ...dict, Resources: { Font: setter.fonts } }))
  }

  function paintText(field: PDFField, widget: PDFWidgetAnnotation, text: string, style: FieldStyle): boolean {
    const box = boxOf(widget)
    const { size, colour, align } = styleOf(field, widget)
    const { content: background, border } = frame(widget, box)
    const inset = PADDING + 2 * border
    const available = { width: Math.max(1, box.width - 2 * inset), height: Math.max(1, box.height - 2 * border) }
    const { content, fits } = style.comb
      ? drawInCells(text, style.comb, box, size)
      : style.multiline
        ? drawLines(text, available, inset, size, align, style.chosen)
        : drawOneLine(text, available, inset, border, size, align)
    const clip = [border, border, box.width - 2 * border, box.height - 2 * border].map(number).join(' ')
    const appearance = `${background}\n/Tx BMC\nq ${clip} re W n\n${colour}\n${content}Q\nEMC`
    widget.dict.set(key('AP'), context.obj({ N: formOf(appearance, box) }))
    return fits
  }

  const resolveAlign = (line: Line, align: Align | undefined): Align =>
    align ?? (line.direction === 'rtl' ? 'right' : 'left')
  function at(line: Line, size: number, available: number, inset: number, align: Align | undefined): number {
    const share = { left: 0, center: 0.5, right: 1 }[resolveAlign(line, align)]
    return inset + share * (available - line.width * size)
  }

  function drawOneLine(
    text: string,
    available: Box,
    inset: number,
    border: number,
    declaredSize: number,
    align: Align | undefined,
  ) {
    const line = typesetter.setLine(text.replace(/\s*[\r\n]+\s*/g, ' '))
    const size =
      declaredSize > 0
        ? declaredSize
        : Math.max(
            AUTO.min,
            Math.min(
              AUTO.single,
              FONT_TO_FIELD_HEIGHT * available.height,
              available.width / Math.max(line.width, 1e-6),
            ),
          )
    // text that is too long is cut off at its end
    const fits = line.width * size <= available.width + 0.5
    const textX = fits
      ? at(line, size, available.width, inset, align)
      : line.direction === 'rtl'
        ? inset + available.width - line.width * size
        : inset
    const y = border + (available.height - (ASCENT + DESCENT) * size) / 2 + DESCENT * size
    return { content: setter.show(line, size, textX, y), fits }
  }

  function drawLines(
    text: string,
    available: Box,
    inset: number,
    declaredSize: number,
    align: Align | undefined,
    chosen: readonly number[] = [],
  ) {
    const measured = typesetter.measure(text)
    const maxHeight = available.height - 2 * PADDING
    const heightOf = (count: number): number => (count - 1) * LINE_HEIGHT + ASCENT + DESCENT
    let size = declaredSize > 0 ? declaredSize : AUTO.multiline
    let lines = typesetter.breakLines(measured, available.width / size)
    while (declaredSize === 0 && heightOf(lines.length) * size > maxHeight && size > AUTO.min) {
      size = Math.max(AUTO.min, size - 0.5)
      lines = typesetter.breakLines(measured, available.width / size)
    }
    const visibleCount = Math.max(1, Math.floor((maxHeight / size - ASCENT - DESCENT) / LINE_HEIGHT) + 1)
    const shown = lines.slice(0, visibleCount + 1).map(({ text, direction }, i) => {
      const line = typesetter.setLine(text, direction)
      const y = available.height - PADDING - (ASCENT + i * LINE_HEIGHT) * size
      const bar = [inset - PADDING, y - DESCENT * size, available.width + 2 * PADDING, LINE_HEIGHT * size]
        .map(number)
        .join(' ')
      const background = chosen.includes(i) ? `q ${CHOSEN_COLOUR} ${bar} re f Q\n` : ''
      return background + setter.show(line, size, at(line, size, available.width, inset, align), y)
    })
    return { content: shown.join(''), fits: heightOf(lines.length) * size <= maxHeight + 0.5 }
  }

  function drawInCells(text: string, cells: number, box: Box, declaredSize: number) {
    const size = declaredSize > 0 ? declaredSize : Math.min(AUTO.single, FONT_TO_FIELD_HEIGHT * box.height)
    const y = (box.height - (ASCENT + DESCENT) * size) / 2 + DESCENT * size
    const width = box.width / cells
    const content = [...text].map((character, i) => {
      const line = typesetter.setLine(character)
      return setter.show(line, size, i * width + (width - line.width * size) / 2, y)
    })
    return { content: content.join(''), fits: true }
  }

  function paintTick(field: PDFField, widget: PDFWidgetAnnotation, round: boolean, name: string): void {
    const box = boxOf(widget)
    const { colour } = styleOf(field, widget)
    const { content: background } = frame(widget, box)
    const side = Math.min(box.width, box.height)
    const [x, y] = [(box.width - side) / 2, (box.height - side) / 2]
    const to = (u: number, v: number): string => `${number(x + u * side)} ${number(y + v * side)}`
    const stroke = colour.replace(/\b(g|rg|k)\b/, (operator) => operator.toUpperCase())
    const tick = round
      ? `q ${stroke} ${number(side * 0.5)} w 1 J ${to(0.5, 0.5)} m ${to(0.5, 0.5)} l S Q`
      : `q ${stroke} ${number(side * 0.12)} w 1 J 1 j ${to(0.2, 0.5)} m ${to(0.42, 0.25)} l ${to(0.8, 0.78)} l S Q`
    const appearances = PDFDict.withContext(context)
    appearances.set(key(name), formOf(`${background}\n${tick}`, box))
    appearances.set(key('Off'), formOf(background, box))
    const appearance = PDFDict.withContext(context)
    appearance.set(key('N'), appearances)
    widget.dict.set(key('AP'), appearance)
  }

  return { paintText, paintTick }
}
