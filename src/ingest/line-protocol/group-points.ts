/**
 * Judges the points of a call by the settings of their sensors, and merges points of one sensor and millisecond into
 * one reading. Works point by point, so that a call with a million fields can let others have turns.
 */
import { FUTURE_TOLERANCE_MS } from '../../stores/future-tolerance.ts'
import { oldestKeptMs } from '../../stores/retention.ts'
import {
  appendReading,
  appendRefusal,
  type Batch,
  type Channel,
  type Measurement,
  type Refusal,
  type SensorProfile,
} from '../batch.ts'
import { formatTimestamp } from '../timestamp.ts'
import { type ReadingsSource, timeReasonOf } from '../validate.ts'
import { KIND, type Lines, MAX_LINES } from './lines.ts'
import { textOf } from './parse-lines.ts'

export const POINT = { MERGED: 0, ACCEPTED: 1, DUPLICATE: 2, REFUSED: 3 } as const

/** The points of a call that belong to a sensor, by time. */
export type SensorPoints = {
  profile: SensorProfile
  /** Indexes of the points in `Lines`. */
  points: Uint32Array
}

export type PointRefusal = { point: number; reason: string; channel?: string | undefined }

/** A reading merged from points. Its values are those from `from` to `to` of `channels` and `values`. */
export type Group = { atMs: number; from: number; to: number; longitude: number; latitude: number }

export type Grouping = {
  groups: Group[]
  channels: number[]
  values: number[]
  /** By point. */
  outcomes: Uint8Array
  /** By point that is merged: the index of its group. */
  groupOf: Uint32Array
  /** By sensor. */
  sensors: { groups: number[]; refused: PointRefusal[]; notes: PointRefusal[] }[]
}

export type GroupOptions = {
  /** Names of channels by series and name of the field. */
  nameOf(series: number, name: number): string
  ignoresUnknown: boolean
  nowMs: number
}

/** Fields that a sensor's call has left out, each listed once. */
const MAX_NOTES = 256
const CHANNEL_NUMBERS = 65_536
/** Fields that are the location unless channels have these names. */
export const isLongitude = (field: string): boolean => field === 'lon' || field === 'lng' || field === 'longitude'
export const isLatitude = (field: string): boolean => field === 'lat' || field === 'latitude'

/** What is known of the values of a point or a group: the place of each channel's value, by the channel's number. */
type Slots = { stamp: number; stamps: Int32Array; places: Int32Array }

const createSlots = (): Slots => ({
  stamp: 0,
  stamps: new Int32Array(CHANNEL_NUMBERS),
  places: new Int32Array(CHANNEL_NUMBERS),
})

// a call holds a pair while it has the turn of others in between
const freeSlots: Slots[] = []

/** @param pool slots that no call holds. A stamp beyond 32 bits would equal none that is kept. */
export function takeSlots(pool: Slots[]): Slots {
  const slots = pool.pop() ?? createSlots()
  if (slots.stamp > 0x7fffffff - MAX_LINES) {
    slots.stamps.fill(0)
    slots.stamp = 0
  }
  return slots
}

export type Grouper = {
  result: Grouping
  /** Judges some points. @returns whether there are more */
  step(): boolean
}

/** A step ends after this number of fields. */
const STEP_FIELDS = 5_000

