/** Makes PDFs smaller: recompresses images, subsets fonts, merges duplicate streams and drops unused data. */
import { createHash } from 'node:crypto'
import type { PDFDict, PDFDocument, PDFObject, PDFRef } from '@cantoo/pdf-lib'
import { fieldText } from '../../../field-texts/field-text.ts'
import { collectGarbageIfGrown } from '../../gc-pressure.ts'
import { InputError } from '../../input-error.ts'
import { subsetFonts } from '../fonts/subset-fonts.ts'
import { compressImages, type ImageQuality } from '../images/compress-images.ts'
import { filtersOf } from './filters.ts'
import { loadPdf, type OpenPdf } from './open-pdf.ts'
import { usageOf } from './page-usage.ts'
import { checkImageBytes } from './stream-sizes.ts'

export const QUALITIES = ['screen', 'ebook', 'print'] as const
export type Quality = (typeof QUALITIES)[number]

/** Resolutions match Ghostscript's settings of the same names. */
const SETTINGS: Record<Quality, ImageQuality> = {
  screen: { dpi: 72, bilevelDpi: 300, quality: 60, fullChroma: false, keepsInks: false },
  ebook: { dpi: 150, bilevelDpi: 300, quality: 70, fullChroma: false, keepsInks: false },
  print: { dpi: 300, bilevelDpi: 1200, quality: 82, fullChroma: true, keepsInks: true },
}
/** Recompresses every stream in the same way, and drops resources that a page names but does not use. */
const NORMALISE = [
  '--decode-level=specialized',
  '--recompress-flate',
  '--compression-level=6',
  '--remove-unreferenced-resources=yes',
]
/** Entries that applications store for their own use. */
const PRIVATE_KEYS = ['PieceInfo', 'Thumb', 'LastModified', 'SpiderInfo']

/**
 * Writes a smaller version of the file.
 * @param maxPixels limit for one image
 * @throws InputError `pixels` when an image is larger; `decodedBytes`, `unreadable`
 */
export async function compress(
  open: OpenPdf,
  quality: Quality,
  maxPixels: number,
  to: string,
  onProgress: (share: number) => void,
): Promise<void> {
  await checkImages(open, maxPixels)
  collectGarbageIfGrown()
  await open.edit(
    async (document) => {
      await removePrivateData(document)
      await mergeDuplicates(document)
      const usage = await usageOf(document)
      await subsetFonts(document, usage)
      await compressImages(document, usage.dpi, SETTINGS[quality], onProgress)
    },
    to,
    { args: NORMALISE, sweep: true },
  )
}

/** Checks all images before any is decoded. */
async function checkImages(open: OpenPdf, maxPixels: number): Promise<void> {
  const { PDFName, PDFNumber, PDFRawStream, PDFStream } = await import('@cantoo/pdf-lib')
  const { context } = await loadPdf(await open.plain())
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFStream) || object.dict.lookup(PDFName.of('Subtype')) !== PDFName.of('Image')) continue
    const [width = 0, height = 0] = ['Width', 'Height'].map((name) => {
      const value = object.dict.lookup(PDFName.of(name))
      return value instanceof PDFNumber ? value.asNumber() : 0
    })
    if (width * height > maxPixels)
      throw new InputError(
        'pixels',
        fieldText('imagePixels', { size: `${width} × ${height}`, most: Math.floor(maxPixels / 1e6) }),
      )
    if (object instanceof PDFRawStream) {
      const filters = await filtersOf(object.dict)
      await checkImageBytes(
        object.getContents(),
        filters.map(({ name }) => name),
      )
    }
  }
}

async function removePrivateData({ context }: PDFDocument): Promise<void> {
  const { PDFDict, PDFName, PDFStream } = await import('@cantoo/pdf-lib')
  for (const [, object] of context.enumerateIndirectObjects()) {
    const dict = object instanceof PDFStream ? object.dict : object
    if (dict instanceof PDFDict) for (const name of PRIVATE_KEYS) dict.delete(PDFName.of(name))
  }
}

/** Merges streams with equal dictionaries and contents. */
async function mergeDuplicates({ context }: PDFDocument): Promise<void> {
  const { PDFArray, PDFDict, PDFRawStream, PDFRef, PDFStream } = await import('@cantoo/pdf-lib')
  const first = new Map<string, PDFRef>()
  const duplicates = new Map<PDFRef, PDFRef>()
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream)) continue
    const digest = createHash('sha256').update(object.dict.toString()).update(object.getContents()).digest('base64')
    const original = first.get(digest)
    if (original === undefined) first.set(digest, ref)
    else duplicates.set(ref, original)
  }
  if (duplicates.size === 0) return
  const open: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object)
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    const holder = object instanceof PDFStream ? object.dict : object
    if (holder instanceof PDFDict) replaceIn(holder, open)
    else if (holder instanceof PDFArray)
      for (const [i, value] of holder.asArray().entries())
        if (value instanceof PDFRef) holder.set(i, duplicates.get(value) ?? value)
        else if (value instanceof PDFDict || value instanceof PDFArray) open.push(value)
  }
  for (const ref of duplicates.keys()) context.delete(ref)

  function replaceIn(holder: PDFDict, open: PDFObject[]): void {
    for (const [name, value] of holder.entries())
      if (value instanceof PDFRef) {
        const original = duplicates.get(value)
        if (original !== undefined) holder.set(name, original)
      } else if (value instanceof PDFDict || value instanceof PDFArray) open.push(value)
  }
}
