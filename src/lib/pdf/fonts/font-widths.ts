/** Compares the widths of fonts with the widths of their common replacements. */
import type { PDFFont } from '@cantoo/pdf-lib'
import type { Face, Run } from '../layout/page-content.ts'

/** Families available in word processors, or replaced there by fonts of the same widths. */
const FAMILIES = ['Times New Roman', 'Arial', 'Courier New']
/** Plausible range: smaller differences come from kerning, larger ones from glyphs that are not letters. */
const MIN_DIFFERENCE = 0.012
const RANGE = { least: 0.75, most: 1.35 }
const MIN_LETTERS = 12

export type WidthComparison = {
  add(runs: readonly Run[]): void
  /** Sets the scale of every face that was added. */
  finish(): void
}

type Sum = { own: number; standard: number; letters: number; faces: Set<Face> }

export async function compareWidths(): Promise<WidthComparison> {
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  const names = [
    [StandardFonts.TimesRoman, StandardFonts.TimesRomanBold, StandardFonts.TimesRomanItalic],
    [StandardFonts.Helvetica, StandardFonts.HelveticaBold, StandardFonts.HelveticaOblique],
    [StandardFonts.Courier, StandardFonts.CourierBold, StandardFonts.CourierOblique],
  ]
  const fonts: PDFFont[][] = names.map((family) => family.map((name) => document.embedStandardFont(name)))
  const widths = new Map<PDFFont, Map<string, number>>()
  const sums = new Map<string, Sum>()

  function widthOf(font: PDFFont, letter: string): number {
    const known = widths.get(font) ?? new Map<string, number>()
    widths.set(font, known)
    const width = known.get(letter) ?? font.widthOfTextAtSize(letter, 1)
    known.set(letter, width)
    return width
  }

  return {
    add(runs) {
      for (const { face, size, letters, rotated } of runs) {
        const family = fonts[FAMILIES.indexOf(face.family)]
        if (family === undefined || rotated) continue
        const font = family[face.bold ? 1 : face.italic ? 2 : 0] as PDFFont
        const key = `${face.id} ${face.bold} ${face.italic}`
        const sum = sums.get(key) ?? { own: 0, standard: 0, letters: 0, faces: new Set() }
        sums.set(key, sum)
        sum.faces.add(face)
        for (const { text, left, right } of letters) {
          if (!/^[A-Za-z]$/.test(text)) continue
          sum.own += (right - left) / size
          sum.standard += widthOf(font, text)
          sum.letters++
        }
      }
    },
    finish() {
      for (const { own, standard, letters, faces } of sums.values()) {
        const ratio = own / standard
        if (letters < MIN_LETTERS || Math.abs(ratio - 1) < MIN_DIFFERENCE) continue
        for (const face of faces) face.scale = Math.min(RANGE.most, Math.max(RANGE.least, ratio))
      }
    },
  }
}
