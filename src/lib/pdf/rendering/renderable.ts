/**
 * Rewrites content that PDFium renders wrongly: this build ignores the gamma of CalGray, combines JBIG2 regions that
 * should replace pixels, such as refinements of a page, has only Latin fonts, and reads some character maps
 * incompletely. Only files with such content are rewritten.
 */
import { deflateSync, inflateSync } from 'node:zlib'
import type { PDFArray, PDFDocument, PDFObject, PDFRef } from '@cantoo/pdf-lib'
import { collectGarbageIfGrown } from '../../gc-pressure.ts'
import { InputError } from '../../input-error.ts'
import { flattenMaps, isDifficultMap } from '../fonts/embedded-maps.ts'
import { substituteFonts } from '../fonts/substitute-fonts.ts'
import { bitsOf } from '../images/bilevel-image.ts'
import { greyProfile } from '../images/grey-profile.ts'
import { imageEntries } from '../images/image-samples.ts'
import { filtersOf } from '../structure/filters.ts'
import { loadPdf } from '../structure/open-pdf.ts'
import { unitsOf } from '../structure/page-units.ts'
import { streamsIn } from '../structure/stream-sizes.ts'

type Renderable = {
  file: Uint8Array
  /** Names of fonts that the file did not contain. */
  replacedFonts: string[]
  /** Points per user unit of each page; empty if all are one. */
  units: number[]
}

/**
 * @param pageCount PDFium's page count, which must match pdf-lib's
 * @param maxPixels larger images stay as they are
 * @param always rewrites the file, with its pages repaired
 * @returns the same file when there is nothing to rewrite
 */
export async function renderable(
  file: Uint8Array,
  pageCount: number,
  maxPixels: number,
  always: boolean,
): Promise<Renderable> {
  const unchanged = { file, replacedFonts: [], units: [] }
  const { hasGrey, hasJbig2, lacksFonts, hasMaps, hasUnits } = found(
    Buffer.from(file.buffer, file.byteOffset, file.byteLength),
  )
  if (!always && !hasGrey && !hasJbig2 && !lacksFonts && !hasMaps && !hasUnits) return unchanged
  try {
    const document = await loadPdf(file)
    if (document.getPageCount() !== pageCount) return unchanged
    const units = hasUnits ? await unitsOf(document) : []
    const isFlattened = hasMaps && (await flattenMaps(document))
    const replacedFonts = lacksFonts ? await substituteFonts(document) : []
    if (!always && !hasGrey && !hasJbig2 && !isFlattened && replacedFonts.length === 0) return { ...unchanged, units }
    if (hasGrey) await replaceCalGrey(document)
    if (hasJbig2) await replaceJbig2(document, maxPixels)
    collectGarbageIfGrown()
    const changed = await document.save({ updateFieldAppearances: false, useObjectStreams: false })
    return { file: changed, replacedFonts, units }
  } catch (error) {
    // PDFium renders some files that pdf-lib cannot read
    if (error instanceof InputError) return unchanged
    throw error
  }
}

/** Colour spaces may be in object streams, images may not. */
function found(bytes: Buffer) {
  let hasGrey = bytes.includes('/CalGray')
  let hasJbig2 = false
  let hasMaps = false
  const lists: Buffer[] = []
  for (const { dictionary, data } of streamsIn(bytes))
    if (/\/JBIG2Decode\b/.test(dictionary)) hasJbig2 ||= replacesPixels(data)
    else if (/\/CMapName\b/.test(dictionary)) hasMaps ||= isDifficultMap(inflated(data).toString('latin1'))
    else if (/\/ObjStm\b/.test(dictionary)) lists.push(inflated(data))
  const parts = [bytes, ...lists]
  hasGrey ||= lists.some((list) => list.includes('/CalGray'))
  const hasUnits = parts.some((part) => part.includes('/UserUnit'))
  return { hasGrey, hasJbig2, lacksFonts: lacksFonts(parts), hasMaps, hasUnits }
}

