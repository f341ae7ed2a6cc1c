/**
 * Readings of many sensors in one call. The readings of each sensor are accepted like a call of that sensor, all at the
 * same time, so that one write of the log serves them.
 */
import { AppError, MAX_READINGS } from '../errors.ts'
import { stepsInTurns } from '../event-loop-yield.ts'
import { type Batch, OUTCOME, type Refusal, type SensorProfile } from './batch.ts'
import type { Ingest } from './ingest.ts'
import { daySpent, type ReadingsSource } from './validate.ts'

/** The readings of a sensor in a call. */
export type SensorReadings = {
  profile: SensorProfile
  readingsPerDay: number
  /** The numbers of its readings in the call, in the order in which they were sent. */
  numbers: readonly number[]
  /** The end of the part that begins at index `first`, where MAX_READINGS would hold the server's thread. */
  partEnd?(first: number): number
  /**
   * Reads `numbers` from index `first` up to, but without, `end`, at most MAX_READINGS. Parts are read in their order. The
   * source appends one outcome for each reading, in their order, and after them any refusals of parts of readings. It
   * refuses a time that an earlier reading of the sensor has, also one of an earlier part.
   */
  source(first: number, end: number): ReadingsSource
}

/** By number of the reading in the call. */
export type ManyOutcomes = {
  outcomes: Uint8Array
  /** Milliseconds since 1970; NaN if the reading was refused. */
  times: Float64Array
  refusals: Map<number, Refusal>
}

/**
 * Accepts the readings of a call. Each sensor occurs once in `sensors`. Readings that none of them has count as refused,
 * without a refusal. The caller has counted the call.
 * @param count number of readings in the call
 * @returns once every reading with the outcome NEW or STORED_BEFORE is durable
 * @throws AppError SENSOR_READINGS_DAILY_LIMIT if a reading was refused only because the readings of the day are spent, and
 *   INGEST_UNAVAILABLE. Other readings of the call may then be stored, and are duplicates when the call is sent again.
 */
export type AcceptMany = (sensors: readonly SensorReadings[], count: number, nowMs: number) => Promise<ManyOutcomes>

/** Sensors that wait for a lookup, each of which holds a batch of 80 kB. */
const MAX_LOOKUPS = 256
const NO_BODY = new Uint8Array()

export function createAcceptMany(ingest: Pick<Ingest, 'accept'>): AcceptMany {
  let lookups = 0
  let lookedUp = Promise.withResolvers<void>()

  function endLookup(): void {
    lookups--
    lookedUp.resolve()
    lookedUp = Promise.withResolvers()
  }

  return async (sensors, count, nowMs) => {
    const result: ManyOutcomes = {
      outcomes: new Uint8Array(count).fill(OUTCOME.REFUSED),
      times: new Float64Array(count).fill(Number.NaN),
      refusals: new Map(),
    }
    const accepting: Promise<void>[] = []
    const failures: unknown[] = []
    let isDaySpent = false
    let next = 0
    let first = 0

    /** Begins to accept a part of a sensor's readings. */
    function begin(sensor: SensorReadings, end: number): void {
      const { profile, readingsPerDay, numbers } = sensor
      const from = first
      let hasBatch = true
      let isLookup = false
      const source = sensor.source(from, end)
      const call = { profile, readingsPerDay, body: NO_BODY, source, nowMs, isUncounted: true }
      const accepted = ingest.accept(call, (batch) => {
        takeOutcomes(result, numbers, from, end, batch)
        isDaySpent ||= batch.refused.some(({ reason }) => reason === 'SENSOR_READINGS_DAILY_LIMIT')
        hasBatch = false
        if (isLookup) endLookup()
      })
      accepting.push(
        accepted.catch((error: unknown) => {
          failures.push(error)
          if (hasBatch && isLookup) endLookup()
        }),
      )
      if (hasBatch) {
        isLookup = true
        lookups++
      }
    }

    function beginNext(): boolean {
      const sensor = sensors[next]
      if (sensor === undefined) return false
      const most = sensor.partEnd?.(first) ?? sensor.numbers.length
      const end = Math.min(first + MAX_READINGS, most)
      begin(sensor, end)
      if (end === sensor.numbers.length) next++
      first = end === sensor.numbers.length ? 0 : end
      return lookups < MAX_LOOKUPS
    }

    while (next < sensors.length) {
      while (lookups >= MAX_LOOKUPS) await lookedUp.promise
      await stepsInTurns(beginNext)
    }
    await Promise.all(accepting)
    if (failures.length > 0) throw worstOf(failures)
    if (isDaySpent) throw daySpent(nowMs)
    return result
  }
}

function takeOutcomes(
  { outcomes, times, refusals }: ManyOutcomes,
  numbers: readonly number[],
  first: number,
  end: number,
  batch: Batch,
): void {
  let refused = 0
  for (let i = first; i < end; i++) {
    const number = numbers[i] as number
    const outcome = batch.outcomes[i - first] as number
    outcomes[number] = outcome
    if (outcome === OUTCOME.REFUSED) refusals.set(number, batch.refused[refused++] as Refusal)
    else times[number] = batch.times[i - first] as number
  }
}

/** A failure of the server counts more than one of the call, and one that is no answer most. */
function worstOf(failures: readonly unknown[]): unknown {
  const weightOf = (error: unknown): number => (error instanceof AppError ? error.status : 999)
  return failures.reduce((worst, error) => (weightOf(error) > weightOf(worst) ? error : worst))
}