export function createGrouper(lines: Lines, sensors: readonly SensorPoints[], options: GroupOptions): Grouper {
  const { nameOf, ignoresUnknown, nowMs } = options
  const newestMs = nowMs + FUTURE_TOLERANCE_MS
  const ofGroup = takeSlots(freeSlots)
  const ofPoint = takeSlots(freeSlots)
  const result: Grouping = {
    groups: [],
    channels: [],
    values: [],
    outcomes: new Uint8Array(lines.points),
    groupOf: new Uint32Array(lines.points),
    sensors: sensors.map(() => ({ groups: [], refused: [], notes: [] })),
  }
  const { groups, channels, values, outcomes, groupOf } = result
  // channels of the point before by the number of the name, for points of the same sensor and series
  const channelStamps = new Int32Array(lines.names.length)
  const channelsBefore: (Channel | undefined)[] = []
  let channelStamp = 0
  let seriesBefore = -1
  // the values of the point that is being judged
  const pointChannels: number[] = []
  const pointValues: number[] = []
  let sensor = 0
  let next = 0
  let group: Group | undefined
  let noted: Set<string> | undefined

  function note(point: number, reason: string, channel?: string): void {
    const key = `${reason} ${channel}`
    noted ??= new Set()
    if (noted.has(key) || noted.size === MAX_NOTES) return
    noted.add(key)
    result.sensors[sensor]?.notes.push({ point, reason, channel })
  }

  function channelOf(profile: SensorProfile, series: number, name: number): Channel | undefined {
    if (channelStamps[name] === channelStamp) return channelsBefore[name]
    channelStamps[name] = channelStamp
    const channel = profile.byName.get(nameOf(series, name))
    channelsBefore[name] = channel
    return channel
  }

  /** Merges a point into the group of its millisecond. @returns why the point is refused */
  function merge(point: number, atMs: number, profile: SensorProfile): Omit<PointRefusal, 'point'> | undefined {
    const reason = timeReasonOf(atMs, oldestKeptMs(profile.retentionDays, nowMs), newestMs)
    if (reason !== undefined) return { reason }
    const series = lines.seriesOf[point] as number
    if (series !== seriesBefore) {
      channelStamp++
      seriesBefore = series
    }
    const end = lines.fieldEnds[point + 1] as number
    pointChannels.length = 0
    pointValues.length = 0
    ofPoint.stamp++
    let longitude = Number.NaN
    let latitude = Number.NaN
    let isBad = false
    let isContradiction = false
    for (let field = lines.fieldEnds[point] as number; field < end; field++) {
      const nameNumber = lines.fieldNames[field] as number
      const kind = lines.kinds[field] as number
      if (kind === KIND.TEXT) {
        note(point, 'SENSOR_FIELD_TEXT', nameOf(series, nameNumber))
        continue
      }
      const value = lines.values[field] as number
      const channel = channelOf(profile, series, nameNumber)
      if (channel !== undefined) {
        if (!isValueOf(channel.measurement, kind, value)) isBad = true
        else if (ofPoint.stamps[channel.number] === ofPoint.stamp)
          isContradiction ||= pointValues[ofPoint.places[channel.number] as number] !== value
        else {
          ofPoint.stamps[channel.number] = ofPoint.stamp
          ofPoint.places[channel.number] = pointValues.length
          pointChannels.push(channel.number)
          pointValues.push(value)
        }
        continue
      }
      const plainName = lines.names[nameNumber] as string
      // a yes or no, or an infinite number, is outside of the range
      const degrees = kind === KIND.BOOLEAN ? Number.POSITIVE_INFINITY : value
      if (isLongitude(plainName)) {
        isContradiction ||= !Number.isNaN(longitude) && longitude !== degrees
        longitude = degrees
      } else if (isLatitude(plainName)) {
        isContradiction ||= !Number.isNaN(latitude) && latitude !== degrees
        latitude = degrees
      } else if (ignoresUnknown) note(point, 'SENSOR_READING_UNKNOWN_CHANNEL', nameOf(series, nameNumber))
      else return { reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: nameOf(series, nameNumber) }
    }
    if (isBad) return { reason: 'SENSOR_READING_BAD_VALUE' }
    const hasLocation = !Number.isNaN(longitude) || !Number.isNaN(latitude)
    if (hasLocation && !(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90))
      return { reason: 'SENSOR_READING_LOCATION' }
    if (isContradiction) return { reason: 'SENSOR_READING_CONFLICT' }
    if (pointValues.length === 0 && !hasLocation) {
      // all of its fields were left out
      outcomes[point] = POINT.ACCEPTED
      return undefined
    }
    const isFirst = group?.atMs !== atMs
    const into = isFirst
      ? { atMs, from: values.length, to: values.length, longitude: Number.NaN, latitude: Number.NaN }
      : (group as Group)
    if (!isFirst && contradicts(into, longitude, latitude)) return { reason: 'SENSOR_READING_CONFLICT' }
    if (isFirst) {
      group = into
      ofGroup.stamp++
      result.sensors[sensor]?.groups.push(groups.length)
      groups.push(into)
    }
    for (let i = 0; i < pointValues.length; i++) {
      const number = pointChannels[i] as number
      if (ofGroup.stamps[number] === ofGroup.stamp) continue
      ofGroup.stamps[number] = ofGroup.stamp
      ofGroup.places[number] = values.length
      channels.push(number)
      values.push(pointValues[i] as number)
    }
    into.to = values.length
    if (hasLocation) {
      into.longitude = longitude
      into.latitude = latitude
    }
    groupOf[point] = groups.length - 1
    return undefined
  }

  /** Whether the point that is being judged says something else than the group. */
  function contradicts(into: Group, longitude: number, latitude: number): boolean {
    if (!Number.isNaN(longitude) && !Number.isNaN(into.longitude))
      if (longitude !== into.longitude || latitude !== into.latitude) return true
    return pointValues.some((value, i) => {
      const number = pointChannels[i] as number
      return ofGroup.stamps[number] === ofGroup.stamp && values[ofGroup.places[number] as number] !== value
    })
  }

  return {
    result,
    step() {
      for (let fields = 0; fields < STEP_FIELDS; ) {
        const own = sensors[sensor]
        if (own === undefined) {
          freeSlots.push(ofGroup, ofPoint)
          return false
        }
        if (next === own.points.length) {
          sensor++
          next = 0
          group = undefined
          noted = undefined
          fields++
          continue
        }
        const point = own.points[next++] as number
        fields += 1 + (lines.fieldEnds[point + 1] as number) - (lines.fieldEnds[point] as number)
        const hasTime = !Number.isNaN(lines.timesMs[point])
        if (!hasTime) note(point, 'SENSOR_READING_NO_TIME')
        const refusal = merge(point, hasTime ? (lines.timesMs[point] as number) : nowMs, own.profile)
        if (refusal === undefined) continue
        outcomes[point] = POINT.REFUSED
        result.sensors[sensor]?.refused.push({ point, ...refusal })
      }
      return true
    },
  }
}

