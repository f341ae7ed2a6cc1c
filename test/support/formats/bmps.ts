/** Bitmaps written pixel by pixel for tests, in every form of the format, with their expected pixels. */
import fc from 'fast-check'

export type Bitmap = {
  /** Name of the bitmap in messages. */
  form: string
  bytes: Buffer<ArrayBuffer>
  width: number
  height: number
  /** Red, green, blue and alpha of each pixel, from the top left. */
  rgba: Uint8Array
}

const FILE_HEADER_BYTES = 14
/** Sizes of headers, from Windows 3 to version 5. */
const HEADERS = [40, 52, 56, 64, 108, 124] as const
const [RGB, RLE8, RLE4, BITFIELDS, ALPHA_BITFIELDS] = [0, 1, 2, 3, 6] as const

type Layout = { width: number; height: number; topDown: boolean; header: number; gap: number }

const layout = (topDown: fc.Arbitrary<boolean>, headers: readonly number[] = HEADERS): fc.Arbitrary<Layout> =>
  fc.record({
    width: fc.integer({ min: 1, max: 21 }),
    height: fc.integer({ min: 1, max: 9 }),
    topDown,
    header: fc.constantFrom(...headers),
    // bytes between the colours and the pixels
    gap: fc.constantFrom(0, 0, 2, 7),
  })

type Parts = { bits: number; compression: number; afterHeader: Buffer; colours: number; masks?: readonly number[] }

function file({ width, height, topDown, header, gap }: Layout, parts: Parts, pixels: Uint8Array): Buffer<ArrayBuffer> {
  const { bits, compression, afterHeader, colours, masks } = parts
  const offset = FILE_HEADER_BYTES + header + afterHeader.length + gap
  const head = Buffer.alloc(FILE_HEADER_BYTES + header)
  head.write('BM', 'latin1')
  head.writeUInt32LE(offset + pixels.length, 2)
  head.writeUInt32LE(offset, 10)
  head.writeUInt32LE(header, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(topDown ? -height : height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(bits, 28)
  head.writeUInt32LE(compression, 30)
  head.writeUInt32LE(pixels.length, 34)
  head.writeUInt32LE(colours, 46)
  for (const [i, mask] of (masks ?? []).entries()) if (header >= 44 + 4 * i) head.writeUInt32LE(mask >>> 0, 54 + 4 * i)
  return Buffer.concat([head, afterHeader, Buffer.alloc(gap, 0xaa), pixels])
}

/** Rows as they lie in the file: bottom row first unless the bitmap is top-down. */
const storedRows = <T>(rows: readonly T[], topDown: boolean): T[] => (topDown ? [...rows] : rows.toReversed())

const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
type Colour = [red: number, green: number, blue: number]

const paletteBytes = (palette: readonly Colour[]): Buffer =>
  Buffer.from(palette.flatMap(([red, green, blue]) => [blue, green, red, 0]))

const opaque = (palette: readonly Colour[], indices: readonly number[][]): Uint8Array =>
  Uint8Array.from(indices.flatMap((row) => row.flatMap((index) => [...(palette[index] as Colour), 255])))

const grid = <T>(width: number, height: number, item: fc.Arbitrary<T>): fc.Arbitrary<T[][]> =>
  fc.array(fc.array(item, { minLength: width, maxLength: width }), { minLength: height, maxLength: height })

type Indexed = { at: Layout; palette: Colour[]; indices: number[][] }

/** @param bits per index */
const indexed = (bits: number, shape: fc.Arbitrary<Layout>): fc.Arbitrary<Indexed> =>
  fc
    .tuple(shape, fc.array(colour, { minLength: 1, maxLength: Math.min(2 ** bits, 20) }))
    .chain(([at, palette]) =>
      grid(at.width, at.height, fc.nat(palette.length - 1)).map((indices) => ({ at, palette, indices })),
    )

/** 1, 4 and 8 bits per pixel, packed. */
const packed: fc.Arbitrary<Bitmap> = fc.constantFrom(1, 4, 8).chain((bits) =>
  indexed(bits, layout(fc.boolean())).map(({ at, palette, indices }) => {
    const rows = storedRows(indices, at.topDown).map((row) => {
      const out = Buffer.alloc(Math.ceil((at.width * bits) / 32) * 4)
      row.forEach((index, x) => {
        const bit = x * bits
        out[bit >> 3] = (out[bit >> 3] as number) | (index << (8 - bits - (bit & 7)))
      })
      return out
    })
    const parts = { bits, compression: RGB, afterHeader: paletteBytes(palette), colours: palette.length }
    return bitmap(`${bits} bits`, at, file(at, parts, Buffer.concat(rows)), opaque(palette, indices))
  }),
)

const bitmap = (form: string, at: Layout, bytes: Buffer<ArrayBuffer>, rgba: Uint8Array): Bitmap => ({
  form: `${form}, header of ${at.header}${at.topDown ? ', top-down' : ''}`,
  bytes,
  width: at.width,
  height: at.height,
  rgba,
})

/** How a row is cut into runs: the number of pixels of each run, and the preferred kind of run. */
const cuts = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom('run', 'literal', 'skip')), {
  minLength: 1,
  maxLength: 8,
})

