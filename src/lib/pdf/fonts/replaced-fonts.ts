/** Finds fonts that a page uses but the file does not contain. PDFium replaces them with its own Latin fonts. */
import type { PDFiumPage } from '@hyzyla/pdfium'
import { fontName } from './font-names.ts'

/** Functions of PDFium that the library loads but does not expose. */
type Functions = {
  HEAPU8: Uint8Array
  wasmExports: { malloc(bytes: number): number; free(pointer: number): void }
  _FPDFPageObj_GetType(object: number): number
  _FPDFTextObj_GetFont(object: number): number
  _FPDFFont_GetIsEmbedded(font: number): number
  _FPDFFont_GetBaseFontName(font: number, buffer: number, bytes: number): number
  _FPDFFormObj_CountObjects(form: number): number
  _FPDFFormObj_GetObject(form: number, index: number): number
}

/** fpdf_edit.h */
const [TEXT, FORM] = [1, 5]
/** PDFium contains these fonts, or others with the same widths. */
const CONTAINED =
  /^(Helvetica|Times|Courier|Symbol|ZapfDingbats|Arial|TimesNewRoman|CourierNew)(PS)?(MT)?(New)?([,-]|$)/
const MAX_NAME_BYTES = 128
/** Maximum nesting of forms, which is unlimited in a hostile file. */
const MAX_DEPTH = 8
const MAX_OBJECTS = 100_000

/** Adds the names of fonts to `names`. */
export function findReplacedFonts(page: PDFiumPage, names: Set<string>): void {
  const seen = new Set<number>()
  let left = MAX_OBJECTS
  for (const object of page.objects()) {
    const { module, objectIdx } = object as unknown as { module: Functions; objectIdx: number }
    visit(module, objectIdx, 0)
  }

  function visit(pdfium: Functions, object: number, depth: number): void {
    if (--left < 0) return
    const type = pdfium._FPDFPageObj_GetType(object)
    if (type === FORM && depth < MAX_DEPTH) {
      const count = pdfium._FPDFFormObj_CountObjects(object)
      for (let i = 0; i < count && left > 0; i++) visit(pdfium, pdfium._FPDFFormObj_GetObject(object, i), depth + 1)
    }
    const font = type === TEXT ? pdfium._FPDFTextObj_GetFont(object) : 0
    if (font === 0 || seen.has(font)) return
    seen.add(font)
    if (pdfium._FPDFFont_GetIsEmbedded(font) === 1) return
    const name = nameOf(pdfium, font)
    if (name !== '' && !CONTAINED.test(name)) names.add(name)
  }
}

/** @returns printable characters only; empty for a font without a name, such as Type 3 */
function nameOf(pdfium: Functions, font: number): string {
  const buffer = pdfium.wasmExports.malloc(MAX_NAME_BYTES)
  try {
    const bytes = pdfium._FPDFFont_GetBaseFontName(font, buffer, MAX_NAME_BYTES)
    if (bytes === 0 || bytes > MAX_NAME_BYTES) return ''
    return fontName(pdfium.HEAPU8.slice(buffer, buffer + bytes - 1))
  } finally {
    pdfium.wasmExports.free(buffer)
  }
}
