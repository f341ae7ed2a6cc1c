/**
 * Encodes a bilevel image as JBIG2 (ITU-T T.88): one generic region of template 0 with typical prediction, coded by the
 * arithmetic coder of annex E. This is lossless; symbols, which could confuse similar letters, are not used. It takes
 * about two thirds of the bytes of CCITT Group 4. npm has no encoder of either.
 */

/** Table E.1: probability of the less probable symbol, next states after either, and whether they swap. */
// biome-ignore format: a table of the standard
const STATES = [
  0x5601, 1, 1, 1, 0x3401, 2, 6, 0, 0x1801, 3, 9, 0, 0x0ac1, 4, 12, 0, 0x0521, 5, 29, 0, 0x0221, 38, 33, 0,
  0x5601, 7, 6, 1, 0x5401, 8, 14, 0, 0x4801, 9, 14, 0, 0x3801, 10, 14, 0, 0x3001, 11, 17, 0, 0x2401, 12, 18, 0,
  0x1c01, 13, 20, 0, 0x1601, 29, 21, 0, 0x5601, 15, 14, 1, 0x5401, 16, 14, 0, 0x5101, 17, 15, 0, 0x4801, 18, 16, 0,
  0x3801, 19, 17, 0, 0x3401, 20, 18, 0, 0x3001, 21, 19, 0, 0x2801, 22, 19, 0, 0x2401, 23, 20, 0, 0x2201, 24, 21, 0,
  0x1c01, 25, 22, 0, 0x1801, 26, 23, 0, 0x1601, 27, 24, 0, 0x1401, 28, 25, 0, 0x1201, 29, 26, 0, 0x1101, 30, 27, 0,
  0x0ac1, 31, 28, 0, 0x09c1, 32, 29, 0, 0x08a1, 33, 30, 0, 0x0521, 34, 31, 0, 0x0441, 35, 32, 0, 0x02a1, 36, 33, 0,
  0x0221, 37, 34, 0, 0x0141, 38, 35, 0, 0x0111, 39, 36, 0, 0x0085, 40, 37, 0, 0x0049, 41, 38, 0, 0x0025, 42, 39, 0,
  0x0015, 43, 40, 0, 0x0009, 44, 41, 0, 0x0005, 45, 42, 0, 0x0001, 45, 43, 0, 0x5601, 46, 46, 0,
]
const STATE_COUNT = STATES.length / 4
const column = (i: number): number[] =>
  Array.from({ length: STATE_COUNT }, (_, state) => STATES[4 * state + i] as number)
const LESS_PROBABLE = Uint16Array.from(column(0))
const AFTER_MORE = Uint8Array.from(column(1))
const AFTER_LESS = Uint8Array.from(column(2))
const SWAPS = Uint8Array.from(column(3))

/** Annex E.2; the registers are named as in the standard. */
class ArithmeticEncoder {
  private bytes = new Uint8Array(65_536)
  /** Position of the byte that a carry may still change. */
  private at = -1
  private a = 0x8000
  private c = 0
  private ct = 12
  private readonly states: Uint8Array
  private readonly moreProbable: Uint8Array

  constructor(contexts: number) {
    this.states = new Uint8Array(contexts)
    this.moreProbable = new Uint8Array(contexts)
  }

  encode(bit: number, context: number): void {
    const state = this.states[context] as number
    const qe = LESS_PROBABLE[state] as number
    this.a -= qe
    if (bit === this.moreProbable[context]) {
      if ((this.a & 0x8000) !== 0) {
        this.c += qe
        return
      }
      if (this.a < qe) this.a = qe
      else this.c += qe
      this.states[context] = AFTER_MORE[state] as number
    } else {
      if (this.a < qe) this.c += qe
      else this.a = qe
      if (SWAPS[state] === 1) this.moreProbable[context] = bit
      this.states[context] = AFTER_LESS[state] as number
    }
    do {
      this.a <<= 1
      this.c *= 2
      if (--this.ct === 0) this.byteOut()
    } while ((this.a & 0x8000) === 0)
  }

  private byteOut(): void {
    if (this.at >= 0 && this.bytes[this.at] === 0xff) {
      this.afterFullByte()
      return
    }
    if (this.c >= 0x8000000) {
      if (this.at >= 0) (this.bytes[this.at] as number)++
      if (this.at >= 0 && this.bytes[this.at] === 0xff) {
        this.c &= 0x7ffffff
        this.afterFullByte()
        return
      }
    }
    this.append((this.c >>> 19) & 0xff)
    this.c &= 0x7ffff
    this.ct = 8
  }

