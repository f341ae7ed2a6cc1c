/** Finds the channels that a reading names in bytes. Channels of the next reading usually have the same order. */
import { MAX_CHANNELS, type SensorProfile } from './batch.ts'
import { bytesAt } from './scan-tokens.ts'

/** Channel order of the last reading, as indexes into the profile. */
const usualOrder = new Int32Array(MAX_CHANNELS)
/** By channel, the number of the last reading that had it; detects a channel that occurs twice in one reading. */
const namedIn = new Int32Array(MAX_CHANNELS)
let readingNumber = 0

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
export function channelAt(
  bytes: Uint8Array,
  p: number,
  { channels, quotedNames }: SensorProfile,
  place: number,
): number {
  let index = usualOrder[place] as number
  if (index >= channels.length || !bytesAt(bytes, p, quotedNames[index] as Uint8Array)) {
    index = 0
    while (index < channels.length && !bytesAt(bytes, p, quotedNames[index] as Uint8Array)) index++
    if (index === channels.length) return -1
    usualOrder[place] = index
  }
  if (namedIn[index] === readingNumber) return -1
  namedIn[index] = readingNumber
  return index
}
