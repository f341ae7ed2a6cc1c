/** Parses the numbers of positions in GML from bytes, to the same bits as GDAL. */
import { unusual } from './gml-bytes.ts'

const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20]
const [COMMA, MINUS, LESS] = [0x2c, 0x2d, 0x3c]
const ZERO = 0x30
const POINT = 0x2e - ZERO
const [LOWER_E, UPPER_E] = [0x65 - ZERO, 0x45 - ZERO]

/** Longer numbers could exceed the largest coordinate, or have more decimals than GDAL divides by. */
const MAX_LENGTH = 30
const TENS = Float64Array.from({ length: MAX_LENGTH }, (_, power) => Number(`1e${power}`))
const MAX_EXPONENT = 30
const WITH_EXPONENT = /^-?\d+(?:\.\d+)?[eE]([+-]?\d{1,3})$/
const INITIAL_BYTES = 1 << 12

/** Growing bytes of one geometry. */
export class PositionWriter {
  out: Uint8Array = new Uint8Array(INITIAL_BYTES)
  view: DataView = new DataView(this.out.buffer)
  length = 0
  /** Bytes from one position to the next; 0 before the first one. All positions of a geometry have the same. */
  stride = 0
  /** Whether the file has northings or latitudes first. */
  isSwapped = false
  /** The offset after the number that was read last. */
  private after = 0

  reserve(count: number): void {
    if (this.length + count <= this.out.length) return
    const larger = new Uint8Array((this.length + count) * 2)
    larger.set(this.out.subarray(0, this.length))
    this.out = larger
    this.view = new DataView(larger.buffer)
  }

  /**
   * Adds positions with white space between all numbers.
   * @returns the offset after them
   */
  addList(bytes: Buffer, start: number, dimension: number): number {
    this.setStride(dimension * 8)
    const [first, second] = this.isSwapped ? [8, 0] : [0, 8]
    let at = afterSpace(bytes, start)
    while (bytes[at] !== LESS) {
      this.reserve(24)
      const { view, length } = this
      view.setFloat64(length + first, this.number(bytes, at), true)
      at = this.afterSeparator(bytes)
      view.setFloat64(length + second, this.number(bytes, at), true)
      at = this.afterSeparator(bytes)
      if (dimension === 3) {
        view.setFloat64(length + 16, this.number(bytes, at), true)
        at = this.afterSeparator(bytes)
      }
      this.length = length + this.stride
    }
    return at
  }

  /** Adds the position of a `pos`, which has two or three numbers. @returns the offset after it */
  addPosition(bytes: Buffer, start: number): number {
    const [first, second] = this.isSwapped ? [8, 0] : [0, 8]
    this.reserve(24)
    const { view, length } = this
    view.setFloat64(length + first, this.number(bytes, afterSpace(bytes, start)), true)
    view.setFloat64(length + second, this.number(bytes, this.afterSeparator(bytes)), true)
    let at = this.afterSeparator(bytes)
    this.setStride(bytes[at] === LESS ? 16 : 24)
    if (this.stride === 24) {
      view.setFloat64(length + 16, this.number(bytes, at), true)
      at = this.afterSeparator(bytes)
    }
    if (bytes[at] !== LESS) unusual()
    this.length = length + this.stride
    return at
  }

  /** Adds positions as GML 2 has them: commas between the numbers of a position. @returns the offset after them */
  addTuples(bytes: Buffer, start: number): number {
    const [first, second] = this.isSwapped ? [8, 0] : [0, 8]
    let at = afterSpace(bytes, start)
    while (bytes[at] !== LESS) {
      this.reserve(24)
      const { view, length } = this
      view.setFloat64(length + first, this.number(bytes, at), true)
      if (bytes[this.after] !== COMMA) unusual()
      view.setFloat64(length + second, this.number(bytes, this.after + 1), true)
      const hasHeight = bytes[this.after] === COMMA
      if (hasHeight) view.setFloat64(length + 16, this.number(bytes, this.after + 1), true)
      this.setStride(hasHeight ? 24 : 16)
      at = this.afterSeparator(bytes)
      this.length = length + this.stride
    }
    return at
  }

  private setStride(stride: number): void {
    if (this.stride === 0) this.stride = stride
    else if (this.stride !== stride) unusual()
  }

  /** The place after the white space that must follow a number, unless it is the last one. */
  private afterSeparator(bytes: Buffer): number {
    const { after } = this
    const at = afterSpace(bytes, after)
    return at > after || bytes[at] === LESS ? at : unusual()
  }

  /** GDAL adds the digits up and divides by a power of ten, which may differ in the last bit from the nearest double. */
  private number(bytes: Buffer, start: number): number {
    const isNegative = bytes[start] === MINUS
    let at = isNegative ? start + 1 : start
    let digit = (bytes[at] as number) - ZERO
    if (!(digit >= 0 && digit <= 9)) unusual()
    let value = 0
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digit = (bytes[++at] as number) - ZERO
    }
    if (digit === POINT) {
      const decimals = at + 1
      digit = (bytes[++at] as number) - ZERO
      while (digit >= 0 && digit <= 9) {
        value = value * 10 + digit
        digit = (bytes[++at] as number) - ZERO
      }
      if (at - start > MAX_LENGTH) unusual()
      value /= TENS[at - decimals] as number
    }
    if (digit === LOWER_E || digit === UPPER_E) return this.numberWithExponent(bytes, start)
    if (at - start > MAX_LENGTH) unusual()
    this.after = at
    return isNegative ? -value : value
  }

  private numberWithExponent(bytes: Buffer, start: number): number {
    let at = start
    while (isInNumber(bytes[at] as number)) at++
    const text = bytes.toString('latin1', start, Math.min(at, start + MAX_LENGTH + 1))
    const exponent = Number(WITH_EXPONENT.exec(text)?.[1] ?? MAX_EXPONENT)
    const value = Number(text)
    const isPlain = Math.abs(exponent) < MAX_EXPONENT && Math.abs(value) < 1e30 && at - start <= MAX_LENGTH
    if (!isPlain) unusual()
    this.after = at
    return value
  }
}

/** Whether it is a sign, a point, a digit or a letter. */
const isInNumber = (byte: number): boolean => byte > SPACE && byte !== LESS && byte !== COMMA

function afterSpace(bytes: Buffer, start: number): number {
  let at = start
  for (let byte = bytes[at]; byte === SPACE || byte === NEWLINE || byte === TAB || byte === RETURN; ) byte = bytes[++at]
  return at
}
