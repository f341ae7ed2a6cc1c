/** Pictures written in any of the formats. */
import { writeFile } from 'node:fs/promises'
import { encodeBmp } from './bmp.ts'
import { FORMAT_FACTS, type ImageFormat } from './formats.ts'
import type { Pipeline } from './image.ts'

export type EncodeOptions = {
  /** Of JPEG and WebP, 1 to 100. */
  quality?: number
  /** Keep 16 bits a sample where the format can. */
  depth16?: boolean
  /** Of GIF: spread what 256 colours cannot show over neighbours; takes twice as long. */
  dither?: boolean
  /** One channel for brightness where the format can. */
  grey?: boolean
}

const DEFAULT_QUALITY = 90
/** From here on colour is kept at full resolution. */
const FULL_COLOUR_QUALITY = 90

/** Rejects when the picture behind the pipeline cannot be decoded to its end. */
export async function writeImage(
  pipeline: Pipeline,
  format: ImageFormat,
  path: string,
  { quality = DEFAULT_QUALITY, depth16 = false, dither = true, grey = false }: EncodeOptions = {},
): Promise<{ width: number; height: number; pageHeight?: number | undefined }> {
  const deep = depth16 && FORMAT_FACTS[format].depth16
  const grey1 = grey && format !== 'bmp'
  pipeline.toColourspace(deep ? (grey1 ? 'grey16' : 'rgb16') : grey1 ? 'b-w' : 'srgb')
  if (format === 'bmp') {
    const { data, info } = await pipeline.flatten({ background: '#ffffff' }).raw().toBuffer({ resolveWithObject: true })
    const { width, height } = info
    await writeFile(path, encodeBmp({ data, width, height }))
    return { width, height }
  }
  const encoded = {
    png: () => pipeline.png({ compressionLevel: 6 }),
    jpeg: () =>
      pipeline.flatten({ background: '#ffffff' }).jpeg({
        quality,
        chromaSubsampling: quality >= FULL_COLOUR_QUALITY ? '4:4:4' : '4:2:0',
        // tables made for each picture save a few per cent and take three times as long
        optimiseCoding: false,
      }),
    webp: () => pipeline.webp({ quality, effort: 3 }),
    tiff: () => pipeline.tiff({ compression: 'deflate', predictor: 'horizontal' }),
    gif: () => pipeline.gif({ effort: 1, dither: dither ? 1 : 0 }),
  }[format]()
  const { width, height, pageHeight } = await encoded.toFile(path)
  return { width, height, pageHeight }
}
