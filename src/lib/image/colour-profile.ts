/**
 * Whether libvips can use a colour profile. It ignores profiles that LittleCMS rejects or that do not match the image's
 * samples, and reports this only as a warning event.
 */
import type { default as Sharp } from 'sharp'

/** Samples per pixel, and PhotometricInterpretation (TIFF 6.0), by libvips' name of the colour space. */
const SAMPLES: Record<string, [count: number, photometric: number]> = {
  'b-w': [1, 1],
  grey16: [1, 1],
  srgb: [3, 2],
  rgb16: [3, 2],
  cmyk: [4, 5],
}

let last: Promise<unknown> = Promise.resolve()

/** @param space libvips' name of the image's colour space */
export function isUsableProfile(sharp: typeof Sharp, profile: Buffer, space: string): Promise<boolean> {
  const samples = SAMPLES[space]
  if (samples === undefined) return Promise.resolve(true)
  // sequentially, because all pipelines of libvips share one list of warnings; nothing else may be decoded meanwhile
  const usable = last.then(async () => {
    let isIgnored = false
    await sharp(onePixel(profile, ...samples))
      .on('warning', (text: string) => {
        isIgnored ||= /profile/i.test(text)
      })
      .raw()
      .toBuffer()
    return !isIgnored
  })
  // the caller gets the error; the next probe starts anyway
  last = usable.catch(() => undefined)
  return usable
}

/** A TIFF of one pixel: the only format that libvips reads with all of these sample types. */
function onePixel(profile: Buffer, count: number, photometric: number): Buffer {
  const [SHORT, LONG, UNDEFINED] = [3, 4, 7] as const
  const entry = (tag: number, type: number, value: number, length = 1): Buffer => {
    const bytes = Buffer.alloc(12)
    bytes.writeUInt16LE(tag, 0)
    bytes.writeUInt16LE(type, 2)
    bytes.writeUInt32LE(length, 4)
    bytes.writeUInt32LE(value, 8)
    return bytes
  }
  const head = Buffer.from('II*\0\x08\0\0\0\x0a\0', 'latin1')
  const pixelAt = head.length + 10 * 12 + 4
  return Buffer.concat([
    head,
    // width, height, bits of every sample, no compression
    ...[256, 257].map((tag) => entry(tag, SHORT, 1)),
    entry(258, SHORT, 8),
    entry(259, SHORT, 1),
    entry(262, SHORT, photometric),
    // the only strip
    entry(273, LONG, pixelAt),
    entry(277, SHORT, count),
    entry(278, SHORT, 1),
    entry(279, LONG, count),
    entry(34675, UNDEFINED, pixelAt + 4, profile.length),
    // offset 0: this directory is the last; then the pixel
    Buffer.alloc(8),
    profile,
  ])
}
