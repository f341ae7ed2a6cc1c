/**
 * A sensor's rate: at most SENSOR_CALLS_PER_MINUTE calls in a clock minute. Without Redis, access/sensor-gate.ts counts
 * the calls of this process; with Redis, the look-up of stored readings counts the calls of all instances
 * (ingest/redis-dedup.ts).
 *
 * The rates of other callers slide (access/rate-windows.ts). This one does not, because it is on the path of every reading and
 * covers hundreds of thousands of sensors: a clock minute needs one number for each sensor, which all sensors drop at
 * the same moment, and in Redis one INCR in a script that runs anyway. A sliding window needs sixty numbers. The price
 * is that a sensor may send twice its limit around the turn of a minute.
 */
import { AppError } from '../errors.ts'

const MINUTE_MS = 60_000

export const clockMinuteOf = (nowMs: number): number => Math.floor(nowMs / MINUTE_MS)

/** The refusal of a call above the limit, which ends with the minute. */
export const sensorRateLimited = (nowMs: number): AppError =>
  new AppError('SENSOR_RATE_LIMITED', { retryAfterS: Math.max(1, Math.ceil((MINUTE_MS - (nowMs % MINUTE_MS)) / 1000)) })

/** Counts calls in this process. @returns a function that counts a call, and whether it is within the limit */
export function createSensorCalls(limit: number): (sensorId: string, nowMs: number) => boolean {
  let minute = 0
  const calls = new Map<string, number>()
  return (sensorId, nowMs) => {
    if (limit === Number.POSITIVE_INFINITY) return true
    const thisMinute = clockMinuteOf(nowMs)
    if (thisMinute !== minute) {
      minute = thisMinute
      calls.clear()
    }
    const count = (calls.get(sensorId) ?? 0) + 1
    calls.set(sensorId, count)
    return count <= limit
  }
}
