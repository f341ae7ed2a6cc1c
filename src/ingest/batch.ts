/**
 * The readings of one request while they are validated, deduplicated and logged: times and outcomes by index, and the rows of
 * the readings that may be stored, already encoded for the log and for ClickHouse.
 *
 * A row is ClickHouse RowBinary (little-endian) of
 * `enterprise UInt32, sensor UInt32, at DateTime64(3), channels Array(UInt16), values Array(Float64),
 * longitude Float64, latitude Float64, received_at DateTime64(3), keep_days UInt16`. Superseded readings have the
 * negative of `received_at` (superseded.ts).
 */
import { MAX_READINGS } from '../errors.ts'
import { writeInt64, writeLength } from '../stores/clickhouse/row-binary.ts'

export const OUTCOME = { NEW: 0, STORED_BEFORE: 1, REFUSED: 2 } as const

/**
 * `at` is the value as sent if it was a string, number or boolean; otherwise null. `line` is where the reading begins in
 * the body, for readings that could not be read. validate.ts has the reasons and their order.
 */
export type Refusal = { at: string | number | boolean | null; reason: string; channel?: string; line?: number }

export type Measurement = 'number' | 'whole' | 'boolean'

export type Channel = {
  /** Unique within the sensor; never reused for another name or measurement. */
  number: number
  name: string
  measurement: Measurement
  unit?: string | null
}

/** The configuration by which a sensor's readings are validated; rebuilt when it changes. */
export type SensorProfile = {
  enterprise: number
  sensor: number
  retentionDays: number
  /** Days after which ClickHouse deletes rows that are stored now; at least `retentionDays`. */
  keepDays: number
  /** How often the retention was extended; an extension ends earlier claims of times before `deletedBeforeMs`. */
  extensions: number
  /** Readings from before this time may have been deleted earlier, though the retention covers them now. */
  deletedBeforeMs: number
  channels: readonly Channel[]
  byName: ReadonlyMap<string, Channel>
  /** Channel names as JSON strings with their quotes, in UTF-8. */
  quotedNames: readonly Uint8Array[]
}

type Stored = { keepDays?: number | undefined; extensions?: number | undefined; deletedBeforeMs?: number | undefined }

export function sensorProfile(
  enterprise: number,
  sensor: number,
  retentionDays: number,
  channels: readonly Channel[],
  { keepDays = retentionDays, extensions = 0, deletedBeforeMs = Number.NEGATIVE_INFINITY }: Stored = {},
): SensorProfile {
  const encoder = new TextEncoder()
  return {
    enterprise,
    sensor,
    retentionDays,
    keepDays,
    extensions,
    deletedBeforeMs,
    channels,
    byName: new Map(channels.map((channel) => [channel.name, channel])),
    quotedNames: channels.map((channel) => encoder.encode(JSON.stringify(channel.name))),
  }
}

export type Batch = {
  count: number
  /** Milliseconds since 1970; NaN if the reading was refused. */
  times: Float64Array
  outcomes: Uint8Array
  /** The row of reading i is rows[rowEnds[i] … rowEnds[i + 1]); empty if it was refused. */
  rowEnds: Uint32Array
  rows: Uint8Array
  view: DataView
  refused: Refusal[]
  /** When the request arrived, in milliseconds since 1970. */
  receivedAtMs: number
  // fields of the reading that is being validated
  channelNumbers: Uint16Array
  values: Float64Array
}

export const MAX_CHANNELS = 256
const ROW_FIXED_BYTES = 64

export function createBatch(): Batch {
  const rows = new Uint8Array(64 * 1024)
  return {
    count: 0,
    times: new Float64Array(MAX_READINGS),
    outcomes: new Uint8Array(MAX_READINGS),
    rowEnds: new Uint32Array(MAX_READINGS + 1),
    rows,
    view: new DataView(rows.buffer),
    refused: [],
    receivedAtMs: 0,
    channelNumbers: new Uint16Array(MAX_CHANNELS),
    values: new Float64Array(MAX_CHANNELS),
  }
}

export function resetBatch(batch: Batch, receivedAtMs: number): void {
  batch.count = 0
  batch.refused = []
  batch.receivedAtMs = receivedAtMs
}

/** Room for as many outcomes again: parts of a reading may be refused one by one. */
function growOutcomes(batch: Batch): void {
  const { times, outcomes, rowEnds } = batch
  batch.times = new Float64Array(times.length * 2)
  batch.times.set(times)
  batch.outcomes = new Uint8Array(outcomes.length * 2)
  batch.outcomes.set(outcomes)
  batch.rowEnds = new Uint32Array(outcomes.length * 2 + 1)
  batch.rowEnds.set(rowEnds)
}

function growRows(batch: Batch, needed: number): void {
  const rows = new Uint8Array(Math.max(needed, batch.rows.length * 2))
  rows.set(batch.rows)
  batch.rows = rows
  batch.view = new DataView(rows.buffer)
}

/**
 * Appends reading number `batch.count` with the first `valueCount` entries of `channelNumbers` and `values`;
 * longitude and latitude in degrees, NaN for none.
 */
export function appendReading(
  batch: Batch,
  profile: SensorProfile,
  atMs: number,
  valueCount: number,
  longitude: number,
  latitude: number,
): void {
  const index = batch.count
  if (index === batch.outcomes.length) growOutcomes(batch)
  let p = batch.rowEnds[index] as number
  const needed = p + ROW_FIXED_BYTES + valueCount * 10
  if (needed > batch.rows.length) growRows(batch, needed)
  const { view, rows, channelNumbers, values } = batch
  view.setUint32(p, profile.enterprise, true)
  view.setUint32(p + 4, profile.sensor, true)
  writeInt64(view, p + 8, atMs)
  p = writeLength(rows, p + 16, valueCount)
  for (let i = 0; i < valueCount; i++, p += 2) view.setUint16(p, channelNumbers[i] as number, true)
  p = writeLength(rows, p, valueCount)
  for (let i = 0; i < valueCount; i++, p += 8) view.setFloat64(p, values[i] as number, true)
  view.setFloat64(p, longitude, true)
  view.setFloat64(p + 8, latitude, true)
  writeInt64(view, p + 16, batch.receivedAtMs)
  view.setUint16(p + 24, profile.keepDays, true)
  batch.times[index] = atMs
  batch.outcomes[index] = OUTCOME.NEW
  batch.rowEnds[index + 1] = p + 26
  batch.count = index + 1
}

export function appendRefusal(batch: Batch, refusal: Refusal): void {
  const index = batch.count
  if (index === batch.outcomes.length) growOutcomes(batch)
  batch.times[index] = Number.NaN
  batch.outcomes[index] = OUTCOME.REFUSED
  batch.rowEnds[index + 1] = batch.rowEnds[index] as number
  batch.refused.push(refusal)
  batch.count = index + 1
}
