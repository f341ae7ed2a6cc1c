/** Deduplication of readings; state is in the process (memory-dedup.ts) or in Redis (redis-dedup.ts). */
import type { Batch, SensorProfile } from './batch.ts'

/** Looks up readings that are not in memory. */
export type StoredReadings = {
  /** Resolves once every row that this instance logged before `position` is in ClickHouse. */
  loadedThrough(position: number): Promise<void>
  /** The newest stored time of each sensor that has one, in milliseconds since 1970. */
  newestTimes(sensors: readonly number[]): Promise<Map<number, number>>
  /** The newest stored time of all sensors; undefined if there are too many for memory. */
  allNewestTimes(): Promise<Map<number, number> | undefined>
  /** The subset of the given times at which the sensor has a stored reading that is kept. */
  storedTimes(sensor: DedupSensor, timesMs: readonly number[]): Promise<Set<number>>
  /** All times with `fromMs` ≤ at < `toMs` at which the sensor has a stored reading that is kept. */
  storedTimesBetween(sensor: DedupSensor, fromMs: number, toMs: number): Promise<number[]>
}

/** A sensor, its retention, and how far its readings may have been deleted. */
export type DedupSensor = Pick<SensorProfile, 'sensor' | 'retentionDays' | 'extensions' | 'deletedBeforeMs'>

/** Sensors that are seen for the first time within this time share one query, which costs more than its rows. */
export const NEWEST_TIMES_BATCH_MS = 20

/** A commit that other instances must see: confirmed once the request's rows are durable, or rolled back. */
export type PendingCommit = {
  /** Makes the readings visible to every instance. @throws AppError if they must not be reported as accepted */
  confirm(): Promise<void>
  /** Releases the sensor after its rows could not be logged. */
  rollback(): void
}

export type Dedup = {
  /** To be called before a request's body is read. @throws AppError SENSOR_RATE_LIMITED if the sensor's minute is known to be full */
  checkRate(sensor: number, nowMs: number): void
  /** Counts a request whose body was refused. @throws AppError SENSOR_RATE_LIMITED */
  countCall(sensor: number, nowMs: number): Promise<void> | undefined
  /**
   * Marks the batch's readings that are stored already. Returns undefined if memory was enough; then `commit` or
   * `release` must follow synchronously. Otherwise the sensor is locked for other requests until one of them follows.
   * @param isUncounted whether the request does not count against the sensor's rate limit
   * @throws AppError SENSOR_RATE_LIMITED if requests are counted here and not in access/sensor-gate.ts
   */
  lookup(
    profile: DedupSensor,
    batch: Batch,
    walPosition: number,
    nowMs: number,
    isUncounted: boolean,
  ): Promise<void> | undefined
  /** To be called just before the batch is logged. @throws Error if other instances can no longer know of the look-up */
  requireLookedUp(sensor: number): void
  /**
   * Commits the batch's new readings, which are logged up to `walPosition`. Releases the sensor now, or returns a
   * commit to be confirmed or rolled back, which then releases it.
   */
  commit(sensor: number, batch: Batch, walPosition: number): PendingCommit | undefined
  /** Releases the sensor without a commit. */
  release(sensor: number): void
  /** Drops the sensor's times from memory after its rows could not be logged. */
  forget(sensor: number, walPosition: number): void
  /** Number of sensors in memory. */
  size(): number
}
