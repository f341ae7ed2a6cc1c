/** Adobe RGB, which cameras state in EXIF data only (DCF 2.0, optional colour space). */
import { exifEntries, FIRST_DIRECTORY } from './exif-entries.ts'

const [EXIF, INTEROPERABILITY, INDEX] = [0x8769, 0xa005, 1]

export function statesAdobeRgb(exif: Buffer): boolean {
  const { whole, text, directory } = exifEntries(exif)
  const below = (values: Map<number, number>, tag: number): Map<number, number> =>
    directory(whole(values.get(tag) ?? -1, 4))
  const index = below(below(directory(whole(FIRST_DIRECTORY, 4)), EXIF), INTEROPERABILITY).get(INDEX)
  return index !== undefined && text(index, 3) === 'R03'
}

/** A JPEG with the profile behind its first marker. */
export const withAdobeRgb = (jpeg: Buffer): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), profileSegment(), jpeg.subarray(2)])

function profileSegment(): Buffer {
  const content = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile()])
  const head = Buffer.from([0xff, 0xe2, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

const [HEAD_BYTES, ENTRY_BYTES] = [128, 12]
/** Adobe RGB (1998), 4.3.1.2: primaries and white, adapted to the illuminant D50 of profiles. */
const XYZ = {
  wtpt: [0.9505, 1, 1.0891],
  rXYZ: [0.60974, 0.31111, 0.01947],
  gXYZ: [0.20528, 0.62567, 0.06087],
  bXYZ: [0.14919, 0.06322, 0.74457],
} as const
const D50 = [0.9642, 1, 0.8249] as const
const GAMMA = 2 + 51 / 256
const NAME = 'Adobe RGB (1998) compatible'

const fixed = (numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [i, number] of numbers.entries()) bytes.writeInt32BE(Math.round(number * 65_536), 4 * i)
  return bytes
}

/** A profile of three primaries and a gamma (ICC.1:2001-04). */
function profile(): Buffer {
  const curve = Buffer.alloc(16)
  curve.write('curv', 'latin1')
  curve.writeUInt32BE(1, 8)
  curve.writeUInt16BE(GAMMA * 256, 12)
  const description = Buffer.alloc(12 + NAME.length + 1 + 8 + 70 + 1)
  description.write('desc', 'latin1')
  description.writeUInt32BE(NAME.length + 1, 8)
  description.write(NAME, 12, 'latin1')
  const tags: [name: string, value: Buffer][] = [
    ['desc', description],
    ['cprt', Buffer.from('text\0\0\0\0none\0\0\0\0', 'latin1')],
    ...Object.entries(XYZ).map(([name, numbers]): [string, Buffer] => [
      name,
      Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), fixed(numbers)]),
    ]),
    ...['rTRC', 'gTRC', 'bTRC'].map((name): [string, Buffer] => [name, curve]),
  ]
  const head = Buffer.alloc(HEAD_BYTES + 4 + ENTRY_BYTES * tags.length)
  head.writeUInt32BE(0x02100000, 8)
  head.write('mntrRGB XYZ ', 12, 'latin1')
  head.write('acsp', 36, 'latin1')
  fixed(D50).copy(head, 68)
  head.writeUInt32BE(tags.length, HEAD_BYTES)
  const values: Buffer[] = []
  let at = head.length
  for (const [i, [name, value]] of tags.entries()) {
    const entry = HEAD_BYTES + 4 + ENTRY_BYTES * i
    const padded = Buffer.concat([value, Buffer.alloc(-value.length & 3)])
    head.write(name, entry, 'latin1')
    head.writeUInt32BE(at, entry + 4)
    head.writeUInt32BE(value.length, entry + 8)
    values.push(padded)
    at += padded.length
  }
  head.writeUInt32BE(at, 0)
  return Buffer.concat([head, ...values])
}
