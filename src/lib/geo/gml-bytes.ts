/**
 * The bytes of a GML file, a window of them at a time. Nothing in the file is larger than the window, because it grows to
 * hold a whole feature.
 */
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'

/** The file has something that only GDAL is sure to read as GDAL does. */
export class Unusual extends Error {}

export function unusual(): never {
  throw new Unusual()
}

const BLOCK_BYTES = 1 << 22
/** More than is between two features. */
export const GAP_BYTES = 1 << 16

export class GmlBytes {
  /** With a 0 after the last byte that was read, which no XML has. */
  bytes: Buffer = Buffer.alloc(BLOCK_BYTES + 1)
  /** The current place in them. */
  at = 0
  protected end = 0
  private readonly file: number
  /** Where the window begins in the file. */
  private base = 0
  /** Up to where the bytes are known to be UTF-8. */
  private checked = 0
  private isLast = false

  constructor(path: string) {
    this.file = openSync(path, 'r')
  }

  close(): void {
    closeSync(this.file)
  }

  /** The current place in the file. */
  get offset(): number {
    return this.base + this.at
  }

  get isAtEnd(): boolean {
    return this.isLast && this.at === this.end
  }

  /** The first bytes of the file. */
  head(count: number): Buffer {
    const head = Buffer.alloc(count)
    return head.subarray(0, readSync(this.file, head, 0, count, 0))
  }

  /** Makes what is between two features available. */
  requireGap(): void {
    while (!this.isLast && this.end - this.at < GAP_BYTES) this.refill()
  }

  /** Makes everything up to the first such end tag available. @param tag without its `>` */
  requireEndTag(tag: Uint8Array, isInName: (byte: number) => boolean): void {
    let from = this.at
    for (;;) {
      const found = this.bytes.subarray(0, this.end).indexOf(tag, from)
      if (found >= 0 && found + tag.length < this.end) {
        if (!isInName(this.bytes[found + tag.length] as number)) return
        from = found + 1
        continue
      }
      if (this.isLast) unusual()
      const searched = Math.max(from, this.end - tag.length) - this.at
      this.refill()
      from = this.at + searched
    }
  }

  private refill(): void {
    const { bytes, at, end } = this
    const kept = end - at
    if (kept > bytes.length / 2) this.bytes = Buffer.alloc((bytes.length - 1) * 2 + 1)
    bytes.copy(this.bytes, 0, at, end)
    this.base += at
    this.checked -= at
    this.at = 0
    const read = readSync(this.file, this.bytes, kept, this.bytes.length - 1 - kept, this.base + kept)
    this.end = kept + read
    this.bytes[this.end] = 0
    this.isLast = read === 0
    this.checkEncoding()
  }

  private checkEncoding(): void {
    const { bytes } = this
    let { end } = this
    // the last character may go on in the next block
    if (!this.isLast) {
      while (end > this.checked && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--
      if (end > this.checked && (bytes[end - 1] as number) >= 0xc0) end--
    }
    const added = bytes.subarray(this.checked, end)
    if (!isUtf8(added)) unusual()
    this.checked = end
    // U+FFFE and U+FFFF are no characters of XML
    for (let i = added.indexOf(HIGHEST); i >= 0; i = added.indexOf(HIGHEST, i + 1))
      if ((added[i + 2] as number) >= 0xbe) unusual()
  }
}

/** What U+FFFE and U+FFFF begin with. */
const HIGHEST = Uint8Array.of(0xef, 0xbf)
