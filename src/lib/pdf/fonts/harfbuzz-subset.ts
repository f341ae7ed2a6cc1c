/** Reduces fonts to some of their glyphs with HarfBuzz (hb-subset, WebAssembly). */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

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
const FLAG_GLYPH_NAMES = 128
const FLAG_NO_LAYOUT_CLOSURE = 512
const SET_UNCHANGED_TABLES = 2
const SET_DROP_TABLES = 3
/** ISO 32000-1, 9.9: the tables that drawing a composite font needs; others serve text layout. */
const RETAINED_TABLES = ['CFF ', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'vhea', 'vmtx']
/** Tables that find the glyphs of simple fonts. They stay as they are, because glyphs keep their numbers. */
const NAMING_TABLES = ['cmap', 'post']
const FLAGS = FLAG_NO_HINTING | FLAG_RETAIN_GIDS | FLAG_NOTDEF_OUTLINE | FLAG_NO_LAYOUT_CLOSURE | FLAG_GLYPH_NAMES

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

/**
 * Keeps the numbers and names of glyphs.
 * @param font an OpenType or TrueType font
 * @param isSimple whether glyphs are found by characters or names
 * @returns undefined when the font cannot be read
 */
export async function subsetFont(
  font: Uint8Array,
  glyphs: ReadonlySet<number>,
  isSimple: boolean,
): Promise<Uint8Array | undefined> {
  loading ??= loadHarfBuzz()
  const hb = await loading
  const data = hb.malloc(font.length)
  new Uint8Array(hb.memory.buffer).set(font, data)
  const blob = hb.hb_blob_create(data, font.length, MEMORY_MODE_WRITABLE, 0, 0)
  const face = hb.hb_face_create(blob, 0)
  const input = hb.hb_subset_input_create_or_fail()
  hb.hb_subset_input_set_flags(input, FLAGS)
  const dropped = hb.hb_subset_input_set(input, SET_DROP_TABLES)
  const unchanged = hb.hb_subset_input_set(input, SET_UNCHANGED_TABLES)
  for (const tag of tablesOf(font))
    if (isSimple && NAMING_TABLES.includes(tag)) hb.hb_set_add(unchanged, tagNumber(tag))
    else if (!RETAINED_TABLES.includes(tag)) hb.hb_set_add(dropped, tagNumber(tag))
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
