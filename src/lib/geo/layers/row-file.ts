/**
 * A file of rows, through which worker processes hand geometries to each other without encoding them: each row has
 * numbers and a geometry. Integers are uint32 and numbers float64, in the byte order of the machine.
 *
 *   4 bytes       count of rows
 *   4             numbers of each row
 *   4 × count     length of each geometry, or one of the marks below
 *   0 or 4        filler, so that numbers begin at a multiple of 8
 *   8 × numbers   the numbers, row by row
 *   …             the geometries
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { Wkb } from '../geometry/wkb.ts'

/** `values` begins with the index of the feature that the row is about. */
export type Row = { values: number[]; geometry: Wkb | null }

/** No geometry. */
const NONE = 0xffff_ffff
/** The same geometry as the row's feature. */
const GIVEN = 0xffff_fffe
const HEAD_BYTES = 8
const BLOCK_BYTES = 4 << 20

const headBytes = (count: number): number => Math.ceil((HEAD_BYTES + 4 * count) / 8) * 8

/**
 * @param rows all with the same number of values
 * @param isGiven whether a row has the unchanged geometry of its feature, which the reader already has
 */
export function writeRows(path: string, rows: readonly Row[], isGiven?: (row: Row) => boolean): void {
  const size = rows[0]?.values.length ?? 0
  const numbersAt = headBytes(rows.length)
  const head = new ArrayBuffer(numbersAt + 8 * size * rows.length)
  const lengths = new Uint32Array(head, HEAD_BYTES, rows.length)
  const numbers = new Float64Array(head, numbersAt)
  new Uint32Array(head, 0, 2).set([rows.length, size])
  const fd = openSync(path, 'w')
  try {
    rows.forEach((row, i) => {
      numbers.set(row.values, i * size)
      lengths[i] = row.geometry === null ? NONE : isGiven?.(row) ? GIVEN : row.geometry.length
    })
    writeAll(fd, new Uint8Array(head))
    const block = new Uint8Array(BLOCK_BYTES)
    let used = 0
    rows.forEach(({ geometry }, i) => {
      if (geometry === null || lengths[i] === GIVEN) return
      if (used + geometry.length > BLOCK_BYTES) {
        writeAll(fd, block.subarray(0, used))
        used = 0
      }
      if (geometry.length > BLOCK_BYTES) writeAll(fd, geometry)
      else {
        block.set(geometry, used)
        used += geometry.length
      }
    })
    writeAll(fd, block.subarray(0, used))
  } finally {
    closeSync(fd)
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

export class RowFile {
  private readonly fd: number
  private readonly numbersAt: number
  private readonly size: number
  private readonly lengths: Uint32Array
  /** Start offset of each row's geometry, and the end of the last one. */
  private readonly offsets: Float64Array
  readonly count: number

  constructor(path: string) {
    this.fd = openSync(path, 'r')
    const [count, size] = new Uint32Array(this.bytes(0, HEAD_BYTES)) as unknown as [number, number]
    this.count = count
    this.size = size
    this.numbersAt = headBytes(count)
    this.lengths = new Uint32Array(this.bytes(HEAD_BYTES, 4 * count))
    this.offsets = new Float64Array(count + 1)
    this.offsets[0] = this.numbersAt + 8 * size * count
    for (let i = 0; i < count; i++) {
      const length = this.lengths[i] as number
      this.offsets[i + 1] = (this.offsets[i] as number) + (length < GIVEN ? length : 0)
    }
  }

  private bytes(start: number, length: number): ArrayBuffer {
    const bytes = new Uint8Array(length)
    for (let at = 0; at < length; ) {
      const read = readSync(this.fd, bytes, at, length - at, start + at)
      if (read === 0) throw new Error('the file of rows ends too early')
      at += read
    }
    return bytes.buffer
  }

  /**
   * The rows from one index up to, excluding, another.
   * @param given the geometry of the feature with an index
   */
  read(from: number, to: number, given: (index: number) => Wkb | null = () => null): Row[] {
    const { size, lengths, offsets } = this
    const numbers = new Float64Array(this.bytes(this.numbersAt + 8 * size * from, 8 * size * (to - from)))
    const start = offsets[from] as number
    const geometries = this.bytes(start, (offsets[to] as number) - start)
    const rows: Row[] = []
    for (let i = 0; i < to - from; i++) {
      // `push` would make room for 17 numbers
      const values = new Array<number>(size)
      for (let at = 0; at < size; at++) values[at] = numbers[i * size + at] as number
      const length = lengths[from + i] as number
      if (length === NONE) rows.push({ values, geometry: null })
      else if (length === GIVEN) rows.push({ values, geometry: given(values[0] as number) })
      else rows.push({ values, geometry: new Uint8Array(geometries, (offsets[from + i] as number) - start, length) })
    }
    return rows
  }

  close(): void {
    closeSync(this.fd)
  }
}
