/** What the path of a reading wants to know of those that came before it; kept in the process or in Redis. */
import type { Batch } from './batch.ts'

/** Where claims ask about readings that they do not hold in memory. */
export type StoredReadings = {
  /** Resolves once every row logged here before `position` is in ClickHouse. */
  loadedThrough(position: number): Promise<void>
  /** The newest stored time of each sensor that has one, milliseconds since 1970. */
  newestTimes(sensors: readonly number[]): Promise<Map<number, number>>
  /** Those of the given times at which the sensor has a stored reading. */
  storedTimes(sensor: number, timesMs: readonly number[]): Promise<Set<number>>
  /** All of the sensor's stored times with `fromMs` ≤ at < `toMs`. */
  storedTimesBetween(sensor: number, fromMs: number, toMs: number): Promise<number[]>
}

/** Sensors that are seen for the first time within this time, as after a start, share one query. */
export const NEWEST_TIMES_BATCH_MS = 3

/** What is left to do when a call's rows are durable. */
export type ClaimTransaction = {
  /** Makes the readings known to every instance. @throws AppError when they cannot be answered as accepted */
  commit(): Promise<void>
  /** Lets the sensor's next call go; the rows could not be logged. */
  rollback(): void
}

export type Claims = {
  /** Counts a call that is refused for its body. @throws AppError SENSOR_RATE_LIMITED */
  countCall(sensor: number, nowMs: number): Promise<void> | undefined
  /**
   * Marks the batch's readings that are stored already. Returns undefined when memory was enough; then `add` or
   * `release` must follow before anything else runs. Else calls of one sensor go one after the other until then.
   * @throws AppError SENSOR_RATE_LIMITED where calls are counted here and not at the door
   */
  mark(sensor: number, batch: Batch, walPosition: number, nowMs: number): Promise<void> | undefined
  /** Takes the batch's new readings, logged up to `walPosition`, and lets the sensor's next call go, now or later. */
  add(sensor: number, batch: Batch, walPosition: number): ClaimTransaction | undefined
  /** Lets the sensor's next call go without adding anything. */
  release(sensor: number): void
  /** Drops what is known of a sensor, after its rows could not be logged. */
  forget(sensor: number, walPosition: number): void
  /** How many sensors' times are held in this process. */
  size(): number
}
