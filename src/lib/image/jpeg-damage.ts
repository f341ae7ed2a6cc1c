/**
 * Finds damage in the compressed data of sequential JPEG files. libjpeg decodes damaged files as far as possible, and
 * libvips stops after the last row, before libjpeg could notice leftover data. This code reads the Huffman codes
 * without decoding pixels (ITU-T T.81, annex F): damage is an undefined code, too little data, or more data than the
 * picture needs.
 */

import { append, largest } from '../../lists.ts'

type Component = { id: number; h: number; v: number }
type Frame = { width: number; height: number; components: Component[] }
/** Indexed by the next 16 bits: the length of the code at their start times 256, plus its symbol; 0 for no code. */
type Table = Uint16Array
type Tables = { dc: (Table | undefined)[]; ac: (Table | undefined)[] }
type Block = { dc: Table; ac: Table }
/** Blocks of one minimum coded unit, each with its tables. */
type Scan = { units: number; blocks: Block[]; restart: number }

const [SOI, EOI, SOS, DHT, DRI, FIRST_RESTART, TEM] = [0xd8, 0xd9, 0xda, 0xc4, 0xdd, 0xd0, 0x01]
const SEQUENTIAL = [0xc0, 0xc1]
/** Markers of other frames: progressive, lossless or with arithmetic coding. */
const isOtherFrame = (marker: number): boolean =>
  marker >= 0xc2 && marker <= 0xcf && ![DHT, 0xc8, 0xcc].includes(marker)

/** @returns undefined for other kinds of JPEG, and for headers that cannot be read */
export function hasDamagedData(bytes: Buffer): boolean | undefined {
  const tables: Tables = { dc: [], ac: [] }
  let frame: Frame | undefined
  let restart = 0
  for (let at = 0; at + 1 < bytes.length; ) {
    if (bytes[at] !== 0xff) return frame === undefined ? undefined : true
    const marker = bytes[at + 1] as number
    if (marker === 0xff) at++
    else if (marker === EOI) return frame === undefined ? undefined : false
    else if (marker === SOI || marker === TEM) at += 2
    else {
      const end = at + 2 + (at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0)
      const segment = bytes.subarray(at + 4, end)
      if (end < at + 4 || end > bytes.length || isOtherFrame(marker)) return undefined
      at = end
      if (SEQUENTIAL.includes(marker)) frame = frameOf(segment)
      else if (marker === DHT) readTables(segment, tables)
      else if (marker === DRI && segment.length >= 2) restart = segment.readUInt16BE(0)
      else if (marker === SOS) {
        const scan = frame && scanOf(segment, frame, tables, restart)
        if (scan === undefined) return undefined
        const after = endOfScan(bytes, at, scan)
        if (after === undefined) return true
        at = after
      }
    }
  }
  // the end is missing, but every pixel was read
  return frame === undefined ? undefined : false
}

function frameOf(segment: Buffer): Frame | undefined {
  const count = segment[5] ?? 0
  if (segment.length < 6 + 3 * count || count === 0) return undefined
  const components = Array.from({ length: count }, (_, i) => {
    const sampling = segment.readUInt8(7 + 3 * i)
    return { id: segment.readUInt8(6 + 3 * i), h: sampling >> 4, v: sampling & 15 }
  })
  const [height, width] = [segment.readUInt16BE(1), segment.readUInt16BE(3)]
  // a height of 0 follows the first scan
  return height * width === 0 || components.some(({ h, v }) => h * v === 0) ? undefined : { width, height, components }
}

/** Annex C: the lengths of the codes are followed by the symbols in the order of their codes. */
function readTables(segment: Buffer, tables: Tables): void {
  for (let at = 0; at + 17 <= segment.length; ) {
    const head = segment.readUInt8(at)
    const table = new Uint16Array(65_536)
    let symbol = at + 17
    let first = 0
    for (let length = 1; length <= 16; length++)
      for (let i = segment.readUInt8(at + length); i > 0; i--) {
        const next = first + (1 << (16 - length))
        table.fill((length << 8) | (segment[symbol++] ?? 0), first, next)
        first = next
      }
    const list = head >> 4 === 0 ? tables.dc : tables.ac
    list[head & 15] = table
    at = symbol
  }
}

