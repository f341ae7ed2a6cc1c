/** Writes and reads the content of a snapshot: numbers, texts and lists of numbers, one after the other. */

const FIRST_BYTES = 1 << 16

export class SnapshotWriter {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES)
  private at = 0

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + bytes))
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
  }

  number(value: number): void {
    this.reserve(8)
    this.at = this.bytes.writeDoubleLE(value, this.at)
  }

  text(value: string): void {
    const length = Buffer.byteLength(value)
    this.number(length)
    this.reserve(length)
    this.at += this.bytes.write(value, this.at)
  }

  numbers(values: Float64Array): void {
    this.number(values.length)
    this.reserve(values.byteLength)
    this.bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), this.at)
    this.at += values.byteLength
  }

  /** What was written since the last call; its memory is used again. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.at)
    this.at = 0
    return taken
  }
}

export class SnapshotReader {
  private at = 0

  constructor(private readonly bytes: Buffer) {}

  number(): number {
    const value = this.bytes.readDoubleLE(this.at)
    this.at += 8
    return value
  }

  text(): string {
    const length = this.number()
    const value = this.bytes.toString('utf8', this.at, this.at + length)
    this.at += length
    return value
  }

  numbers(): Float64Array {
    const values = new Float64Array(this.number())
    new Uint8Array(values.buffer).set(this.bytes.subarray(this.at, this.at + values.byteLength))
    this.at += values.byteLength
    return values
  }
}
