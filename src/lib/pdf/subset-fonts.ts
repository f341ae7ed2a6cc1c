/** Embedded TrueType fonts cut down to the glyphs that are shown, by HarfBuzz (hb-subset). */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { PDFDict, PDFDocument, PDFRef, PDFStream } from '@cantoo/pdf-lib'
import type { Usage } from './page-usage.ts'
import { streamDecoder } from './stream-decoder.ts'

const require = createRequire(import.meta.url)

type HarfBuzz = {
  memory: WebAssembly.Memory
  malloc(bytes: number): number
  free(pointer: number): void
  _initialize(): void
  hb_blob_create(data: number, length: number, mode: number, user: number, destroy: number): number
  hb_blob_destroy(blob: number): void
  hb_blob_get_data(blob: number, length: number): number
  hb_blob_get_length(blob: number): number
  hb_face_create(blob: number, index: number): number
  hb_face_destroy(face: number): void
  hb_face_reference_blob(face: number): number
  hb_set_add(set: number, value: number): void
  hb_subset_input_create_or_fail(): number
  hb_subset_input_destroy(input: number): void
  hb_subset_input_set(input: number, which: number): number
  hb_subset_input_glyph_set(input: number): number
  hb_subset_input_set_flags(input: number, flags: number): void
  hb_subset_or_fail(face: number, input: number): number
}

