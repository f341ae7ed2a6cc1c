/** Segments of the log as ingestion writes them. */
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { MARK_BYTES, writeMark } from '../../../src/ingest/row.ts'
import { markSuperseded } from '../../../src/ingest/superseded.ts'

/** `values` by channel number. */
export type SentReading = { atMs: number; values: Map<number, number>; location: readonly [number, number] | undefined }
export type SentCall = { sensor: number; receivedMs: number; readings: SentReading[] }

const RETENTION_DAYS = 90

/** One commit of calls of one enterprise. */
export function segmentOf(calls: readonly SentCall[]): Uint8Array {
  const batch = createBatch()
  const parts: Uint8Array[] = []
  let rows = 0
  for (const { sensor, receivedMs, readings } of calls) {
    const profile = sensorProfile(1, sensor, RETENTION_DAYS, [])
    resetBatch(batch, receivedMs)
    for (const { atMs, values, location: [longitude, latitude] = [Number.NaN, Number.NaN] } of readings) {
      let count = 0
      for (const [channel, value] of values) {
        batch.channelNumbers[count] = channel
        batch.values[count++] = value
      }
      appendReading(batch, profile, atMs, count, longitude, latitude)
    }
    markSuperseded(batch, 0, readings.length - 1)
    parts.push(batch.rows.slice(0, batch.rowEnds[readings.length] as number))
    rows += readings.length
  }
  const bytes = Buffer.concat([...parts, Buffer.alloc(MARK_BYTES)])
  const length = bytes.length - MARK_BYTES
  writeMark(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), length, { length, rows, stamp: 1n })
  return bytes
}
