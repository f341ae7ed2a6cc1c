/** Reduces embedded TrueType fonts to the glyphs that are shown, with HarfBuzz (hb-subset). */
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

/** Constants of hb-subset.h. */
const MEMORY_MODE_WRITABLE = 2
const FLAG_NO_HINTING = 1
const FLAG_RETAIN_GIDS = 2
const FLAG_NOTDEF_OUTLINE = 64
const FLAG_NO_LAYOUT_CLOSURE = 512
const SET_DROP_TABLES = 3
/** ISO 32000-1, 9.9: the tables that drawing a composite font needs; others serve text layout. */
const RETAINED_TABLES = new Set(['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'vhea', 'vmtx'])
/** Smaller fonts have most likely been subset already. */
const MIN_BYTES = 20_000

const FLAGS = FLAG_NO_HINTING | FLAG_RETAIN_GIDS | FLAG_NOTDEF_OUTLINE | FLAG_NO_LAYOUT_CLOSURE

let loading: Promise<HarfBuzz> | undefined

async function loadHarfBuzz(): Promise<HarfBuzz> {
  const bytes = await readFile(require.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'))
  const { instance } = await WebAssembly.instantiate(new Uint8Array(bytes))
  const harfBuzz = instance.exports as unknown as HarfBuzz
  harfBuzz._initialize()
  return harfBuzz
}

/** The tags in the table directory of an OpenType font. */
function tablesOf(font: Uint8Array): string[] {
  const view = Buffer.from(font.buffer, font.byteOffset, font.byteLength)
  const count = font.length >= 12 ? view.readUInt16BE(4) : 0
  return Array.from({ length: Math.min(count, (font.length - 12) >> 4) }, (_, i) =>
    view.toString('latin1', 12 + 16 * i, 16 + 16 * i),
  )
}
const tagNumber = (tag: string): number => Buffer.from(tag, 'latin1').readUInt32BE(0)

/** Keeps glyph numbers unchanged. @returns undefined when the font cannot be read */
async function subset(font: Uint8Array, glyphs: ReadonlySet<number>): Promise<Uint8Array | undefined> {
  loading ??= loadHarfBuzz()
  const hb = await loading
  const data = hb.malloc(font.length)
  new Uint8Array(hb.memory.buffer).set(font, data)
  const blob = hb.hb_blob_create(data, font.length, MEMORY_MODE_WRITABLE, 0, 0)
  const face = hb.hb_face_create(blob, 0)
  const input = hb.hb_subset_input_create_or_fail()
  hb.hb_subset_input_set_flags(input, FLAGS)
  const dropped = hb.hb_subset_input_set(input, SET_DROP_TABLES)
  for (const tag of tablesOf(font)) if (!RETAINED_TABLES.has(tag)) hb.hb_set_add(dropped, tagNumber(tag))
  const glyphSet = hb.hb_subset_input_glyph_set(input)
  for (const glyph of glyphs) hb.hb_set_add(glyphSet, glyph)
  const subsetFace = hb.hb_subset_or_fail(face, input)
  let out: Uint8Array | undefined
  if (subsetFace !== 0) {
    const result = hb.hb_face_reference_blob(subsetFace)
    const [from, length] = [hb.hb_blob_get_data(result, 0), hb.hb_blob_get_length(result)]
    if (length > 0) out = new Uint8Array(hb.memory.buffer).slice(from, from + length)
    hb.hb_blob_destroy(result)
    hb.hb_face_destroy(subsetFace)
  }
  hb.hb_subset_input_destroy(input)
  hb.hb_face_destroy(face)
  hb.hb_blob_destroy(blob)
  hb.free(data)
  return out
}

/** Subsets composite fonts with Identity encoding, the form in which producers embed whole fonts. */
export async function subsetFonts(document: PDFDocument, { shown }: Usage): Promise<void> {
  const decode = await streamDecoder()
  const { PDFArray, PDFDict, PDFName, PDFRawStream, PDFRef } = await import('@cantoo/pdf-lib')
  const { context } = document
  const key = PDFName.of
  const formFonts = fontsOfForms()
  const files = new Map<PDFRef, Set<number>>()
  const excluded = new Set<PDFRef>()
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict) || object.lookup(key('Type')) !== key('Font')) continue
    const isDescendant = /^\/CIDFontType/.test(String(object.lookup(key('Subtype'))))
    const file = isDescendant ? undefined : fileOf(object)
    if (file === undefined) continue
    const strings = shown.get(ref)
    if (strings === undefined || formFonts.has(ref) || !isIdentity(object)) excluded.add(file)
    const glyphs = files.get(file) ?? new Set([0])
    for (const text of strings ?? [])
      for (let i = 0; i + 1 < text.length; i += 2) glyphs.add(((text[i] as number) << 8) | (text[i + 1] as number))
    files.set(file, glyphs)
  }
  for (const [ref, glyphs] of files) {
    const stream = context.lookup(ref)
    if (excluded.has(ref) || !(stream instanceof PDFRawStream)) continue
    const original = decode(stream)
    if (original === undefined || original.length < MIN_BYTES) continue
    const reduced = await subset(original, glyphs)
    if (reduced === undefined || reduced.length >= original.length) continue
    context.assign(ref, context.flateStream(reduced, { Length1: reduced.length }))
  }

  /** Fonts of form resources, which viewers use for values filled in later, and fonts inside Type 3 glyphs. */
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
