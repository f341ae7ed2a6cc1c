/**
 * Photos of one width below each other. The encoder of JPEG has one thread, so each photo gets its own. A marker after each
 * row of blocks makes their compressed rows independent (ITU-T T.81, restart intervals), so they are put together as they
 * are.
 */
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { DEFAULT_QUALITY } from './encode.ts'
import type { OpenImage } from './image.ts'
import { type Libvips, loadLibvips } from './libvips.ts'

/** Side of a block; at full colour resolution no larger unit exists. */
const BLOCK = 8
/** Encoded at the same time. */
const CONCURRENT_IMAGES = 2
/** Smaller results take as long in one piece. */
const MIN_PIXELS = 4e6

const [MARKER, START, END, HEIGHT_SEGMENT, START_OF_SCAN] = [0xff, 0xd8, 0xd9, 0xc0, 0xda]
/** Eight markers, which take turns. */
const [FIRST_RESTART, RESTARTS] = [0xd0, 8]

type Size = { width: number; height: number }

/**
 * @param size of all of them together
 * @returns what can stack the images, if it is faster than drawing them
 */
export async function stackerOf(images: readonly OpenImage[], size: Size): Promise<Libvips | undefined> {
  const isStackable =
    images.every(
      ({ plain, hasAlpha, format, width }) => plain && !hasAlpha && format === 'jpeg' && width === size.width,
    ) &&
    // the last row of blocks of a photo may be incomplete only at the end
    images.slice(0, -1).every((image) => image.height % BLOCK === 0)
  return isStackable && size.width * size.height >= MIN_PIXELS ? loadLibvips() : undefined
}

/** Rejects when an image cannot be decoded completely. */
export async function stackJpegs(
  libvips: Libvips,
  images: readonly OpenImage[],
  { width, height }: Size,
  path: string,
  onProgress: (share: number) => void,
): Promise<Size> {
  const target = await open(path, 'w')
  try {
    let rows = 0
    for (let i = 0; i < images.length; i += CONCURRENT_IMAGES) {
      const batch = images.slice(i, i + CONCURRENT_IMAGES)
      const parts = batch.map((_, k) => `${path}.part-${i + k}`)
      await settled(batch.map((image, k) => encode(libvips, image, parts[k] as string)))
      for (const [k, part] of parts.entries()) {
        await append(target, await readFile(part), { rows, height })
        await rm(part)
        rows += Math.ceil((batch[k] as OpenImage).height / BLOCK)
      }
      onProgress((i + batch.length) / (images.length + 1))
    }
    await target.appendFile(Uint8Array.of(MARKER, END))
  } finally {
    await target.close()
  }
  return { width, height }
}

/** Waits for all, also when one fails, because the others still write. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason
}

async function encode(libvips: Libvips, image: OpenImage, filename: string): Promise<void> {
  const decoded = libvips.image('jpegload', { filename: image.path, access: 'sequential', 'fail-on': 'error' })
  try {
    const options = { Q: DEFAULT_QUALITY, 'subsample-mode': 'off', keep: 'none' }
    const interval = Math.ceil(image.width / BLOCK)
    await libvips.run('jpegsave', { in: decoded, filename, 'restart-interval': interval, ...options })
  } finally {
    libvips.release(decoded)
  }
}

/**
 * Adds the rows of a part, of which the first one brings the header of all.
 * @param rows of blocks that are there already
 * @param height of the whole picture
 */
async function append(
  target: FileHandle,
  part: Buffer,
  { rows, height }: { rows: number; height: number },
): Promise<void> {
  const scan = startOfScan(part, height)
  const end = part.length - 2
  if (part[end] !== MARKER || part[end + 1] !== END) throw new Error('the encoder wrote no end of the picture')
  if (rows === 0) {
    await target.appendFile(part.subarray(0, end))
    return
  }
  renumber(part, scan, end, rows)
  await target.appendFile(Uint8Array.of(MARKER, FIRST_RESTART + ((rows - 1) % RESTARTS)))
  await target.appendFile(part.subarray(scan, end))
}

/** Writes the height of the whole picture into the header. @returns where the compressed data begins */
function startOfScan(part: Buffer, height: number): number {
  if (part[0] !== MARKER || part[1] !== START) throw new Error('the encoder wrote no JPEG')
  for (let at = 2; part[at] === MARKER; ) {
    const kind = part[at + 1]
    const next = at + 2 + part.readUInt16BE(at + 2)
    if (kind === HEIGHT_SEGMENT) part.writeUInt16BE(height, at + 5)
    if (kind === START_OF_SCAN) return next
    at = next
  }
  throw new Error('the encoder wrote no picture')
}

function renumber(part: Buffer, start: number, end: number, rows: number): void {
  if (rows % RESTARTS === 0) return
  for (let at = part.indexOf(MARKER, start); at >= 0 && at < end; at = part.indexOf(MARKER, at + 2)) {
    const number = (part[at + 1] as number) - FIRST_RESTART
    if (number >= 0 && number < RESTARTS) part[at + 1] = FIRST_RESTART + ((number + rows) % RESTARTS)
  }
}
