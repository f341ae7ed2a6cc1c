/** New readings of sensors that somebody watches, as this process receives them. */
import type { Batch } from '../../ingest/batch.ts'
import { type RowValues, readRowValues } from '../../ingest/row.ts'

export type TailReading = RowValues & { sensor: number; ms: number }

export type ReadingTail = {
  /** Ingestion calls the returned function once the readings are durable; undefined if nobody watches the sensor. */
  readingsOf(sensor: number, batch: Batch): (() => void) | undefined
  /** Calls `onReadings` with new readings of these sensors until the returned function is called. */
  watch(sensors: readonly number[], onReadings: (readings: readonly TailReading[]) => void): () => void
}

type Listener = (readings: readonly TailReading[]) => void

/** The newest readings of one call that are sent. */
const MAX_READINGS = 100
// the outcome of a reading that was accepted (ingest/batch.ts)
const NEW = 0

export function createReadingTail(): ReadingTail {
  const watched = new Map<number, Set<Listener>>()
  return {
    readingsOf(sensor, batch) {
      if (watched.size === 0) return undefined
      const listeners = watched.get(sensor)
      if (listeners === undefined) return undefined
      const readings: TailReading[] = []
      for (let i = batch.count - 1; i >= 0 && readings.length < MAX_READINGS; i--)
        if (batch.outcomes[i] === NEW)
          readings.push({
            sensor,
            ms: batch.times[i] as number,
            ...readRowValues(batch.rows, batch.view, batch.rowEnds[i] as number),
          })
      if (readings.length === 0) return undefined
      readings.sort((a, b) => a.ms - b.ms)
      return () => {
        for (const listener of listeners) listener(readings)
      }
    },
    watch(sensors, onReadings) {
      for (const sensor of sensors) {
        const listeners = watched.get(sensor) ?? new Set()
        listeners.add(onReadings)
        watched.set(sensor, listeners)
      }
      return () => {
        for (const sensor of sensors) {
          const listeners = watched.get(sensor)
          listeners?.delete(onReadings)
          if (listeners?.size === 0) watched.delete(sensor)
        }
      }
    },
  }
}
