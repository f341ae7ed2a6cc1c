/**
 * application/senml+json (RFC 8428). Records of one millisecond are one reading. A record that is refused leaves the
 * others of its time; a time that is refused is refused once.
 */
import { fieldText } from '../../field-texts/field-text.ts'
import { parseJson } from '../../json-text.ts'
import { appendReading, appendRefusal, type Batch, type Channel, type Refusal, type SensorProfile } from '../batch.ts'
import { formatTimestamp } from '../timestamp.ts'
import {
  asNumber,
  batchInvalid,
  echoed,
  isLonLat,
  READING_LIMITS,
  type ReadingsSource,
  type Reason,
  readJsonText,
  timeReasonOf,
} from '../validate.ts'
import { requireCount } from './lines.ts'

type SenmlRecord = Record<string, unknown>

/** Versions up to 10, and 10 with secondary units (RFC 8798), which are compared like others. */
const VERSION = 10
const VERSION_WITH_SECONDARY_UNITS = 26
/** Seconds below it are relative to now (4.5.3). */
const ABSOLUTE = 2 ** 28
/** The years 0 to 9999, as in RFC 3339. */
const FIRST_MS = -62_167_219_200_000
const LAST_MS = 253_402_300_799_999
/** Units that people write in another way. */
const WRITTEN: ReadonlyMap<unknown, string> = new Map([
  ['Cel', '°C'],
  ['%RH', '%'],
])
const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const BASE_LABELS: Record<string, (value: unknown) => boolean> = {
  bn: isText,
  bt: isNumber,
  bu: isText,
  bv: isNumber,
  bs: isNumber,
  bver: isNumber,
}

/** The base fields that hold for a record. */
type Base = { bn: string; bt: number; bu?: string; bv: number; bs?: number }

const NOWHERE = [Number.NaN, Number.NaN] as const

type Fault = { reason: Reason; channel?: string }

/** The records of a millisecond. */
type Moment = {
  atMs: number
  at: string
  records: SenmlRecord[]
  channelNumbers: number[]
  values: number[]
  location: [longitude: number, latitude: number]
  sides: (SenmlRecord | undefined)[]
}

export function senmlSource(body: Uint8Array): ReadingsSource {
  /** In the order of the batch. */
  const sent: unknown[] = []
  return {
    fill(profile, batch, oldestMs, newestMs) {
      const pack = readJsonText(() => parseJson(body, READING_LIMITS))
      if (!Array.isArray(pack)) throw batchInvalid('body', 'type', fieldText('senmlPack'))
      fill(pack, profile, batch, { oldestMs, newestMs }, sent)
    },
    sent: (index) => sent[index],
  }
}

function fill(
  pack: readonly unknown[],
  profile: SensorProfile,
  batch: Batch,
  { oldestMs, newestMs }: { oldestMs: number; newestMs: number },
  sent: unknown[],
): void {
  const base: Base = { bn: '', bt: 0, bv: 0 }
  const baseNames = new Set<unknown>()
  const moments = new Map<number, Moment>()
  let withoutTime = 0
  function refuse(at: Refusal['at'], { reason, channel }: Fault, record: unknown): void {
    appendRefusal(batch, channel === undefined ? { at, reason } : { at, reason, channel })
    sent.push(record)
  }
  for (const record of pack) {
    if (!isRecord(record)) {
      withoutTime++
      refuse(null, { reason: 'SENSOR_READING_AT_INVALID' }, record)
      continue
    }
    const isBase = applyBase(base, record)
    if (record.bn !== undefined && baseNames.add(record.bn).size > 1)
      throw batchInvalid('body', 'once', fieldText('senmlBaseNames'))
    if (isBase) continue
    const atMs = timeOf(base.bt, record.t, batch.receivedAtMs)
    if (Number.isNaN(atMs)) {
      withoutTime++
      refuse(echoed(record.t), { reason: 'SENSOR_READING_AT_INVALID' }, record)
      continue
    }
    let moment = moments.get(atMs)
    if (moment === undefined) {
      moment = {
        atMs,
        at: formatTimestamp(atMs),
        records: [],
        channelNumbers: [],
        values: [],
        location: [...NOWHERE],
        sides: [],
      }
      moments.set(atMs, moment)
    }
    moment.records.push(record)
    if (timeReasonOf(atMs, oldestMs, newestMs) !== undefined) continue
    const fault = addRecord(moment, record, base, profile)
    if (fault !== undefined) refuse(moment.at, fault, record)
  }
  requireCount(moments.size + withoutTime)
  for (const { atMs, at, records, channelNumbers, values, location, sides } of moments.values()) {
    const reason = timeReasonOf(atMs, oldestMs, newestMs)
    if (reason !== undefined) {
      refuse(at, { reason }, records)
      continue
    }
    const isPlaced = isLonLat(location)
    if (!isPlaced)
      for (const record of sides) if (record !== undefined) refuse(at, { reason: 'SENSOR_READING_LOCATION' }, record)
    if (channelNumbers.length === 0 && !isPlaced) continue
    batch.channelNumbers.set(channelNumbers)
    batch.values.set(values)
    const [longitude, latitude] = isPlaced ? location : NOWHERE
    appendReading(batch, profile, atMs, channelNumbers.length, longitude, latitude)
    sent.push(records)
  }
}

