/** TIFF files written entry by entry for tests, classic and big, of either byte order, with their expected content. */
import fc from 'fast-check'

type Directory = {
  subfile: number
  width: number
  height: number
  samplesPerPixel: number
  compression: number
  /** Sides of a tile; rows of a strip when there are none. */
  tile: { width: number; height: number } | undefined
  rowsPerStrip: number
  /** Offsets of its blocks; the file has no data there. */
  blocks: number[]
  /** Entries that the reader does not use. */
  others: { tag: number; type: number; count: number }[]
}

export type Tiff = {
  bytes: Buffer<ArrayBuffer>
  big: boolean
  little: boolean
  directories: (Directory & { offset: number })[]
}

const [SHORT, LONG, LONG8] = [3, 4, 16] as const
/** Bytes of a value, by its type; ASCII, rationals and floats too. */
const TYPE_BYTES: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 9: 4, 12: 8, 16: 8 }

/** Text of GeoTIFF keys, which the reader does use. */
const GEO_ASCII = 34_737

const side = fc.integer({ min: 1, max: 70_000 })

const directory: fc.Arbitrary<Directory> = fc.record({
  subfile: fc.constantFrom(0, 1, 4, 5),
  width: side,
  height: side,
  samplesPerPixel: fc.integer({ min: 1, max: 20 }),
  compression: fc.constantFrom(1, 5, 7, 8, 50_000),
  tile: fc.option(fc.record({ width: fc.constantFrom(16, 256, 512), height: fc.constantFrom(16, 256, 1024) }), {
    nil: undefined,
  }),
  rowsPerStrip: side,
  blocks: fc.array(fc.nat({ max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 5 }),
  others: fc.array(
    fc.record({
      tag: fc.integer({ min: 33_000, max: 60_000 }).filter((tag) => tag !== GEO_ASCII),
      type: fc.constantFrom(2, 5, 9, 12),
      count: fc.integer({ min: 1, max: 9 }),
    }),
    { maxLength: 4 },
  ),
})

/** Directories in a chain, laid out in any order, with gaps between them. */
export const tiffs: fc.Arbitrary<Tiff> = fc
  .record({
    big: fc.boolean(),
    little: fc.boolean(),
    directories: fc.array(directory, { minLength: 1, maxLength: 5 }),
    shuffle: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
    gaps: fc.array(fc.nat({ max: 30 }), { minLength: 5, maxLength: 5 }),
  })
  .map(({ big, little, directories, shuffle, gaps }) => {
    const order = directories.map((_, i) => i).sort((a, b) => (shuffle[a] as number) - (shuffle[b] as number))
    let at = big ? 16 : 8
    const placed = new Map<number, { offset: number; bytes: Buffer }>()
    for (const i of order) {
      at += 2 * (gaps[i] as number)
      const bytes = written(directories[i] as Directory, at, big, little)
      placed.set(i, { offset: at, bytes })
      at += bytes.length
    }
    const out = Buffer.alloc(at)
    out.write(little ? 'II' : 'MM', 'latin1')
    const put = writer(out, little)
    put(2, 2, big ? 43 : 42)
    if (big) put(4, 2, 8)
    let pointer = big ? 8 : 4
    for (const [i] of directories.entries()) {
      const { offset, bytes } = placed.get(i) as { offset: number; bytes: Buffer }
      bytes.copy(out, offset)
      put(pointer, big ? 8 : 4, offset)
      const entries = little ? bytes.readUInt16LE(0) : bytes.readUInt16BE(big ? 6 : 0)
      pointer = offset + (big ? 8 + 20 * entries : 2 + 12 * entries)
    }
    return {
      bytes: out,
      big,
      little,
      directories: directories.map((one, i) => ({ ...one, offset: placed.get(i)?.offset ?? 0 })),
    }
  })

function writer(bytes: Buffer, little: boolean): (at: number, width: number, value: number) => void {
  return (at, width, value) => {
    if (width === 8) {
      if (little) bytes.writeBigUInt64LE(BigInt(value), at)
      else bytes.writeBigUInt64BE(BigInt(value), at)
    } else if (little) bytes.writeUIntLE(value, at, width)
    else bytes.writeUIntBE(value, at, width)
  }
}

type Entry = { tag: number; type: number; values: number[] }

function entriesOf(one: Directory, big: boolean): Entry[] {
  const { width, height, tile } = one
  const offsets = big ? LONG8 : LONG
  const sized = (value: number): number => (value < 65_536 ? SHORT : LONG)
  return [
    { tag: 254, type: LONG, values: [one.subfile] },
    { tag: 256, type: sized(width), values: [width] },
    { tag: 257, type: sized(height), values: [height] },
    { tag: 258, type: SHORT, values: Array(one.samplesPerPixel).fill(8) },
    { tag: 259, type: SHORT, values: [one.compression] },
    { tag: 277, type: SHORT, values: [one.samplesPerPixel] },
    ...(tile === undefined
      ? [
          { tag: 273, type: offsets, values: one.blocks },
          { tag: 278, type: LONG, values: [one.rowsPerStrip] },
        ]
      : [
          { tag: 322, type: SHORT, values: [tile.width] },
          { tag: 323, type: SHORT, values: [tile.height] },
          { tag: 324, type: offsets, values: one.blocks },
        ]),
    ...one.others.map(({ tag, type, count }) => ({ tag, type, values: Array(count).fill(1) })),
  ].sort((a, b) => a.tag - b.tag)
}

/** A directory, followed by the values that do not fit into it. */
function written(one: Directory, offset: number, big: boolean, little: boolean): Buffer {
  const entries = entriesOf(one, big)
  const [countBytes, entryBytes, offsetBytes] = big ? [8, 20, 8] : [2, 12, 4]
  const head = Buffer.alloc(countBytes + entries.length * entryBytes + offsetBytes)
  const put = writer(head, little)
  put(0, countBytes, entries.length)
  const behind: Buffer[] = []
  let end = offset + head.length
  for (const [i, { tag, type, values }] of entries.entries()) {
    const width = TYPE_BYTES[type] as number
    const data = Buffer.alloc(width * values.length + ((width * values.length) % 2))
    for (const [k, value] of values.entries()) writer(data, little)(k * width, width, value)
    const at = countBytes + i * entryBytes
    put(at, 2, tag)
    put(at + 2, 2, type)
    put(at + 4, offsetBytes, values.length)
    if (width * values.length <= offsetBytes) data.copy(head, at + 4 + offsetBytes)
    else {
      put(at + 4 + offsetBytes, offsetBytes, end)
      behind.push(data)
      end += data.length
    }
  }
  return Buffer.concat([head, ...behind])
}
