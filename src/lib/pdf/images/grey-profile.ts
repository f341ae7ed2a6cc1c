/** An ICC profile (ICC.1:2001) of grey with a gamma. */

const HEADER_BYTES = 128
const TAG_ENTRY_BYTES = 12
const VERSION_2_1 = 0x02100000
/** D50, the white of the profile connection space, as fixed-point numbers of 16 bits before and after the point. */
const D50 = [0xf6d6, 0x10000, 0xd32d]

const text = (signature: string, ...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(signature, 'latin1'), Buffer.alloc(4), ...parts])
const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i)
  return bytes
}
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])

/** @param gamma from 1/256 to 255 */
export function greyProfile(gamma: number): Buffer {
  const curve = Buffer.alloc(2)
  curve.writeUInt16BE(Math.min(0xffff, Math.max(1, Math.round(gamma * 256))))
  const name = Buffer.from('Grey\0', 'latin1')
  const tags: [string, Buffer][] = [
    // an ASCII name, without names in other encodings
    ['desc', text('desc', numbers(name.length), name, Buffer.alloc(78))],
    ['cprt', text('text', Buffer.from('No copyright\0', 'latin1'))],
    ['wtpt', text('XYZ ', numbers(...D50))],
    ['kTRC', text('curv', numbers(1), curve)],
  ]
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(VERSION_2_1, 8)
  header.write('mntrGRAYXYZ ', 12, 'latin1')
  header.write('acsp', 36, 'latin1')
  header.set(numbers(...D50), 68)
  let at = HEADER_BYTES + 4 + TAG_ENTRY_BYTES * tags.length
  const entries: Buffer[] = []
  for (const [signature, data] of tags) {
    entries.push(Buffer.from(signature, 'latin1'), numbers(at, data.length))
    at += padded(data).length
  }
  header.writeUInt32BE(at, 0)
  return Buffer.concat([header, numbers(tags.length), ...entries, ...tags.map(([, data]) => padded(data))])
}