function isValueOf(measurement: Measurement, kind: number, value: number): boolean {
  if (measurement === 'boolean') return kind === KIND.BOOLEAN
  if (kind === KIND.BOOLEAN || !Number.isFinite(value)) return false
  return measurement !== 'whole' || Number.isSafeInteger(value)
}

/** The time of a point as it was sent; the time that the call gave it if it had none. */
const atOf = (lines: Lines, point: number, nowMs: number): string =>
  Number.isNaN(lines.timesMs[point])
    ? formatTimestamp(nowMs)
    : textOf(lines.body.subarray(lines.timeStarts[point], lines.timeEnds[point]))

/** A line as an example; fields that are far behind say little. */
export const lineOf = (lines: Lines, point: number): string =>
  textOf(
    lines.body.subarray(
      lines.starts[point],
      Math.min(lines.ends[point] as number, (lines.starts[point] as number) + 500),
    ),
  )

/** Some merged readings of a sensor, and points and fields that are not part of them. */
export function groupsSource(
  lines: Lines,
  { groups, channels, values }: Grouping,
  numbers: readonly number[],
  refused: readonly PointRefusal[],
  nowMs: number,
): ReadingsSource {
  return {
    fill(profile: SensorProfile, batch: Batch) {
      for (const number of numbers) {
        const { atMs, from, to, longitude, latitude } = groups[number] as Group
        for (let i = from; i < to; i++) {
          batch.channelNumbers[i - from] = channels[i] as number
          batch.values[i - from] = values[i] as number
        }
        appendReading(batch, profile, atMs, to - from, longitude, latitude)
      }
      for (const { point, reason, channel } of refused) {
        const refusal: Refusal = { at: atOf(lines, point, nowMs), reason }
        appendRefusal(batch, channel === undefined ? refusal : { ...refusal, channel })
      }
    },
    sent: (index) => {
      const part = refused[index - numbers.length]
      return part === undefined ? undefined : lineOf(lines, part.point)
    },
  }
}
