/**
 * Writes images with a mark. To draw one, sharp adds an alpha channel to the whole image and removes it again, which takes
 * a fifth of the time of a large JPEG. In a JPEG, libvips therefore draws on the part below the mark alone, and inserts
 * that into the image.
 */
import { DEFAULT_QUALITY, writeImage } from './encode.ts'
import type { ImageFormat } from './formats.ts'
import type { OpenImage } from './image.ts'
import { type Libvips, loadLibvips, type VipsImage } from './libvips.ts'
import { type PlacedMark, withMark } from './watermark.ts'

/** Rows that the two readers of the image share at a time. */
const SHARED_ROWS = 64

/** Pixels that libvips reads in place; held here so that they are not freed meanwhile. */
const inUse = new Set<Uint8Array>()

/** Rejects when the image cannot be decoded completely. */
export async function writeMarked(
  image: OpenImage,
  mark: PlacedMark,
  format: ImageFormat,
  path: string,
  load = loadLibvips,
): Promise<{ width: number; height: number }> {
  const isInsertable = image.plain && !image.hasAlpha && image.format === 'jpeg' && format === 'jpeg'
  const libvips = isInsertable ? await load() : undefined
  if (libvips === undefined) return writeImage(withMark(image, mark), format, path)
  await insertMark(libvips, image.path, mark, path)
  return { width: image.width, height: image.height }
}

/** The result has the same bytes as one of sharp, whose options these are. */
async function insertMark(libvips: Libvips, source: string, mark: PlacedMark, target: string): Promise<void> {
  const held: VipsImage[] = []
  const hold = (image: VipsImage): VipsImage => {
    held.push(image)
    return image
  }
  inUse.add(mark.data)
  try {
    const image = markedImage(libvips, source, mark, hold)
    const options = { Q: DEFAULT_QUALITY, 'subsample-mode': 'off', keep: 'none' }
    await libvips.run('jpegsave', { in: image, filename: target, ...options })
  } finally {
    for (const image of held.reverse()) libvips.release(image)
    inUse.delete(mark.data)
  }
}

/** @param hold keeps every image that is made until the work is done */
function markedImage(
  libvips: Libvips,
  source: string,
  { data, width, height, left, top }: PlacedMark,
  hold: (image: VipsImage) => VipsImage,
): VipsImage {
  const make: Libvips['image'] = (operation, inputs) => hold(libvips.image(operation, inputs))
  const decoded = make('jpegload', { filename: source, access: 'sequential', 'fail-on': 'error' })
  // both the insertion and the part below the mark read the rows, which can be decoded only once
  const cache = { access: 'sequential', 'tile-height': SHARED_ROWS, persistent: true }
  const image = make('linecache', { in: decoded, ...cache })
  const part = make('extract_area', { input: image, left, top, width, height })
  const mark = make('copy', { in: hold(libvips.imageOf(data, width, height)), interpretation: 'srgb' })
  const both = { base: make('addalpha', { in: part }), overlay: mark }
  const drawn = make('composite2', { ...both, mode: 'over', x: 0, y: 0 })
  return make('insert', { main: image, sub: make('extract_band', { in: drawn, band: 0, n: 3 }), x: left, y: top })
}