/** Run lengths of 8 or 4 bits: encoded runs, literal ones, and jumps over pixels of index 0. */
const runLengths: fc.Arbitrary<Bitmap> = fc.constantFrom(8, 4).chain((bits) =>
  fc
    .tuple(indexed(bits, layout(fc.constant(false))), cuts, fc.boolean())
    .map(([{ at, palette, indices }, ways, jumpsDown]) => {
      const out: number[] = []
      const stored = storedRows(indices, false)
      for (let y = 0; y < at.height; y++) {
        const row = stored[y] as number[]
        for (let x = 0, i = 0; x < at.width; i++) {
          const [length, way] = ways[i % ways.length] as [number, string]
          const piece = row.slice(x, x + length)
          if (way === 'skip' && piece.every((index) => index === 0)) out.push(0, 2, piece.length, 0)
          else if (way !== 'run' && piece.length >= 3) out.push(0, piece.length, ...literal(piece, bits))
          else out.push(...encoded(piece, bits))
          x += piece.length
        }
        // the next row is reached by the end of this one, or by a jump from its end to its beginning
        const nextIsBlank = stored[y + 1]?.every((index) => index === 0)
        if (jumpsDown && nextIsBlank) out.push(0, 0, 0, 2, 0, 1, 0, 2, 0, 0)
        else if (y + 1 < at.height) out.push(0, 0)
        if (jumpsDown && nextIsBlank) y++
      }
      out.push(0, 1)
      const compression = bits === 8 ? RLE8 : RLE4
      const parts = { bits, compression, afterHeader: paletteBytes(palette), colours: palette.length }
      return bitmap(`run lengths of ${bits} bits`, at, file(at, parts, Uint8Array.from(out)), opaque(palette, indices))
    }),
)

function literal(indices: readonly number[], bits: number): number[] {
  const bytes = bits === 8 ? [...indices] : pairs(indices).map(([a, b = 0]) => (a << 4) | b)
  return bytes.length % 2 === 0 ? bytes : [...bytes, 0]
}

const pairs = (indices: readonly number[]): [number, number?][] =>
  Array.from({ length: Math.ceil(indices.length / 2) }, (_, i) => [indices[2 * i] as number, indices[2 * i + 1]])

/** Runs of one index, or of two alternating indexes with 4 bits per index. */
function encoded(indices: readonly number[], bits: number): number[] {
  const out: number[] = []
  const period = bits === 8 ? 1 : 2
  for (let i = 0; i < indices.length; ) {
    let end = i + 1
    while (end < indices.length && (end - i < period || indices[end] === indices[end - period])) end++
    const [a, b = 0] = [indices[i] as number, indices[i + 1 < end ? i + 1 : i]]
    out.push(end - i, bits === 8 ? a : (a << 4) | b)
    i = end
  }
  return out
}

/** 24 bits per pixel. */
const plain: fc.Arbitrary<Bitmap> = layout(fc.boolean()).chain((at) =>
  grid(at.width, at.height, colour).map((colours) => {
    const rows = storedRows(colours, at.topDown).map((row) => {
      const bytes = Buffer.from(row.flatMap(([red, green, blue]) => [blue, green, red]))
      return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
    })
    const parts = { bits: 24, compression: RGB, afterHeader: Buffer.alloc(0), colours: 0 }
    const rgba = Uint8Array.from(colours.flatMap((row) => row.flatMap((one) => [...one, 255])))
    return bitmap('24 bits', at, file(at, parts, Buffer.concat(rows)), rgba)
  }),
)

