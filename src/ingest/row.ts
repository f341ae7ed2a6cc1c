/**
 * Reads the rows of a segment, and writes the mark that ends every commit in it. A superseded reading has the negative of
 * its `received_at` (superseded.ts).
 *
 * A mark is a row like the others (see batch.ts) with enterprise 0 and sensor 0, which no real row has: `at` is the
 * number of bytes since the previous mark, `values` are their CRC-32 and the number of rows, and the bytes of
 * `longitude` are the segment's stamp, because a file may end with commits of an earlier segment. So a segment is plain
 * RowBinary from start to end, and the loader drops marks with `WHERE sensor != 0`. After a crash, no client has
 * received a response for anything that follows the last valid mark.
 */
import { lengthBytes, readInt64, readLength, writeInt64 } from '../stores/clickhouse/row-binary.ts'

/** Columns of a segment's rows, in order, with their ClickHouse types. */
export const ROW_STRUCTURE = [
  'enterprise UInt32',
  'sensor UInt32',
  "at DateTime64(3, 'UTC')",
  'channels Array(UInt16)',
  'values Array(Float64)',
  'longitude Float64',
  'latitude Float64',
  "received_at DateTime64(3, 'UTC')",
  'keep_days UInt16',
].join(', ')

export const MARK_BYTES = 4 + 4 + 8 + 1 + 1 + 16 + 8 + 8 + 8 + 2

const STAMP = 34

/** The content of a mark: the bytes and rows of its commit, and the stamp of its segment (segments.ts). */
type Mark = { length: number; rows: number; stamp: bigint }

/** Writes a mark at `offset`. @returns its end */
export function writeMark(bytes: Uint8Array, view: DataView, offset: number, { length, rows, stamp }: Mark): number {
  const crc = Bun.hash.crc32(bytes.subarray(offset - length, offset))
  view.setUint32(offset, 0, true)
  view.setUint32(offset + 4, 0, true)
  writeInt64(view, offset + 8, length)
  bytes[offset + 16] = 0
  bytes[offset + 17] = 2
  view.setFloat64(offset + 18, crc, true)
  view.setFloat64(offset + 26, rows, true)
  view.setBigUint64(offset + STAMP, stamp, true)
  bytes.fill(0, offset + STAMP + 8, offset + MARK_BYTES)
  return offset + MARK_BYTES
}

export type SegmentRow = { enterprise: number; sensor: number; atMs: number; receivedAtMs: number }

/** A reading with a location. */
export type LocatedRow = SegmentRow & { longitude: number; latitude: number; retentionDays: number }

/** Calls `onRow` for each reading with a location in an intact segment; the object is reused for the next one. */
export function eachLocatedRow(bytes: Uint8Array, onRow: (row: LocatedRow) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const row = { enterprise: 0, sensor: 0, atMs: 0, longitude: 0, latitude: 0, receivedAtMs: 0, retentionDays: 0 }
  for (let p = 0, end = rowEnd(bytes, 0); end >= 0; p = end, end = rowEnd(bytes, p)) {
    row.sensor = view.getUint32(p + 4, true)
    row.longitude = view.getFloat64(end - 26, true)
    if (row.sensor === 0 || Number.isNaN(row.longitude)) continue
    row.enterprise = view.getUint32(p, true)
    row.atMs = readInt64(view, p + 8)
    row.latitude = view.getFloat64(end - 18, true)
    row.receivedAtMs = Math.abs(readInt64(view, end - 10))
    row.retentionDays = view.getUint16(end - 2, true)
    onRow(row)
  }
}

export type RowValues = { channels: number[]; values: number[]; longitude: number; latitude: number }

/** Decodes the complete row at `offset`; longitude and latitude are NaN for a reading without a location. */
export function readRowValues(bytes: Uint8Array, view: DataView, offset: number): RowValues {
  let p = offset + 16
  const count = readLength(bytes, p)
  p += lengthBytes(count)
  const channels = Array.from({ length: count }, (_, i) => view.getUint16(p + i * 2, true))
  p += count * 2 + lengthBytes(count)
  const values = Array.from({ length: count }, (_, i) => view.getFloat64(p + i * 8, true))
  p += count * 8
  return { channels, values, longitude: view.getFloat64(p, true), latitude: view.getFloat64(p + 8, true) }
}

/** The end of the row that starts at `offset`, or -1 if the row is incomplete. */
export function rowEnd(bytes: Uint8Array, offset: number): number {
  let p = offset + 16
  for (const width of [2, 8]) {
    const length = readLength(bytes, p)
    if (length < 0) return -1
    p += lengthBytes(length) + length * width
  }
  p += 26
  return p <= bytes.length ? p : -1
}

export type IntactPart = { bytes: number; rows: number }

/**
 * Reads a segment commit by commit and calls `onRow` for each row of intact commits.
 * @returns how many bytes and rows at the start are complete commits of the segment with a valid checksum
 */
export function walkSegment(bytes: Uint8Array, stamp: bigint, onRow?: (row: SegmentRow) => void): IntactPart {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const intact: IntactPart = { bytes: 0, rows: 0 }
  let rows: SegmentRow[] = []
  let count = 0
  let p = 0
  for (;;) {
    const end = rowEnd(bytes, p)
    if (end < 0) return intact
    const sensor = view.getUint32(p + 4, true)
    if (sensor !== 0) {
      count++
      if (onRow !== undefined)
        rows.push({
          enterprise: view.getUint32(p, true),
          sensor,
          atMs: readInt64(view, p + 8),
          receivedAtMs: Math.abs(readInt64(view, end - 10)),
        })
    } else {
      if (view.getUint32(p, true) !== 0 || end - p !== MARK_BYTES || bytes[p + 17] !== 2) return intact
      const length = readInt64(view, p + 8)
      if (view.getBigUint64(p + STAMP, true) !== stamp) return intact
      if (length !== p - intact.bytes || view.getFloat64(p + 26, true) !== count) return intact
      if (view.getFloat64(p + 18, true) !== Bun.hash.crc32(bytes.subarray(intact.bytes, p))) return intact
      if (onRow !== undefined) for (const row of rows) onRow(row)
      intact.bytes = end
      intact.rows += count
      rows = []
      count = 0
    }
    p = end
  }
}

/** Whether a segment that was created with a stamp has a commit after `offset`. */
export function hasCommitAfter(bytes: Buffer, offset: number, stamp: bigint): boolean {
  const stampBytes = Buffer.alloc(8)
  stampBytes.writeBigUInt64LE(stamp)
  return stamp !== 0n && bytes.indexOf(stampBytes, offset) >= 0
}
