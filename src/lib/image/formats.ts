/** The supported image formats, and how their first bytes identify them. */

export const IMAGE_FORMATS = ['png', 'jpeg', 'webp', 'bmp', 'tiff', 'gif'] as const
export type ImageFormat = (typeof IMAGE_FORMATS)[number]

/** Capabilities of a format, and its name, extension and media type. */
export const FORMAT_PROPERTIES: Record<
  ImageFormat,
  {
    name: string
    extension: string
    mediaType: string
    alpha: boolean
    animation: boolean
    depth16: boolean
    metadata: boolean
    /** Longest side that the format or its encoder allows. */
    maxSide: number
    /** Above this, the encoder needs too much memory. */
    maxPixels: number
  }
> = {
  png: {
    name: 'PNG',
    extension: 'png',
    mediaType: 'image/png',
    alpha: true,
    animation: false,
    depth16: true,
    metadata: true,
    maxSide: 1_000_000,
    maxPixels: Infinity,
  },
  jpeg: {
    name: 'JPEG',
    extension: 'jpg',
    mediaType: 'image/jpeg',
    alpha: false,
    animation: false,
    depth16: false,
    metadata: true,
    maxSide: 65_500,
    maxPixels: Infinity,
  },
  webp: {
    name: 'WebP',
    extension: 'webp',
    mediaType: 'image/webp',
    alpha: true,
    animation: true,
    depth16: false,
    metadata: true,
    maxSide: 16_383,
    maxPixels: 60e6,
  },
  bmp: {
    name: 'BMP',
    extension: 'bmp',
    mediaType: 'image/bmp',
    alpha: false,
    animation: false,
    depth16: false,
    metadata: false,
    maxSide: 1_000_000,
    maxPixels: Infinity,
  },
  tiff: {
    name: 'TIFF',
    extension: 'tiff',
    mediaType: 'image/tiff',
    alpha: true,
    animation: false,
    depth16: true,
    metadata: true,
    maxSide: 1_000_000,
    maxPixels: Infinity,
  },
  gif: {
    name: 'GIF',
    extension: 'gif',
    mediaType: 'image/gif',
    alpha: true,
    animation: true,
    depth16: false,
    metadata: false,
    maxSide: 65_535,
    maxPixels: 60e6,
  },
}

export const HEAD_BYTES = 32

const SIGNATURES: readonly [ImageFormat, (head: Buffer) => boolean][] = [
  ['png', (head) => head.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['jpeg', (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff],
  ['webp', (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'],
  ['gif', (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6))],
  ['tiff', (head) => /^(II[*+]\0|MM\0[*+])/.test(head.toString('latin1', 0, 4))],
  // also check the size of the header, because the letters BM alone are common in other files
  ['bmp', (head) => head.toString('latin1', 0, 2) === 'BM' && BMP_HEADERS.has(head.readUInt32LE(14))],
]
const BMP_HEADERS = new Set([40, 52, 56, 64, 108, 124])

/** @param head the first `HEAD_BYTES` bytes of a file, or all of a shorter one */
export function imageFormatOf(head: Buffer): ImageFormat | undefined {
  if (head.length < HEAD_BYTES) return undefined
  return SIGNATURES.find(([, matches]) => matches(head))?.[0]
}
