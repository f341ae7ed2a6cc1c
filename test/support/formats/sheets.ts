/** Draws pages of text for tests of pdf-to-word, and records every word with its position, in reading order. */
import { degrees, PDFDocument, type PDFFont, PDFName, type PDFPage, rgb, StandardFonts } from '@cantoo/pdf-lib'
import { createTextSetter, type TextSetter } from '../../../src/lib/pdf/drawing/text-setter.ts'
import { loadTypesetter, type Typesetter } from '../../../src/lib/text/typeset.ts'
import { type Random, seeded, whole } from '../random.ts'

/** A word with its centre, in points from the upper left corner of a page, counted from 0. */
export type PlacedWord = { text: string; page: number; x: number; y: number }
export type FontName = 'plain' | 'bold' | 'italic' | 'sans'
export type Styled = { text: string; font?: FontName; color?: [number, number, number] }
export type Place = {
  left: number
  right: number
  /** Top of the first line, in points from the top of the page. */
  top: number
  size?: number
  leading?: number
  align?: 'start' | 'center' | 'both'
  /** Distance of the lines after the first from the left edge. */
  hanging?: number
}
export type Sheets = {
  document: PDFDocument
  words: PlacedWord[]
  page(): PDFPage
  addPage(): PDFPage
  /** Sets a paragraph. @returns the y position of its end */
  text(content: string | Styled[], place: Place): number
  /** Sets a paragraph with the product's fonts: Arabic or mixed text. */
  rightToLeft(content: string, place: Place): number
  /** Draws text that is not part of the reading order, such as the labels of a chart. */
  label(text: string, x: number, top: number, size?: number, angle?: number): void
  save(): Promise<Buffer>
}

const FONTS = {
  plain: StandardFonts.TimesRoman,
  bold: StandardFonts.TimesRomanBold,
  italic: StandardFonts.TimesRomanItalic,
  sans: StandardFonts.Helvetica,
}

export async function sheets(size: [number, number] = [595, 842]): Promise<Sheets> {
  const document = await PDFDocument.create()
  const fonts = {} as Record<FontName, PDFFont>
  for (const [name, font] of Object.entries(FONTS)) fonts[name as FontName] = await document.embedFont(font)
  const setter: TextSetter = await createTextSetter(document)
  const typesetter: Typesetter = await loadTypesetter('regular')
  const words: PlacedWord[] = []
  const pages: PDFPage[] = []
  const addPage = (): PDFPage => {
    const page = document.addPage(size)
    pages.push(page)
    return page
  }
  const page = (): PDFPage => pages.at(-1) ?? addPage()

  function text(content: string | Styled[], place: Place): number {
    const { left, right, top, size = 10, leading = 1.2 * size, align = 'start', hanging = 0 } = place
    const styled = typeof content === 'string' ? [{ text: content }] : content
    const parts = styled.flatMap((style) =>
      style.text
        .split(' ')
        .filter((word) => word !== '')
        .map((word) => ({ ...style, word, width: fonts[style.font ?? 'plain'].widthOfTextAtSize(word, size) })),
    )
    const space = fonts.plain.widthOfTextAtSize(' ', size)
    const lines: (typeof parts)[] = []
    let used = 0
    for (const part of parts) {
      const start = lines.length > 1 ? hanging : 0
      if (lines.length === 0 || used + space + part.width > right - left - start) {
        lines.push([part])
        used = part.width
      } else {
        lines.at(-1)?.push(part)
        used += space + part.width
      }
    }
    for (const [i, line] of lines.entries()) {
      const start = left + (i > 0 ? hanging : 0)
      const width = line.reduce((sum, part) => sum + part.width, 0) + space * (line.length - 1)
      const spread =
        align === 'both' && i < lines.length - 1 ? (right - start - width) / Math.max(1, line.length - 1) : 0
      let x = align === 'center' ? (left + right - width) / 2 : start
      const y = top + i * leading + 0.8 * size
      for (const { word, font = 'plain', color, width: wide } of line) {
        const options = { x, y: page().getHeight() - y, size, font: fonts[font] }
        page().drawText(word, { ...options, ...(color && { color: rgb(...color) }) })
        words.push({ text: word, page: pages.length - 1, x: x + wide / 2, y: y - 0.3 * size })
        x += wide + space + spread
      }
    }
    return top + lines.length * leading
  }

  function rightToLeft(content: string, { left, right, top, size = 12, leading = 1.5 * size }: Place): number {
    const lines = typesetter.breakLines(typesetter.measure(content), (right - left) / size)
    const key = PDFName.of('Font')
    const resources = page().node.Resources()
    for (const [i, { text: line, direction }] of lines.entries()) {
      const set = typesetter.setLine(line, direction)
      const [width, y] = [set.width * size, top + i * leading + size]
      const x = direction === 'rtl' ? right - width : left
      const operators = setter.show(set, size, x, page().getHeight() - y)
      const stream = document.context.register(document.context.stream(operators))
      page().node.addContentStream(stream)
      let used = 0
      for (const word of line.trim().split(/\s+/)) {
        const wide = typesetter.setLine(word, direction).width * size
        const middle = used + wide / 2
        words.push({
          text: word,
          page: pages.length - 1,
          x: direction === 'rtl' ? right - middle : left + middle,
          y: y - 0.3 * size,
        })
        used += wide + typesetter.setLine(' ', direction).width * size
      }
    }
    const shared = resources?.lookup(key)
    if (shared === undefined) resources?.set(key, setter.fonts)
    else for (const [name, font] of setter.fonts.entries()) (shared as typeof setter.fonts).set(name, font)
    return top + lines.length * leading
  }

  function label(label: string, x: number, top: number, size = 8, angle = 0): void {
    page().drawText(label, { x, y: page().getHeight() - top, size, font: fonts.sans, rotate: degrees(angle) })
  }

  async function save(): Promise<Buffer> {
    await setter.embed()
    return Buffer.from(await document.save({ updateFieldAppearances: false }))
  }
  return { document, words, page, addPage, text, rightToLeft, label, save }
}

const SYLLABLES =
  'ba be bi bo ca co da de di do fa fe fi ga go ha he ka la le li lo ma me mi mo na ne ni no pa pe ra re ri ro sa se si so ta te ti to va ve vi wa we'.split(
    ' ',
  )

/** Made-up words, nearly all different, so that their order can be checked. */
export function prose(seed: number): (count: number) => string {
  const random: Random = seeded(seed)
  const word = (): string =>
    Array.from({ length: 2 + whole(random, 3) }, () => SYLLABLES[whole(random, SYLLABLES.length)]).join('')
  return (count) => {
    const text = Array.from({ length: count }, (_, i) => word() + (i % 9 === 8 && i < count - 1 ? ',' : '')).join(' ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  }
}