/** hb-subset.h */
const MEMORY_MODE_WRITABLE = 2
const FLAG_NO_HINTING = 1
const FLAG_RETAIN_GIDS = 2
const FLAG_NOTDEF_OUTLINE = 64
const FLAG_NO_LAYOUT_CLOSURE = 512
const SET_DROP_TABLES = 3
/** ISO 32000-1, 9.9: what a composite font is drawn with; the rest is for programs that set text. */
const RETAINED_TABLES = new Set(['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'vhea', 'vmtx'])
/** Fonts that are smaller have been cut down already. */
const MIN_BYTES = 20_000

const FLAGS = FLAG_NO_HINTING | FLAG_RETAIN_GIDS | FLAG_NOTDEF_OUTLINE | FLAG_NO_LAYOUT_CLOSURE

let loading: Promise<HarfBuzz> | undefined

async function load(): Promise<HarfBuzz> {
  const bytes = await readFile(require.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'))
  const { instance } = await WebAssembly.instantiate(new Uint8Array(bytes))
  const harfBuzz = instance.exports as unknown as HarfBuzz
  harfBuzz._initialize()
  return harfBuzz
}

/** OpenType's table directory. */
function tablesOf(font: Uint8Array): string[] {
  const view = Buffer.from(font.buffer, font.byteOffset, font.byteLength)
  const count = font.length >= 12 ? view.readUInt16BE(4) : 0
  return Array.from({ length: Math.min(count, (font.length - 12) >> 4) }, (_, i) =>
    view.toString('latin1', 12 + 16 * i, 16 + 16 * i),
  )
}
const tagNumber = (tag: string): number => Buffer.from(tag, 'latin1').readUInt32BE(0)

/** Glyphs keep their numbers. @returns undefined where the font cannot be read */
async function subset(font: Uint8Array, glyphs: ReadonlySet<number>): Promise<Uint8Array | undefined> {
  loading ??= load()
  const hb = await loading
  const data = hb.malloc(font.length)
  new Uint8Array(hb.memory.buffer).set(font, data)
  const blob = hb.hb_blob_create(data, font.length, MEMORY_MODE_WRITABLE, 0, 0)
  const face = hb.hb_face_create(blob, 0)
  const input = hb.hb_subset_input_create_or_fail()
  hb.hb_subset_input_set_flags(input, FLAGS)
  const dropped = hb.hb_subset_input_set(input, SET_DROP_TABLES)
  for (const tag of tablesOf(font)) if (!RETAINED_TABLES.has(tag)) hb.hb_set_add(dropped, tagNumber(tag))
  const wanted = hb.hb_subset_input_glyph_set(input)
  for (const glyph of glyphs) hb.hb_set_add(wanted, glyph)
  const made = hb.hb_subset_or_fail(face, input)
  let out: Uint8Array | undefined
  if (made !== 0) {
    const result = hb.hb_face_reference_blob(made)
    const [from, length] = [hb.hb_blob_get_data(result, 0), hb.hb_blob_get_length(result)]
    if (length > 0) out = new Uint8Array(hb.memory.buffer).slice(from, from + length)
    hb.hb_blob_destroy(result)
    hb.hb_face_destroy(made)
  }
  hb.hb_subset_input_destroy(input)
  hb.hb_face_destroy(face)
  hb.hb_blob_destroy(blob)
  hb.free(data)
  return out
}

/** Composite fonts whose codes are the numbers of glyphs: what makers of PDFs embed whole, if any. */
export async function subsetFonts(document: PDFDocument, { shown }: Usage): Promise<void> {
  const decode = await streamDecoder()
  const { PDFArray, PDFDict, PDFName, PDFRawStream, PDFRef } = await import('@cantoo/pdf-lib')
  const { context } = document
  const key = PDFName.of
  const formFonts = fontsOfForms()
  const files = new Map<PDFRef, Set<number>>()
  const unsure = new Set<PDFRef>()
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict) || object.lookup(key('Type')) !== key('Font')) continue
    const isDescendant = /^\/CIDFontType/.test(String(object.lookup(key('Subtype'))))
    const file = isDescendant ? undefined : fileOf(object)
    if (file === undefined) continue
    const texts = shown.get(ref)
    if (texts === undefined || formFonts.has(ref) || !isIdentity(object)) unsure.add(file)
    const glyphs = files.get(file) ?? new Set([0])
    for (const text of texts ?? [])
      for (let i = 0; i + 1 < text.length; i += 2) glyphs.add(((text[i] as number) << 8) | (text[i + 1] as number))
    files.set(file, glyphs)
  }
  for (const [ref, glyphs] of files) {
    const stream = context.lookup(ref)
    if (unsure.has(ref) || !(stream instanceof PDFRawStream)) continue
    const whole = decode(stream)
    if (whole === undefined || whole.length < MIN_BYTES) continue
    const part = await subset(whole, glyphs)
    if (part === undefined || part.length >= whole.length) continue
    context.assign(ref, context.flateStream(part, { Length1: part.length }))
  }

  /** Fonts that readers may write with what is filled in, and those within drawn letters. */
  function fontsOfForms(): Set<PDFRef> {
    const found = new Set<PDFRef>()
    const add = (resources: unknown): void => {
      const fonts = resources instanceof PDFDict ? resources.lookup(key('Font')) : undefined
      if (fonts instanceof PDFDict) for (const font of fonts.values()) if (font instanceof PDFRef) found.add(font)
    }
    const form = document.catalog.lookup(key('AcroForm'))
    if (form instanceof PDFDict) add(form.lookup(key('DR')))
    for (const [, object] of context.enumerateIndirectObjects())
      if (object instanceof PDFDict && object.lookup(key('Subtype')) === key('Type3'))
        add(object.lookup(key('Resources')))
    return found
  }
  function descendantOf(font: PDFDict): PDFDict | undefined {
    const list = font.lookup(key('DescendantFonts'))
    const descendant = list instanceof PDFArray ? list.lookup(0) : undefined
    return descendant instanceof PDFDict ? descendant : undefined
  }
  function fileOf(font: PDFDict): PDFRef | undefined {
    const descriptor = (descendantOf(font) ?? font).lookup(key('FontDescriptor'))
    const file = descriptor instanceof PDFDict ? descriptor.get(key('FontFile2')) : undefined
    return file instanceof PDFRef && (context.lookup(file) as PDFStream | undefined) !== undefined ? file : undefined
  }
  function isIdentity(font: PDFDict): boolean {
    const descendant = descendantOf(font)
    const encoding = font.lookup(key('Encoding'))
    if (descendant === undefined || (encoding !== key('Identity-H') && encoding !== key('Identity-V'))) return false
    const map = descendant.lookup(key('CIDToGIDMap'))
    return descendant.lookup(key('Subtype')) === key('CIDFontType2') && (map === undefined || map === key('Identity'))
  }
}