  /** A bit is reserved for the carry, so that no marker appears in the data. */
  private afterFullByte(): void {
    this.append(this.c >>> 20)
    this.c &= 0xfffff
    this.ct = 7
  }

  private append(byte: number): void {
    this.at++
    if (this.at === this.bytes.length) {
      const larger = new Uint8Array(2 * this.bytes.length)
      larger.set(this.bytes)
      this.bytes = larger
    }
    this.bytes[this.at] = byte
  }

  finish(): Uint8Array {
    const end = this.c + this.a
    this.c |= 0xffff
    if (this.c >= end) this.c -= 0x8000
    for (let i = 0; i < 2; i++) {
      this.c *= 2 ** this.ct
      this.byteOut()
    }
    if (this.bytes[this.at] !== 0xff) this.append(0xff)
    this.append(0xac)
    return this.bytes.subarray(0, this.at + 1)
  }
}

/** Section 6.2.5.3: the 16 pixels that predict one. Five lie two rows above, seven in the row above, four before it. */
const CONTEXTS = 65_536
/** Figure 8: the context that codes whether a row equals the one above. */
const ROW_CONTEXT = 0x9b25
/** Section 6.2.5.4: where the standard puts the four adaptive pixels. */
const ADAPTIVE_PIXELS = [3, -1, -3, -1, 2, -2, -2, -2]
const TEMPLATE_0_WITH_ROW_PREDICTION = 0b1000
const PAGE_INFORMATION = 48
const LOSSLESS_GENERIC_REGION = 39
/** White pixels around the image, so that no pixel needs a check of its place. */
const MARGIN = 8

/**
 * @param packed rows of bits, each padded to a byte, in which 0 is black as in PDF
 * @returns the data of a stream with JBIG2Decode
 */
export function encodeJbig2(packed: Uint8Array, width: number, height: number): Uint8Array {
  const region = encodeRegion(packed, width, height)
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  const page = Buffer.concat([size, Buffer.alloc(8), Buffer.from([1, 0, 0])])
  const header = Buffer.concat([
    size,
    Buffer.alloc(9),
    Buffer.from([TEMPLATE_0_WITH_ROW_PREDICTION, ...ADAPTIVE_PIXELS.map((offset) => offset & 0xff)]),
  ])
  return Buffer.concat([segment(0, PAGE_INFORMATION, page), segment(1, LOSSLESS_GENERIC_REGION, header, region)])
}

/** Section 7.2: a segment that refers to no other, on the page 1. */
function segment(number: number, type: number, ...parts: Uint8Array[]): Buffer {
  const header = Buffer.alloc(11)
  header.writeUInt32BE(number, 0)
  header[4] = type
  header[6] = 1
  header.writeUInt32BE(
    parts.reduce((sum, part) => sum + part.length, 0),
    7,
  )
  return Buffer.concat([header, ...parts])
}

function encodeRegion(packed: Uint8Array, width: number, height: number): Uint8Array {
  const encoder = new ArithmeticEncoder(CONTEXTS)
  const rowBytes = Math.ceil(width / 8)
  const blank = (): Uint8Array => new Uint8Array(width + 2 * MARGIN)
  let [above2, above, row] = [blank(), blank(), blank()]
  let wasSame = 0
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      row[MARGIN + x] = (((packed[y * rowBytes + (x >> 3)] as number) >> (7 - (x & 7))) & 1) ^ 1
    const isSame = Buffer.compare(row, above) === 0 ? 1 : 0
    encoder.encode(isSame ^ wasSame, ROW_CONTEXT)
    wasSame = isSame
    if (isSame === 0) encodeRow(encoder, row, above, above2, width)
    ;[above2, above, row] = [above, row, above2]
  }
  return encoder.finish()
}

function encodeRow(
  encoder: ArithmeticEncoder,
  row: Uint8Array,
  above: Uint8Array,
  above2: Uint8Array,
  width: number,
): void {
  let far = ((above2[MARGIN] as number) << 1) | (above2[MARGIN + 1] as number)
  let near = ((above[MARGIN] as number) << 2) | ((above[MARGIN + 1] as number) << 1) | (above[MARGIN + 2] as number)
  let before = 0
  for (let x = MARGIN; x < MARGIN + width; x++) {
    far = ((far << 1) | (above2[x + 2] as number)) & 0x1f
    near = ((near << 1) | (above[x + 3] as number)) & 0x7f
    const bit = row[x] as number
    encoder.encode(bit, (far << 11) | (near << 4) | before)
    before = ((before << 1) | bit) & 0xf
  }
}
