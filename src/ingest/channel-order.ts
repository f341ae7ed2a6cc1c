/** Finds the channels that a reading names in bytes. Channels of the next reading usually have the same order. */
import { MAX_CHANNELS, type SensorProfile } from './batch.ts'
import { bytesAt, QUOTE } from './scan-tokens.ts'

/** Channel order of the last reading, as indexes into the profile. */
const usualOrder = new Int32Array(MAX_CHANNELS)
/** By channel, the number of the last reading that had it; detects a channel that occurs twice in one reading. */
const namedIn = new Int32Array(MAX_CHANNELS)
let readingNumber = 0

/** More channels are found by their names: one by one, 256 channels in changing orders would hold the thread. */
const FEW_CHANNELS = 16
const BACKSLASH = 92
/** Channels by the bytes of their quoted names. */
const indexesOf = new WeakMap<SensorProfile, ReadonlyMap<string, number>>()

const textOf = ({ buffer, byteOffset }: Uint8Array, start: number, end: number): string =>
  Buffer.from(buffer, byteOffset + start, end - start).toString('latin1')

function indexesIn(profile: SensorProfile): ReadonlyMap<string, number> {
  let indexes = indexesOf.get(profile)
  if (indexes === undefined) {
    indexes = new Map(profile.quotedNames.map((name, index) => [textOf(name, 0, name.length), index]))
    indexesOf.set(profile, indexes)
  }
  return indexes
}

/** The offset after the quoted text at `start`, or the end of the bytes. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let p = start + 1; p < bytes.length; p++) {
    if (bytes[p] === QUOTE) return p + 1
    if (bytes[p] === BACKSLASH) p++
  }
  return bytes.length
}

function search(bytes: Uint8Array, p: number, profile: SensorProfile): number {
  const { quotedNames } = profile
  if (quotedNames.length > FEW_CHANNELS) return indexesIn(profile).get(textOf(bytes, p, endOfText(bytes, p))) ?? -1
  return quotedNames.findIndex((name) => bytesAt(bytes, p, name))
}

/** To be called before the channels of a reading. */
export function beginReading(): void {
  if (readingNumber === 0x7fffffff) {
    namedIn.fill(0)
    readingNumber = 0
  }
  readingNumber++
}

/**
 * The index in the profile of the channel whose quoted name is at `p`; -1 if there is none, or if the reading has named
 * it already.
 * @param place number of channels that the reading has named before
 */
export function channelAt(bytes: Uint8Array, p: number, profile: SensorProfile, place: number): number {
  const { quotedNames } = profile
  let index = usualOrder[place] as number
  if (index >= quotedNames.length || !bytesAt(bytes, p, quotedNames[index] as Uint8Array)) {
    index = search(bytes, p, profile)
    if (index < 0) return -1
    usualOrder[place] = index
  }
  if (namedIn[index] === readingNumber) return -1
  namedIn[index] = readingNumber
  return index
}
