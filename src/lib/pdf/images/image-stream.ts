/** Embeds images in a PDF: JPEG files unchanged, others as the compressed pixel data of a PNG. */
import { readFile } from 'node:fs/promises'
import type { PDFDocument, PDFRef } from '@cantoo/pdf-lib'
import { hasTransparency, loadSharp, type OpenImage } from '../../image/image.ts'

type Plane = { packed: Uint8Array; colours: 1 | 3 }

/** Quality of a JPEG that has to be recompressed. */
const QUALITY = 92

/** Adds an image to a document. @returns its reference */
export async function embedImage(document: PDFDocument, image: OpenImage): Promise<PDFRef> {
  const { context } = document
  const imageEntries = {
    Type: 'XObject',
    Subtype: 'Image',
    Width: image.width,
    Height: image.height,
    BitsPerComponent: 8,
  }
  if (image.format === 'jpeg') {
    const bytes = image.plain ? await readFile(image.path) : await recompress(image)
    const space = image.plain && image.space === 'b-w' ? 'DeviceGray' : 'DeviceRGB'
    const stream = context.stream(bytes, { ...imageEntries, ColorSpace: space, Filter: 'DCTDecode' })
    return context.register(stream)
  }
  const colour: Plane = { packed: packedPixels(await rgbPng(image)), colours: 3 }
  const mask = (await hasTransparency(image)) ? await embedAlpha(document, image, imageEntries) : undefined
  const dict = { ...imageEntries, ...flate(colour, image.width), ColorSpace: 'DeviceRGB', ...(mask && { SMask: mask }) }
  return context.register(context.stream(colour.packed, dict))
}

async function embedAlpha({ context }: PDFDocument, image: OpenImage, imageEntries: object): Promise<PDFRef> {
  const alpha: Plane = { packed: packedPixels(await alphaPng(image)), colours: 1 }
  return context.register(
    context.stream(alpha.packed, { ...imageEntries, ...flate(alpha, image.width), ColorSpace: 'DeviceGray' }),
  )
}

const recompress = (image: OpenImage): Promise<Buffer> =>
  image.pipeline().toColourspace('srgb').jpeg({ quality: QUALITY, chromaSubsampling: '4:4:4' }).toBuffer()

const rgbPng = (image: OpenImage): Promise<Buffer> =>
  image.pipeline().toColourspace('srgb').removeAlpha().png().toBuffer()

async function alphaPng(image: OpenImage): Promise<Buffer> {
  const sharp = await loadSharp()
  const { data, info } = await image
    .pipeline()
    .toColourspace('srgb')
    .extractChannel(3)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer()
}

/** ISO 32000-1, 7.4.4.4: predictor values from 10 on are PNG predictors. */
const flate = ({ colours }: Plane, width: number) => ({
  Filter: 'FlateDecode',
  DecodeParms: { Predictor: 15, Colors: colours, BitsPerComponent: 8, Columns: width },
})

const PNG_SIGNATURE_BYTES = 8

/** Concatenates the IDAT chunks of a PNG. */
export function packedPixels(png: Buffer): Uint8Array {
  const chunks: Buffer[] = []
  for (let at = PNG_SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') chunks.push(png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return Buffer.concat(chunks)
}
