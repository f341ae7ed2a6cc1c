/** Gives the readings of a scanned call to their sensors (many.ts). Channels are looked up here, when they are known. */
import { appendReading, appendRefusal, type Batch, type Refusal, type SensorProfile } from './batch.ts'
import { beginReading, channelAt } from './channel-order.ts'
import type { SensorReadings } from './many.ts'
import type { ManyScan } from './scan-many.ts'
import { echoed, MAX_LEFT_OUT, type ReadingsSource, validateReading, withoutUnknown } from './validate.ts'

const decoder = new TextDecoder()
/** Of readings that are accepted together: each may have to be parsed by itself. */
const PART_BYTES = 256 * 1024

type Target = Pick<SensorReadings, 'profile' | 'readingsPerDay'>

export type GivenReadings = {
  sensors: SensorReadings[]
  /** Readings without a sensor that takes them, by number. */
  others: number[]
  /**
   * What is listed of readings that were accepted, with the number of the reading: channels that were left out, and a
   * time that is only that of arrival. Complete once the readings are accepted.
   */
  notes: Note[]
}

type Note = { number: number; refusal: Refusal }

/**
 * @param targetOf the sensor with a name, an index in `scan.sensors`; several names may have the same one
 * @param ignoresUnknown whether unknown channels are left out of readings, which are then accepted without them
 */
export function giveReadings(
  scan: ManyScan,
  targetOf: (name: number) => Target | undefined,
  ignoresUnknown: boolean,
): GivenReadings {
  const given: GivenReadings = { sensors: [], others: [], notes: [] }
  const bySensor = new Map<number, number[]>()
  const numbersOf = scan.sensors.map((_, name) => {
    const target = targetOf(name)
    if (target === undefined) return given.others
    const { sensor } = target.profile
    let numbers = bySensor.get(sensor)
    if (numbers === undefined) {
      numbers = []
      bySensor.set(sensor, numbers)
      given.sensors.push(readingsOf(scan, target, numbers, ignoresUnknown, given.notes))
    }
    return numbers
  })
  for (let number = 0; number < scan.count; number++)
    (numbersOf[scan.sensorOf[number] as number] ?? given.others).push(number)
  return given
}

/** A reading as it was sent. */
export function sentReading({ body, parsed, starts, ends }: ManyScan, number: number): unknown {
  return parsed.has(number)
    ? parsed.get(number)
    : JSON.parse(decoder.decode(body.subarray(starts[number], ends[number])))
}

/** The time of a reading as it was sent, for a refusal. */
export function sentTime(scan: ManyScan, number: number): Refusal['at'] {
  const { at } = (sentReading(scan, number) ?? {}) as { at?: unknown }
  return typeof at === 'string' ? at : echoed(at)
}

function readingsOf(
  scan: ManyScan,
  { profile, readingsPerDay }: Target,
  numbers: readonly number[],
  ignoresUnknown: boolean,
  notes: Note[],
): SensorReadings {
  const { times } = scan
  /** The newest time that was accepted, and all of them once a reading is not newer than those before. */
  let newestMs = Number.NEGATIVE_INFINITY
  let taken: Set<number> | undefined
  let isArrivalNoted = false

  function takenBefore(index: number): Set<number> {
    taken ??= new Set(numbers.slice(0, index).map((number) => times[number] as number))
    return taken
  }

  /** Appends the reading, or returns why it is refused; `times` has its time only if it is accepted. */
  function readExactly(index: number, batch: Batch, oldestMs: number, newestKeptMs: number): Refusal | undefined {
    const number = numbers[index] as number
    const sent = sentReading(scan, number)
    const parts = ignoresUnknown ? withoutUnknown(sent, profile) : { known: sent, leftOut: [] }
    const before = takenBefore(index)
    const refusal = validateReading(parts.known, profile, batch, oldestMs, newestKeptMs, before)
    times[number] = refusal === undefined ? (batch.times[batch.count - 1] as number) : Number.NaN
    if (refusal !== undefined) return refusal
    newestMs = Math.max(newestMs, times[number] as number)
    const room = Math.max(0, MAX_LEFT_OUT - notes.length)
    for (const refusal of parts.leftOut.slice(0, room)) notes.push({ number, refusal })
    const { at, atArrival } = sent as { at: string; atArrival?: unknown }
    if (atArrival === true && !isArrivalNoted) {
      isArrivalNoted = true
      notes.push({ number, refusal: { at, reason: 'SENSOR_READING_NO_TIME' } })
    }
    return undefined
  }

  function source(first: number, end: number): ReadingsSource {
    const firstNote = notes.length
    return {
      fill(_, batch, oldestMs, newestKeptMs) {
        for (let index = first; index < end; index++) {
          const number = numbers[index] as number
          const atMs = times[number] as number
          const isFree = atMs > newestMs || !takenBefore(index).has(atMs)
          // written so that NaN, the time of a parsed reading, fails
          const isInTime = atMs >= oldestMs && atMs <= newestKeptMs
          if (isInTime && isFree && appendUsual(scan, number, profile, batch)) {
            newestMs = Math.max(newestMs, atMs)
            taken?.add(atMs)
          } else {
            const refusal = readExactly(index, batch, oldestMs, newestKeptMs)
            if (refusal !== undefined) appendRefusal(batch, refusal)
          }
        }
        for (let i = firstNote; i < notes.length; i++) appendRefusal(batch, (notes[i] as Note).refusal)
      },
      sent(index) {
        const part = first + index - end
        const number = part < 0 ? numbers[first + index] : notes[firstNote + part]?.number
        return sentReading(scan, number as number)
      },
    }
  }

  function partEnd(first: number): number {
    let bytes = 0
    let end = first
    while (end < numbers.length && bytes < PART_BYTES) {
      const number = numbers[end++] as number
      bytes += (scan.ends[number] as number) - (scan.starts[number] as number)
    }
    return end
  }

  return { profile, readingsPerDay, numbers, partEnd, source }
}

/** Appends a reading that was read from its bytes; false if it must be looked at more closely. */
function appendUsual(scan: ManyScan, number: number, profile: SensorProfile, batch: Batch): boolean {
  const { body, valueEnds, nameStarts, numbers, booleans } = scan
  const first = number === 0 ? 0 : (valueEnds[number - 1] as number)
  const count = (valueEnds[number] as number) - first
  const longitude = scan.longitudes[number] as number
  if (count === 0 && Number.isNaN(longitude)) return false
  beginReading()
  for (let i = 0; i < count; i++) {
    const index = channelAt(body, nameStarts[first + i] as number, profile, i)
    if (index < 0) return false
    const { measurement, number: channel } = profile.channels[index] as SensorProfile['channels'][number]
    const value = numbers[first + i] as number
    if ((measurement === 'boolean') !== (booleans[first + i] === 1)) return false
    if (measurement === 'whole' && !Number.isSafeInteger(value)) return false
    batch.channelNumbers[i] = channel
    batch.values[i] = value
  }
  appendReading(batch, profile, scan.times[number] as number, count, longitude, scan.latitudes[number] as number)
  return true
}
