/**
 * A layer of an owner's as it is read from the file that the server keeps of it, and brought up to date from what was
 * added to that file since. A record for each feature that was put in, changed or taken out, little-endian: bytes that
 * follow (uint32), place in the layer (float64), bytes of the geometry (uint32, all ones for a feature that is gone),
 * geometry as well-known binary, properties as JSON text.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { GeometrySet } from './geometry-set.ts'
import type { Geos } from './geos.ts'
import type { Wkb } from './wkb.ts'

const HEAD_BYTES = 16
const GONE = 0xffffffff

type Entry = { place: number; geometry: Wkb | null; properties: Uint8Array | undefined }

export class KeptLayer {
  readonly set: GeometrySet
  private readonly geometries: (Wkb | null)[]
  private readonly properties: (Uint8Array | undefined)[]
  /** Where in the arrays the feature of a place is; made when it is first needed. */
  private slots: Map<number, number> | undefined
  private readonly places: number[]
  /** Of the files that were read. */
  bytes: number

  constructor(geos: Geos, path: string, from: number, to: number) {
    const entries = latestOf(readEntries(path, from, to))
    this.geometries = entries.map(({ geometry }) => geometry)
    this.properties = entries.map(({ properties }) => properties)
    this.places = entries.map(({ place }) => place)
    this.set = new GeometrySet(geos, this.geometries)
    this.bytes = to - from
  }

  get count(): number {
    return this.geometries.length
  }

  /** Null for a feature that is gone, and for one without a geometry. */
  geometry(slot: number): Wkb | null {
    return this.geometries[slot] ?? null
  }

  isThere(slot: number): boolean {
    return this.properties[slot] !== undefined
  }

  propertiesOf(slot: number): Record<string, unknown> {
    const text = this.properties[slot]
    return text === undefined ? {} : (JSON.parse(Buffer.from(text).toString('utf8')) as Record<string, unknown>)
  }

  /** Takes in what a file holds between two of its bytes. */
  update(path: string, from: number, to: number): void {
    if (from >= to) return
    this.slots ??= new Map(this.places.map((place, slot) => [place, slot]))
    const changes = new Map<number, Wkb | null>()
    for (const { place, geometry, properties } of latestOf(readEntries(path, from, to))) {
      const slot = this.slots.get(place) ?? this.geometries.length
      this.slots.set(place, slot)
      this.places[slot] = place
      this.geometries[slot] = geometry
      this.properties[slot] = properties
      changes.set(slot, geometry)
    }
    this.set.replace(changes)
    this.bytes += to - from
  }
}

/** Of each place the last word, in the order of places. */
function latestOf(entries: Entry[]): Entry[] {
  const isInOrder = entries.every(({ place }, i) => i === 0 || place > (entries[i - 1] as Entry).place)
  if (isInOrder) return entries
  const latest = new Map(entries.map((entry) => [entry.place, entry]))
  return [...latest.values()].sort((a, b) => a.place - b.place)
}

function readEntries(path: string, from: number, to: number): Entry[] {
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
  const view = new DataView(bytes.buffer)
  const entries: Entry[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at, true)
    const place = view.getFloat64(at + 4, true)
    const length = view.getUint32(at + 12, true)
    const start = at + HEAD_BYTES
    const isGone = length === GONE
    const geometryEnd = isGone ? start : start + length
    entries.push({
      place,
      geometry: geometryEnd === start ? null : bytes.subarray(start, geometryEnd),
      properties: isGone ? undefined : bytes.subarray(geometryEnd, end),
    })
    at = end
  }
  return entries
}
