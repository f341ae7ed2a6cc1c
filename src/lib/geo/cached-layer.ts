/**
 * A layer of an owner's as it is read from the file that the server keeps of it, and brought up to date from what was
 * added to that file since. A record for each feature that was put in, changed or taken out, little-endian: bytes that
 * follow (uint32), place in the layer (float64), bytes of the geometry (uint32, all ones for a feature that is gone),
 * bytes of the id (uint32), geometry as well-known binary, id, properties as JSON text. Records stay as the bytes that they came in: a layer of a
 * million features is a few arrays of numbers beside them.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { GeometrySet } from './geometry-set.ts'
import type { Geos } from './geos.ts'
import type { Wkb } from './wkb.ts'

const HEAD_BYTES = 20
const DELETED = 0xffffffff

/** A record by where it begins in the bytes of which reading. */
type Entry = { ordinal: number; piece: number; start: number }

export class CachedLayer {
  readonly set: GeometrySet
  /** What was read, a piece each time. */
  private readonly pieces: Buffer[] = []
  /** Of each slot: its piece, and where its record begins in it. */
  private pieceOf: Uint32Array
  private startOf: Uint32Array
  private readonly ordinals: number[]
  /** Where in the arrays the feature of a place is; made when it is first needed. */
  private slots: Map<number, number> | undefined
  /** Of the files that were read. */
  bytes: number

  constructor(geos: Geos, path: string, from: number, to: number) {
    const entries = latestOf(this.read(path, from, to))
    this.pieceOf = Uint32Array.from(entries, ({ piece }) => piece)
    this.startOf = Uint32Array.from(entries, ({ start }) => start)
    this.ordinals = entries.map(({ ordinal }) => ordinal)
    this.set = new GeometrySet(geos, (slot) => this.geometry(slot), this.count)
    this.bytes = to - from
  }

  /** Slots, of which some may be of features that are gone. */
  get count(): number {
    return this.ordinals.length
  }

  private lengthOf(slot: number): number {
    return (this.pieces[this.pieceOf[slot] as number] as Buffer).readUInt32LE((this.startOf[slot] as number) + 12)
  }

  /** Null for a feature that is gone, and for one without a geometry. */
  geometry(slot: number): Wkb | null {
    const length = this.lengthOf(slot)
    if (length === DELETED || length === 0) return null
    const start = (this.startOf[slot] as number) + HEAD_BYTES
    return (this.pieces[this.pieceOf[slot] as number] as Buffer).subarray(start, start + length)
  }

  exists(slot: number): boolean {
    return this.lengthOf(slot) !== DELETED
  }

  /** Of a feature that is there. */
  idOf(slot: number): string {
    const bytes = this.pieces[this.pieceOf[slot] as number] as Buffer
    const start = this.startOf[slot] as number
    const idStart = start + HEAD_BYTES + bytes.readUInt32LE(start + 12)
    return bytes.toString('utf8', idStart, idStart + bytes.readUInt32LE(start + 16))
  }

  propertiesOf(slot: number): Record<string, unknown> {
    const length = this.lengthOf(slot)
    if (length === DELETED) return {}
    const bytes = this.pieces[this.pieceOf[slot] as number] as Buffer
    const start = this.startOf[slot] as number
    const textStart = start + HEAD_BYTES + length + bytes.readUInt32LE(start + 16)
    const text = bytes.toString('utf8', textStart, start + 4 + bytes.readUInt32LE(start))
    return JSON.parse(text) as Record<string, unknown>
  }

  /** Takes in what a file holds between two of its bytes. */
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
    for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32LE(at))
      entries.push({ ordinal: bytes.readDoubleLE(at + 4), piece, start: at })
    return entries
  }
}

/** Of each place the last word, in the order of places. */
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
