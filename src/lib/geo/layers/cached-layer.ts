/**
 * A stored layer read from its record file (layer-records.ts), and updated from the records appended to that file
 * later. Records stay in memory as the bytes that were read; a layer of a million features adds only a few arrays of
 * numbers to them.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import type { Geos } from '../geometry/geos.ts'
import { onGlobe } from '../geometry/globe.ts'
import type { Wkb } from '../geometry/wkb.ts'
import { GeometrySet } from '../overlay/geometry-set.ts'
import { PolygonSides, type Sides } from '../overlay/polygon-sides.ts'
import { endOfRecord, geometryOf, idOf, isDeleted, ordinalOf, propertiesOf } from './layer-records.ts'

/** A record: the chunk that holds it, and its first byte in that chunk. */
type Entry = { ordinal: number; chunk: number; start: number }

export class CachedLayer {
  readonly set: GeometrySet
  /** The bytes read so far, one chunk per read. */
  private readonly chunks: Buffer[] = []
  /** For each slot: its chunk, and the first byte of its record in that chunk. */
  private chunkOf: Uint32Array
  private startOf: Uint32Array
  private readonly ordinals: number[]
  /** The slot of each ordinal; built on the first update. */
  private slots: Map<number, number> | undefined
  private sides: PolygonSides | undefined
  /** Bytes of the file read so far. */
  bytes: number

  constructor(geos: Geos, path: string, from: number, to: number) {
    const entries = latestOf(this.read(path, from, to))
    this.chunkOf = Uint32Array.from(entries, ({ chunk }) => chunk)
    this.startOf = Uint32Array.from(entries, ({ start }) => start)
    this.ordinals = entries.map(({ ordinal }) => ordinal)
    this.set = new GeometrySet(
      geos,
      (slot) => {
        const geometry = this.geometry(slot)
        return geometry === null ? null : onGlobe(geos, geometry)
      },
      this.count,
      'globe',
    )
    this.bytes = to - from
  }

  /** Number of slots, including slots of deleted features. */
  get count(): number {
    return this.ordinals.length
  }

  private chunkAt(slot: number): Buffer {
    return this.chunks[this.chunkOf[slot] as number] as Buffer
  }

  private startAt(slot: number): number {
    return this.startOf[slot] as number
  }

  /** Null for a deleted feature, and for a feature without a geometry. */
  geometry(slot: number): Wkb | null {
    return geometryOf(this.chunkAt(slot), this.startAt(slot))
  }

  exists(slot: number): boolean {
    return !isDeleted(this.chunkAt(slot), this.startAt(slot))
  }

  /** The feature must exist. */
  idOf(slot: number): string {
    return idOf(this.chunkAt(slot), this.startAt(slot))
  }

  propertiesOf(slot: number): Record<string, unknown> {
    return propertiesOf(this.chunkAt(slot), this.startAt(slot))
  }

  /** Slots of the features that hold a position, and of those within `bufferM` of it. */
  sidesAt(longitude: number, latitude: number, bufferM: number): Sides {
    this.sides ??= new PolygonSides(this.set)
    return this.sides.at(longitude, latitude, bufferM)
  }

  /** See PolygonSides; of the last answer of `sidesAt`. */
  get steadyDegrees(): number {
    return this.sides?.steadyDegrees ?? 0
  }

  /** Size in memory, roughly. */
  get size(): number {
    return this.bytes + (this.sides?.bytes ?? 0)
  }

  /** Reads the records that lie between two offsets of the file and applies them. */
  update(path: string, from: number, to: number): void {
    if (from >= to) return
    this.slots ??= new Map(this.ordinals.map((ordinal, slot) => [ordinal, slot]))
    const entries = latestOf(this.read(path, from, to))
    const added = entries.filter(({ ordinal }) => !this.slots?.has(ordinal)).length
    this.chunkOf = enlarged(this.chunkOf, this.count + added)
    this.startOf = enlarged(this.startOf, this.count + added)
    const changed: number[] = []
    for (const { ordinal, chunk, start } of entries) {
      const slot = this.slots.get(ordinal) ?? this.count
      this.slots.set(ordinal, slot)
      this.ordinals[slot] = ordinal
      this.chunkOf[slot] = chunk
      this.startOf[slot] = start
      changed.push(slot)
    }
    this.set.invalidate(changed, this.count)
    this.sides = undefined
    this.bytes += to - from
  }

  private read(path: string, from: number, to: number): Entry[] {
    const bytes = readBytes(path, from, to)
    const chunk = this.chunks.push(bytes) - 1
    const entries: Entry[] = []
    for (let at = 0; at < bytes.length; at = endOfRecord(bytes, at))
      entries.push({ ordinal: ordinalOf(bytes, at), chunk, start: at })
    return entries
  }
}

/** The last record of each ordinal, in ascending order of ordinals. */
function latestOf(entries: Entry[]): Entry[] {
  const isInOrder = entries.every(({ ordinal }, i) => i === 0 || ordinal > (entries[i - 1] as Entry).ordinal)
  if (isInOrder) return entries
  const latest = new Map(entries.map((entry) => [entry.ordinal, entry]))
  return [...latest.values()].sort((a, b) => a.ordinal - b.ordinal)
}

function enlarged(array: Uint32Array, length: number): Uint32Array {
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