const isRecord = (value: unknown): value is SenmlRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Takes over the base fields of a record; returns whether it has nothing else.
 * @throws AppError SENSOR_READINGS_BATCH_INVALID, since the following records depend on them
 */
function applyBase(base: Base, record: SenmlRecord): boolean {
  let isBase = true
  for (const label in record) {
    // 12.3.1
    if (label.endsWith('_')) throw batchInvalid('body', 'enum', fieldText('senmlLabel', { label: label.slice(0, 60) }))
    const isValid = Object.hasOwn(BASE_LABELS, label) ? BASE_LABELS[label] : undefined
    if (isValid === undefined) {
      isBase = false
      continue
    }
    const value = record[label]
    if (!isValid(value)) throw batchInvalid('body', 'type', fieldText('senmlBase', { label }))
    if (label === 'bver') requireVersion(value as number)
    else Object.assign(base, { [label]: value })
  }
  return isBase && Object.keys(record).length > 0
}

function requireVersion(version: number): void {
  const isKnown = Number.isInteger(version) && version > 0 && version <= VERSION
  if (!isKnown && version !== VERSION_WITH_SECONDARY_UNITS)
    throw batchInvalid('body', 'enum', fieldText('senmlVersion'))
}

/** In milliseconds, from seconds that have microseconds at most; NaN unless it is a time. */
function timeOf(baseTime: number, time: unknown, nowMs: number): number {
  const seconds = baseTime + (time === undefined ? 0 : typeof time === 'number' ? time : Number.NaN)
  const ms = Math.floor(Math.round(seconds * 1e6) / 1000) + (seconds < ABSOLUTE ? nowMs : 0)
  return ms >= FIRST_MS && ms <= LAST_MS ? ms : Number.NaN
}

/** Adds the value of a record to the reading of its time, or returns why it is refused. */
function addRecord(moment: Moment, record: SenmlRecord, base: Base, profile: SensorProfile): Fault | undefined {
  const unit = record.u ?? base.bu
  const value = onlyValue(record, base)
  if (unit === 'lon' || unit === 'lat') {
    const side = unit === 'lon' ? 0 : 1
    if (moment.sides[side] !== undefined) return { reason: 'SENSOR_READING_DUPLICATE_IN_BATCH' }
    if (typeof value !== 'number') return { reason: 'SENSOR_READING_LOCATION' }
    moment.sides[side] = record
    moment.location[side] = value
    return undefined
  }
  const { n = '' } = record
  if (typeof n !== 'string') return { reason: 'SENSOR_READING_UNKNOWN_CHANNEL' }
  const found = profile.byName.get(n) ?? profile.byName.get(base.bn + n)
  const name = n === '' ? base.bn : n
  if (found === undefined) return { reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: name }
  const number = fitsUnit(unit, found) ? asNumber(value, found.measurement) : undefined
  if (number === undefined) return { reason: 'SENSOR_READING_BAD_VALUE', channel: name }
  if (moment.channelNumbers.includes(found.number))
    return { reason: 'SENSOR_READING_DUPLICATE_IN_BATCH', channel: name }
  moment.channelNumbers.push(found.number)
  moment.values.push(number)
  return undefined
}

/** The value of a record with one value and no sum; undefined for others. */
function onlyValue({ v, vb, vs, vd, s }: SenmlRecord, { bv, bs }: Base): unknown {
  if (bs !== undefined || vs !== undefined || vd !== undefined || s !== undefined) return undefined
  if (v === undefined) return vb
  return vb === undefined && typeof v === 'number' ? bv + v : undefined
}

const fitsUnit = (unit: unknown, { unit: own }: Channel): boolean =>
  unit === undefined || !own || unit === own || WRITTEN.get(unit) === own
