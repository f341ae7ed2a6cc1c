/** Encodes images in any of the supported formats. */
import { open } from 'node:fs/promises'
import { bmpBlocks } from './bmp.ts'
import { FORMAT_PROPERTIES, type ImageFormat } from './formats.ts'
import type { Pipeline } from './image.ts'
import { withPixels } from './raw-pixels.ts'
import { correctResolution } from './resolution.ts'

type EncodeOptions = {
  /** Quality of JPEG and WebP, 1 to 100. */
  quality?: number
  /** Keep 16 bits per sample where the format allows it. */
  depth16?: boolean
  /** For GIF: `dither` colours that the palette lacks, which takes twice as long, or `exact` for at most 256 colours. */
  palette?: 'dithered' | 'nearest' | 'exact'
  /** For WebP: lossless. */
  lossless?: boolean
  /** Dots per inch to write; none by default. */
  dpi?: number | undefined
  /** Write a single grey channel where the format allows it. */
  grey?: boolean
}

const DEFAULT_QUALITY = 90
const MM_PER_INCH = 25.4
/** The palette search keeps up to 256 colours exactly only at maximum effort. */
const PALETTES = {
  dithered: { effort: 1, dither: 1 },
  nearest: { effort: 1, dither: 0 },
  exact: {
    effort: 10,
    dither: 0,
    reuse: false,
    keepDuplicateFrames: true,
    interFrameMaxError: 0,
    interPaletteMaxError: 0,
  },
} as const
/** From this quality on, colour is stored at full resolution. */
const FULL_COLOUR_QUALITY = 90

/** Rejects when the source image of the pipeline cannot be decoded completely. */
export async function writeImage(
  pipeline: Pipeline,
  format: ImageFormat,
  path: string,
  options: EncodeOptions = {},
): Promise<{ width: number; height: number; pageHeight?: number | undefined }> {
  const { quality = DEFAULT_QUALITY, depth16 = false, palette = 'dithered', grey = false, lossless = false } = options
  const { dpi } = options
  const deep = depth16 && FORMAT_PROPERTIES[format].depth16
  const isGrey = grey && format !== 'bmp'
  pipeline.toColourspace(deep ? (isGrey ? 'grey16' : 'rgb16') : isGrey ? 'b-w' : 'srgb')
  if (format === 'bmp') {
    return withPixels(pipeline.flatten({ background: '#ffffff' }), async (data, { width, height }) => {
      await writeBlocks(path, bmpBlocks({ data, width, height }))
      return { width, height }
    })
  }
  const encoded = {
    png: () => pipeline.png({ compressionLevel: 6 }),
    jpeg: () =>
      pipeline.flatten({ background: '#ffffff' }).jpeg({
        quality,
        chromaSubsampling: quality >= FULL_COLOUR_QUALITY ? '4:4:4' : '4:2:0',
        // optimised Huffman tables save a few per cent and take three times as long
        optimiseCoding: false,
      }),
    // more effort for a lossless file takes twice as long for 15 % fewer bytes
    webp: () => pipeline.webp(lossless ? { lossless, effort: 0 } : { quality, effort: 3 }),
    tiff: () =>
      pipeline.tiff({
        compression: 'deflate',
        predictor: 'horizontal',
        resolutionUnit: 'inch',
        ...(dpi !== undefined && { xres: dpi / MM_PER_INCH, yres: dpi / MM_PER_INCH }),
      }),
    gif: () => pipeline.gif(PALETTES[palette]),
  }[format]()
  const { width, height, pageHeight } = await encoded.toFile(path)
  await correctResolution(path, format, dpi)
  return { width, height, pageHeight }
}

/** Writes each block while the next one is made. */
async function writeBlocks(path: string, blocks: Iterable<Buffer>): Promise<void> {
  const file = await open(path, 'w')
  try {
    let writing = Promise.resolve()
    for (const block of blocks) {
      await writing
      writing = file.appendFile(block)
    }
    await writing
  } finally {
    await file.close()
  }
}