type Masks = { bits: 16 | 32; compression: number; masks: [number, number, number, number]; headers: readonly number[] }

const NEW_HEADERS = [56, 108, 124]
const MASKS: readonly Masks[] = [
  { bits: 16, compression: RGB, masks: [0x7c00, 0x03e0, 0x001f, 0], headers: [40] },
  { bits: 16, compression: BITFIELDS, masks: [0xf800, 0x07e0, 0x001f, 0], headers: [40, 52, ...NEW_HEADERS] },
  { bits: 16, compression: BITFIELDS, masks: [0x0f00, 0x00f0, 0x000f, 0xf000], headers: NEW_HEADERS },
  { bits: 16, compression: BITFIELDS, masks: [0x7c00, 0x03e0, 0x001f, 0x8000], headers: NEW_HEADERS },
  { bits: 32, compression: BITFIELDS, masks: [0xff0000, 0xff00, 0xff, 0], headers: [40, 52, ...NEW_HEADERS] },
  { bits: 32, compression: BITFIELDS, masks: [0xff0000, 0xff00, 0xff, 0xff000000], headers: NEW_HEADERS },
  { bits: 32, compression: BITFIELDS, masks: [0xff, 0xff00, 0xff0000, 0xff000000], headers: NEW_HEADERS },
  { bits: 32, compression: BITFIELDS, masks: [0xff000000, 0xff0000, 0xff00, 0xff], headers: NEW_HEADERS },
  { bits: 32, compression: BITFIELDS, masks: [0x3ff00000, 0xffc00, 0x3ff, 0xc0000000], headers: NEW_HEADERS },
  { bits: 32, compression: ALPHA_BITFIELDS, masks: [0xff0000, 0xff00, 0xff, 0xff000000], headers: [40] },
]

/** 16 and 32 bits per pixel, each channel at the bits of its mask. */
const masked: fc.Arbitrary<Bitmap> = fc.constantFrom(...MASKS).chain(({ bits, compression, masks, headers }) =>
  layout(fc.boolean(), headers).chain((at) =>
    grid(at.width, at.height, fc.tuple(...masks.map((mask) => fc.nat(largestOf(mask))))).map((samples) => {
      const hasAlpha = samples.some((row) => row.some(([, , , alpha]) => alpha !== 0))
      const rgba: number[] = []
      for (const row of samples)
        for (const pixel of row) {
          const [red, green, blue, alpha] = pixel.map((sample, i) =>
            Math.round((sample * 255) / (largestOf(masks[i] as number) || 1)),
          )
          rgba.push(red as number, green as number, blue as number, hasAlpha ? (alpha as number) : 255)
        }
      const rows = storedRows(samples, at.topDown).map((row) => {
        const out = Buffer.alloc(Math.ceil((at.width * bits) / 32) * 4)
        row.forEach((pixel, x) => {
          const value = pixel.reduce((sum, sample, i) => sum + sample * lowestBitOf(masks[i] as number), 0)
          out.writeUIntLE(value, (x * bits) / 8, bits / 8)
        })
        return out
      })
      const count = compression === ALPHA_BITFIELDS ? 4 : 3
      const behind = compression !== RGB && at.header === 40
      const afterHeader = Buffer.alloc(behind ? 4 * count : 0)
      if (behind) for (let i = 0; i < count; i++) afterHeader.writeUInt32LE((masks[i] as number) >>> 0, 4 * i)
      const parts = { bits, compression, afterHeader, colours: 0, masks: masks.slice(0, at.header >= 56 ? 4 : 3) }
      const names = masks.map((mask) => mask.toString(16)).join(' ')
      return bitmap(`${bits} bits of ${names}`, at, file(at, parts, Buffer.concat(rows)), Uint8Array.from(rgba))
    }),
  ),
)

const lowestBitOf = (mask: number): number => (mask === 0 ? 0 : 2 ** (31 - Math.clz32(mask & -mask)))
const largestOf = (mask: number): number => (mask === 0 ? 0 : mask / lowestBitOf(mask))

export const BITMAPS = { packed, runLengths, plain, masked }
export const anyBitmap: fc.Arbitrary<Bitmap> = fc.oneof(packed, runLengths, plain, masked)
