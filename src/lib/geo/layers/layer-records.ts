/**
 * The file format of a map layer, shared between the server, which writes it, and its worker processes, which read it.
 * One record for each feature that was added, changed or deleted, all numbers little-endian:
 *
 *   bytes  what
 *   4      length of the rest (uint32)
 *   8      the feature's ordinal in the layer (float64)
 *   4      length of the geometry (uint32), all ones for a deleted feature
 *   4      length of the id (uint32)
 *   …      geometry as well-known binary, id, properties as JSON text
 *
 * A later record with the same ordinal replaces an earlier one.
 */

/** A feature as the database returns it. */
export type LayerRecord = {
  featureId: string
  ordinal: number
  gone: boolean
  /** JSON text. */
  properties: string | null
  /** Well-known binary. */
  geometry: Uint8Array | null
}

const HEAD_BYTES = 20
const DELETED = 0xffffffff

export function encodeRecord({ featureId, ordinal, gone, properties, geometry }: LayerRecord): Buffer {
  const id = Buffer.from(featureId)
  const text = Buffer.from(gone ? '' : (properties ?? '{}'))
  const shape = gone || geometry === null ? new Uint8Array(0) : geometry
  const record = Buffer.allocUnsafe(HEAD_BYTES + shape.length + id.length + text.length)
  record.writeUInt32LE(record.length - 4, 0)
  record.writeDoubleLE(ordinal, 4)
  record.writeUInt32LE(gone ? DELETED : shape.length, 12)
  record.writeUInt32LE(id.length, 16)
  record.set(shape, HEAD_BYTES)
  record.set(id, HEAD_BYTES + shape.length)
  record.set(text, HEAD_BYTES + shape.length + id.length)
  return record
}

// The readers below take a buffer and the offset of a record in it.

/** The offset of the next record. */
export const endOfRecord = (bytes: Buffer, start: number): number => start + 4 + bytes.readUInt32LE(start)

export const ordinalOf = (bytes: Buffer, start: number): number => bytes.readDoubleLE(start + 4)

export const isDeleted = (bytes: Buffer, start: number): boolean => bytes.readUInt32LE(start + 12) === DELETED

/** Null for a deleted feature, and for one without a geometry. */
export function geometryOf(bytes: Buffer, start: number): Buffer | null {
  const length = bytes.readUInt32LE(start + 12)
  if (length === DELETED || length === 0) return null
  return bytes.subarray(start + HEAD_BYTES, start + HEAD_BYTES + length)
}

/** Only for a feature that is not deleted. */
export function idOf(bytes: Buffer, start: number): string {
  const idStart = start + HEAD_BYTES + bytes.readUInt32LE(start + 12)
  return bytes.toString('utf8', idStart, idStart + bytes.readUInt32LE(start + 16))
}

/** Empty for a deleted feature. */
export function propertiesOf(bytes: Buffer, start: number): Record<string, unknown> {
  if (isDeleted(bytes, start)) return {}
  const textStart = start + HEAD_BYTES + bytes.readUInt32LE(start + 12) + bytes.readUInt32LE(start + 16)
  return JSON.parse(bytes.toString('utf8', textStart, endOfRecord(bytes, start))) as Record<string, unknown>
}

/** The newest record of each feature that is not deleted, in the order of the layer. */
export function compact(bytes: Buffer): Buffer {
  const latest = new Map<number, Buffer>()
  for (let start = 0; start < bytes.length; ) {
    const end = endOfRecord(bytes, start)
    if (isDeleted(bytes, start)) latest.delete(ordinalOf(bytes, start))
    else latest.set(ordinalOf(bytes, start), bytes.subarray(start, end))
    start = end
  }
  return Buffer.concat([...latest].sort(([a], [b]) => a - b).map(([, record]) => record))
}
