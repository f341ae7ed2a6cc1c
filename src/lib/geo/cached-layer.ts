/**
 * An owner's layer in the memory of a worker process: read from the server's file (see layer-records.ts) and updated
 * from what is appended to that file. Records stay the bytes that were read, so a layer of a million features needs
 * only a few arrays of numbers beside them.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { GeometrySet } from './geometry-set.ts'
import type { Geos } from './geos.ts'
import { endOfRecord, geometryOf, idOf, isDeleted, ordinalOf, propertiesOf } from './layer-records.ts'
import type { Wkb } from './wkb.ts'

/** Where a record is: the piece, and the offset in it. */
type Entry = { ordinal: number; piece: number; start: number }

export class CachedLayer {
  readonly set: GeometrySet
  /** The bytes of each read. */
  private readonly pieces: Buffer[] = []
  /** For each slot: the piece of its record, and the offset in it. */
  private pieceOf: Uint32Array
  private startOf: Uint32Array
  private readonly ordinals: number[]
  /** Slots by ordinal; built when first needed. */
  private slots: Map<number, number> | undefined
  /** Bytes read so far. */
  bytes: number

  constructor(geos: Geos, path: string, from: number, to: number) {
    const entries = latestOf(this.read(path, from, to))
    this.pieceOf = Uint32Array.from(entries, ({ piece }) => piece)
    this.startOf = Uint32Array.from(entries, ({ start }) => start)
    this.ordinals = entries.map(({ ordinal }) => ordinal)
    this.set = new GeometrySet(geos, (slot) => this.geometry(slot), this.count)
    this.bytes = to - from
  }

  /** Number of slots; some may belong to deleted features. */
  get count(): number {
    return this.ordinals.length
  }

  private pieceAt(slot: number): Buffer {
    return this.pieces[this.pieceOf[slot] as number] as Buffer
  }

  private startAt(slot: number): number {
    return this.startOf[slot] as number
  }

  /** Null for a deleted feature, and for one without a geometry. */
  geometry(slot: number): Wkb | null {
    return geometryOf(this.pieceAt(slot), this.startAt(slot))
  }

  exists(slot: number): boolean {
    return !isDeleted(this.pieceAt(slot), this.startAt(slot))
  }

  /** Only for a feature that is not deleted. */
  idOf(slot: number): string {
    return idOf(this.pieceAt(slot), this.startAt(slot))
  }

  propertiesOf(slot: number): Record<string, unknown> {
    return propertiesOf(this.pieceAt(slot), this.startAt(slot))
  }

  /** Reads the records between two offsets of a file. */
  update(path: string, from: number, to: number): void {
    if (from >= to) return
    this.slots ??= new Map(this.ordinals.map((ordinal, slot) => [ordinal, slot]))
    const entries = latestOf(this.read(path, from, to))
    const added = entries.filter(({ ordinal }) => !this.slots?.has(ordinal)).length
    this.pieceOf = grown(this.pieceOf, this.count + added)
    this.startOf = grown(this.startOf, this.count + added)
    const changed: number[] = []
    for (const { ordinal, piece, start } of entries) {
      const slot = this.slots.get(ordinal) ?? this.count
      this.slots.set(ordinal, slot)
      this.ordinals[slot] = ordinal
      this.pieceOf[slot] = piece
      this.startOf[slot] = start
      changed.push(slot)
    }
    this.set.renew(changed, this.count)
    this.bytes += to - from
  }

  private read(path: string, from: number, to: number): Entry[] {
    const bytes = readBytes(path, from, to)
    const piece = this.pieces.push(bytes) - 1
    const entries: Entry[] = []
    for (let at = 0; at < bytes.length; at = endOfRecord(bytes, at))
      entries.push({ ordinal: ordinalOf(bytes, at), piece, start: at })
    return entries
  }
}

/** The last entry of each ordinal, in the order of ordinals. */
function latestOf(entries: Entry[]): Entry[] {
  const isInOrder = entries.every(({ ordinal }, i) => i === 0 || ordinal > (entries[i - 1] as Entry).ordinal)
  if (isInOrder) return entries
  const latest = new Map(entries.map((entry) => [entry.ordinal, entry]))
  return [...latest.values()].sort((a, b) => a.ordinal - b.ordinal)
}

function grown(array: Uint32Array, length: number): Uint32Array {
  if (length <= array.length) return array
  const larger = new Uint32Array(Math.ceil(length * 1.25))
  larger.set(array)
  return larger
}

function readBytes(path: string, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(to - from)
  const fd = openSync(path, 'r')
  try {
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(fd, bytes, at, bytes.length - at, from + at)
      if (read === 0) throw new Error('the file of a layer is shorter than it should be')
      at += read
    }
  } finally {
    closeSync(fd)
  }
  return bytes
}