/** Whether there are more fonts than font programs, and a font may have non-Latin letters. */
function lacksFonts(parts: readonly Buffer[]): boolean {
  const others = ['/Differences', '/ToUnicode', '/DescendantFonts']
  if (!parts.some((part) => others.some((entry) => part.includes(entry)))) return false
  const count = (pattern: RegExp): number =>
    parts.reduce((sum, part) => sum + (part.toString('latin1').match(pattern)?.length ?? 0), 0)
  const fonts = count(/\/Subtype\s*\/(?:Type1|MMType1|TrueType|CIDFontType[02])(?![\w])/g)
  return fonts > count(/\/FontFile[23]?\b/g)
}

/** ITU-T T.88, 7.3: segments that draw. */
const REGIONS = new Set([4, 6, 7, 20, 22, 23, 36, 38, 39, 40, 42, 43])
const REPLACE = 4

/** Whether a region of a JBIG2 image replaces pixels (7.4.1.5), instead of combining with them. */
function replacesPixels(data: Buffer): boolean {
  for (let at = 0; at + 11 <= data.length; ) {
    const [number, flags] = [data.readUInt32BE(at), data.readUInt8(at + 4)]
    const [isLong, isFarPage] = [data.readUInt8(at + 5) >> 5 === 7, (flags & 0x40) !== 0]
    const referred = isLong ? data.readUInt32BE(at + 5) & 0x1fffffff : data.readUInt8(at + 5) >> 5
    const referenceBytes = number <= 256 ? 1 : number <= 65_536 ? 2 : 4
    const lengthAt =
      at + (isLong ? 9 + Math.ceil((referred + 1) / 8) : 6) + referred * referenceBytes + (isFarPage ? 4 : 1)
    const start = lengthAt + 4
    if (start + 17 > data.length) return false
    if (REGIONS.has(flags & 0x3f) && (data.readUInt8(start + 16) & 0x07) === REPLACE) return true
    at = start + data.readUInt32BE(lengthAt)
  }
  return false
}

function inflated(data: Buffer): Buffer {
  try {
    return inflateSync(data)
  } catch {
    // not compressed, or damaged
    return data
  }
}

/** Replaces CalGray by a profile of the same gamma. White stays white, as other renderers show it. */
async function replaceCalGrey({ context }: PDFDocument): Promise<void> {
  const { PDFArray, PDFDict, PDFName, PDFNumber, PDFStream } = await import('@cantoo/pdf-lib')
  const profiles = new Map<number, PDFRef>()
  const profileOf = (gamma: number): PDFRef => {
    const made = profiles.get(gamma) ?? context.register(context.flateStream(greyProfile(gamma), { N: 1 }))
    profiles.set(gamma, made)
    return made
  }
  const replace = (space: PDFArray): void => {
    const parameters = space.lookup(1)
    const gamma = parameters instanceof PDFDict ? parameters.lookup(PDFName.of('Gamma')) : undefined
    space.set(0, PDFName.of('ICCBased'))
    space.set(1, profileOf(gamma instanceof PDFNumber && gamma.asNumber() > 0 ? gamma.asNumber() : 1))
  }
  // an explicit stack avoids recursion on hostile depths
  const pending: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object)
  for (let object = pending.pop(); object !== undefined; object = pending.pop()) {
    const holder = object instanceof PDFStream ? object.dict : object
    if (holder instanceof PDFArray && holder.size() >= 2 && holder.get(0) === PDFName.of('CalGray')) replace(holder)
    const values = holder instanceof PDFDict ? holder.values() : holder instanceof PDFArray ? holder.asArray() : []
    for (const value of values) if (value instanceof PDFDict || value instanceof PDFArray) pending.push(value)
  }
}

/** Decodes such JBIG2 images with the newer decoder that PDF.js bundles. */
async function replaceJbig2({ context }: PDFDocument, maxPixels: number): Promise<void> {
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream) || (await filtersOf(object.dict)).at(-1)?.name !== 'JBIG2Decode') continue
    if (!replacesPixels(Buffer.from(object.getContents()))) continue
    const { width, height } = await imageEntries(object)
    const rows = width * height > 0 && width * height <= maxPixels ? await bitsOf(object, { width, height }) : undefined
    if (rows === undefined) continue
    const dict = object.dict.clone(context)
    dict.set(PDFName.of('Filter'), PDFName.of('FlateDecode'))
    dict.delete(PDFName.of('DecodeParms'))
    context.assign(ref, PDFRawStream.of(dict, deflateSync(rows, { level: 1 })))
    collectGarbageIfGrown()
  }
}
