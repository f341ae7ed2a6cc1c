/** What ingestion makes of a body of readings. */
import { type Batch, createBatch, OUTCOME, type SensorProfile } from '../../../src/ingest/batch.ts'
import { sourceOf } from '../../../src/ingest/bodies/body-source.ts'
import { readRowValues } from '../../../src/ingest/row.ts'
import { type ReadingsSource, refusalOf } from '../../../src/ingest/validate.ts'

const NO_COUNTS = { used: () => 0 }

/** @throws AppError when the whole call is refused */
export function outcomeOfBody(
  type: string,
  text: string | Uint8Array,
  profile: SensorProfile,
  nowMs: number,
): { batch: Batch; source: ReadingsSource | undefined } {
  const body = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const batch = createBatch()
  const source = sourceOf(type, body)
  const refusal = refusalOf({ profile, readingsPerDay: 1, body, source, nowMs }, batch, NO_COUNTS)
  if (refusal !== undefined) throw refusal
  return { batch, source }
}

export function snapshot(batch: Batch) {
  const { count } = batch
  return {
    times: [...batch.times.subarray(0, count)],
    outcomes: [...batch.outcomes.subarray(0, count)],
    rows: Buffer.from(batch.rows.subarray(0, batch.rowEnds[count] as number)).toString('hex'),
    refused: batch.refused,
  }
}

export type TakenReading = { at: string; values: Record<string, number>; location?: [number, number] }

/** The readings that are not refused, as their rows have them. */
export function takenFrom(batch: Batch, profile: SensorProfile): TakenReading[] {
  const names = new Map(profile.channels.map(({ number, name }) => [number, name]))
  const taken: TakenReading[] = []
  for (let i = 0; i < batch.count; i++) {
    if (batch.outcomes[i] !== OUTCOME.NEW) continue
    const { channels, values, longitude, latitude } = readRowValues(batch.rows, batch.view, batch.rowEnds[i] as number)
    taken.push({
      at: new Date(batch.times[i] as number).toISOString(),
      values: Object.fromEntries(channels.map((number, j) => [names.get(number), values[j] as number])),
      ...(!Number.isNaN(longitude) && { location: [longitude, latitude] }),
    })
  }
  return taken
}
