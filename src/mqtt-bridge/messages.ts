/** Messages of a broker as readings for POST /ingest/readings. */
import { AppError } from '../errors.ts'
import { type Members, membersOf, PAYLOAD_LIMITS, readPayload } from '../ingest/lorawan/payload.ts'
import { bodyOf } from '../ingest/mqtt/message.ts'
import { sensorInTopic } from '../ingest/mqtt/topic.ts'
import { formatTimestamp, parseTimestamp } from '../ingest/timestamp.ts'
import { parseReadings } from '../ingest/validate.ts'
import { JsonTextError, parseJson } from '../json-text.ts'

/** A message that no server could take, now or later. */
export class BrokenMessage extends Error {
  readonly reason: 'no_sensor' | 'too_large' | 'unreadable'
  constructor(reason: BrokenMessage['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** @returns the readings as JSON texts @throws BrokenMessage */
export type MessageReader = (topic: string, message: Uint8Array, nowMs: number) => string[]

export type MessageRules = { topic: string; payload: 'readings' | 'object'; maxMessageBytes: number }

/** An external id has at most 200 characters. */
const MAX_NAME = 400

export function createMessageReader({ topic: pattern, payload, maxMessageBytes }: MessageRules): MessageReader {
  const sensorIn = sensorInTopic(pattern)
  const read = payload === 'object' ? createObjectReader() : readReadings
  return (topic, message, nowMs) => {
    const sensor = sensorIn(topic)
    if (sensor === undefined || sensor.length > MAX_NAME)
      throw new BrokenMessage('no_sensor', `the topic names no sensor where ${pattern} has it`)
    if (message.length > maxMessageBytes)
      throw new BrokenMessage('too_large', `it has ${message.length} bytes; at most ${maxMessageBytes} are allowed`)
    return read(sensor, message, nowMs)
  }
}

/** The member that names the sensor is replaced. */
function readReadings(sensor: string, message: Uint8Array): string[] {
  try {
    return parseReadings(bodyOf(message)).map((reading) => {
      const { at, values, location } = membersOf(reading)
      return JSON.stringify({ sensor, at, values, location })
    })
  } catch (error) {
    if (error instanceof AppError) throw new BrokenMessage('unreadable', error.errors?.[0]?.message ?? error.message)
    throw error
  }
}

function createObjectReader(): (sensor: string, message: Uint8Array, nowMs: number) => string[] {
  const arrivalOf = createArrivals()
  return (sensor, message, nowMs) => {
    const members = objectIn(message)
    const time = timeIn(members)
    const { values, places } = readPayload(members)
    const place = places[0]
    for (const name of [time?.name, ...(place?.names ?? [])]) if (name !== undefined) values.delete(name)
    const at = formatTimestamp(time?.atMs ?? arrivalOf(sensor, nowMs))
    const reading = { sensor, at, values: Object.fromEntries(values), location: place?.lonLat }
    return [JSON.stringify(time === undefined ? { ...reading, atArrival: true } : reading)]
  }
}

function objectIn(message: Uint8Array): Members {
  try {
    const value = parseJson(message, PAYLOAD_LIMITS)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    throw new BrokenMessage('unreadable', error.message)
  }
  throw new BrokenMessage('unreadable', 'must be a JSON object')
}

const TIME_NAMES = ['time', 'timestamp', 'at', 'Time']
/** Numbers in these ranges are seconds and milliseconds since 1970: both are the years 2001 to 2286. */
const FIRST_S = 1e9
const END_S = 1e10

/** The first member that is a time: RFC 3339 with an offset, or seconds or milliseconds since 1970. */
function timeIn(members: Members): { name: string; atMs: number } | undefined {
  for (const name of TIME_NAMES) {
    const atMs = Object.hasOwn(members, name) ? timeOf(members[name]) : Number.NaN
    if (!Number.isNaN(atMs)) return { name, atMs }
  }
  return undefined
}

function timeOf(value: unknown): number {
  if (typeof value === 'string') return parseTimestamp(value)
  if (typeof value !== 'number') return Number.NaN
  if (value >= FIRST_S && value < END_S) return Math.trunc(value * 1_000)
  return value >= FIRST_S * 1_000 && value < END_S * 1_000 ? Math.trunc(value) : Number.NaN
}

/**
 * Times of arrival, each once for a sensor: of two readings with the same time the second one would count as a repetition
 * of the first.
 */
function createArrivals(): (sensor: string, nowMs: number) => number {
  const last = new Map<string, number>()
  let newestMs = 0
  return (sensor, nowMs) => {
    if (nowMs > newestMs) last.clear()
    const atMs = Math.max(nowMs, (last.get(sensor) ?? 0) + 1)
    last.set(sensor, atMs)
    newestMs = Math.max(newestMs, atMs)
    return atMs
  }
}