/** A.2: a scan of one component has only the blocks that its samples need; others have whole units. */
function scanOf(
  segment: Buffer,
  { width, height, components }: Frame,
  tables: Tables,
  restart: number,
): Scan | undefined {
  const count = segment[0] ?? 0
  if (segment.length < 1 + 2 * count || count === 0) return undefined
  const most = (side: 'h' | 'v'): number => largest(components.map((one) => one[side]))
  const [h, v] = [most('h'), most('v')]
  const blocks: Scan['blocks'] = []
  let units = Math.ceil(width / (8 * h)) * Math.ceil(height / (8 * v))
  for (let i = 0; i < count; i++) {
    const component = components.find(({ id }) => id === segment[1 + 2 * i])
    const chosen = segment.readUInt8(2 + 2 * i)
    const [dc, ac] = [tables.dc[chosen >> 4], tables.ac[chosen & 15]]
    if (component === undefined || dc === undefined || ac === undefined) return undefined
    const samples = (side: number, share: number, all: number): number => Math.ceil(Math.ceil((side * share) / all) / 8)
    if (count === 1) units = samples(width, component.h, h) * samples(height, component.v, v)
    append(blocks, new Array<Block>(count === 1 ? 1 : component.h * component.v).fill({ dc, ac }))
  }
  return { units, blocks, restart }
}

/**
 * All state is in local variables, which compilers keep in registers, and one step reads a code with its value: most of
 * the time goes into this loop.
 * @returns where the marker after the scan is; undefined for damaged data
 */
function endOfScan(bytes: Buffer, start: number, { units, blocks, restart }: Scan): number | undefined {
  let at = start
  /** The next bits, highest first, padded with zeros after the end. */
  let bits = 0
  let count = 0
  let zeros = 0
  for (let unit = 0; unit <= units; unit++) {
    if (unit === units || (restart > 0 && unit > 0 && unit % restart === 0)) {
      // the remaining bits of the last byte are padding
      const left = count - zeros
      if (left < 0 || left > 7 || (at < bytes.length && (bytes[at] !== 0xff || bytes[at + 1] === 0))) return undefined
      if (unit === units) return at
      bits = count = zeros = 0
      while (bytes[at + 1] === 0xff) at++
      if (bytes[at + 1] !== FIRST_RESTART + ((unit / restart - 1) % 8)) return undefined
      at += 2
    }
    for (let i = 0; i < blocks.length; i++) {
      const { dc, ac } = blocks[i] as Block
      let table = dc
      for (let k = 0; k < 64; ) {
        for (; count <= 24; count += 8) {
          const byte = at < bytes.length ? (bytes[at] as number) : 0xff
          // in the data, a byte of 255 is followed by a stuffed zero
          if (byte === 0xff && bytes[at + 1] !== 0) zeros += 8
          else {
            bits |= byte << (24 - count)
            at += byte === 0xff ? 2 : 1
          }
        }
        const entry = table[bits >>> 16] as number
        if (entry === 0) return undefined
        const size = entry & 15
        if (k === 0) {
          table = ac
          k = 1
        } else if (size > 0) {
          k += (entry >> 4) & 15
          if (k > 63) return undefined
          k++
        }
        // the end of the block, or 16 zeros
        else k = (entry & 0xf0) === 0xf0 ? k + 16 : 64
        const length = (entry >> 8) + size
        if (length < count) {
          bits <<= length
          count -= length
        } else {
          // the rest of the value is in bits not read yet, possibly the last ones
          let rest = length - count
          bits = count = 0
          for (; rest > 0; rest -= 8) {
            const byte = at < bytes.length ? (bytes[at] as number) : 0xff
            if (byte === 0xff && bytes[at + 1] !== 0) return undefined
            at += byte === 0xff ? 2 : 1
            if (rest < 8) {
              bits = byte << (24 + rest)
              count = 8 - rest
            }
          }
        }
      }
      if (count < zeros) return undefined
    }
  }
  return undefined
}
