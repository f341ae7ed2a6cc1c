/** EXIF data written entry by entry (JEITA CP-3451), of either byte order, and JPEG files that contain them. */

export const TYPE = { BYTE: 1, ASCII: 2, SHORT: 3, LONG: 4, RATIONAL: 5, UNDEFINED: 7, SRATIONAL: 10 } as const
const SIZES: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 10: 8 }
/** Rationals are pairs of numbers in the list. */
export type Entry = [tag: number, type: number, value: string | readonly number[]]
export type Exif = { ifd0: Entry[]; exif?: Entry[]; gps?: Entry[]; ifd1?: Entry[] }

export function exifBlock({ ifd0, exif = [], gps = [], ifd1 = [] }: Exif, little: boolean): Buffer {
  const sizeOf = (entries: readonly Entry[]): number => (entries.length === 0 ? 0 : 6 + 12 * entries.length)
  const first: Entry[] = [...ifd0]
  if (exif.length > 0) first.push([0x8769, TYPE.LONG, [0]])
  if (gps.length > 0) first.push([0x8825, TYPE.LONG, [0]])
  const [exifAt, gpsAt] = [8 + sizeOf(first), 8 + sizeOf(first) + sizeOf(exif)]
  const ifd1At = gpsAt + sizeOf(gps)
  for (const entry of first)
    if (entry[0] === 0x8769 || entry[0] === 0x8825) entry[2] = [entry[0] === 0x8769 ? exifAt : gpsAt]
  const head = Buffer.alloc(ifd1At + sizeOf(ifd1))
  const whole = (value: number, bytes: number, into: Buffer, at: number): void => {
    const unsigned = value < 0 ? value + 2 ** (8 * bytes) : value
    if (little) into.writeUIntLE(unsigned, at, bytes)
    else into.writeUIntBE(unsigned, at, bytes)
  }
  head.write(little ? 'II' : 'MM', 'latin1')
  whole(42, 2, head, 2)
  whole(8, 4, head, 4)
  const values: Buffer[] = []
  let end = head.length
  const write = (entries: readonly Entry[], at: number, next: number): void => {
    if (entries.length === 0) return
    whole(entries.length, 2, head, at)
    for (const [i, [tag, type, value]] of entries.entries()) {
      const size = SIZES[type] as number
      const bytes =
        typeof value === 'string' ? Buffer.from(value) : Buffer.alloc(size > 4 ? 4 * value.length : size * value.length)
      if (typeof value !== 'string')
        for (const [k, number] of value.entries()) whole(number, Math.min(size, 4), bytes, k * Math.min(size, 4))
      const entry = at + 2 + 12 * i
      whole(tag, 2, head, entry)
      whole(type, 2, head, entry + 2)
      whole(bytes.length / size, 4, head, entry + 4)
      if (bytes.length <= 4) bytes.copy(head, entry + 8)
      else {
        whole(end, 4, head, entry + 8)
        values.push(bytes, Buffer.alloc(bytes.length % 2))
        end += bytes.length + (bytes.length % 2)
      }
    }
    whole(next, 4, head, at + 2 + 12 * entries.length)
  }
  write(first, 8, ifd1.length > 0 ? ifd1At : 0)
  write(exif, exifAt, 0)
  write(gps, gpsAt, 0)
  write(ifd1, ifd1At, 0)
  return Buffer.concat([head, ...values])
}

export function segment(marker: number, ...parts: (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}
export const exifSegment = (block: Buffer): Buffer => segment(0xe1, 'Exif\0\0', block)
export const xmpSegment = (xmp: string): Buffer => segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', Buffer.from(xmp))

/** A JPEG with additional segments at its beginning. */
export const withSegments = (jpeg: Buffer, ...segments: Buffer[]): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
