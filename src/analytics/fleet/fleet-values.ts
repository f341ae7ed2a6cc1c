/**
 * Conditions on the newest values of channels, such as `temperature>30 and open=true`, and the values by which a fleet is filtered
 * and sorted. A name with operators, quotes or a first minus stands in double quotes, in which two quotes are one.
 */
import { invalidField } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { newestOfChannels } from '../../stores/clickhouse/sensor-activity.ts'
import type { Enterprise } from '../readings.ts'
import { oldestVisibleMs } from '../time-range.ts'
import { type ChannelCount, channelsOf, knownChannel } from './fleet-channels.ts'
import type { Fleet, FleetRow } from './fleet-index.ts'

const OPERATORS = {
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
  '=': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
}

type Condition = { channel: string; operator: keyof typeof OPERATORS; value: number; isBoolean: boolean }

const MAX_CONDITIONS = 10
/** A condition at the current place, with what separates it from the next one. */
const CONDITION = /\s*("(?:[^"]|"")+"|[^"<>=!]+?)\s*(>=|<=|!=|>|<|=)\s*([^\s<>=!]+)\s*(?:$|\sand\s(?=.))/sy
const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** The name of a channel, which may be in quotes. */
export const unquoted = (text: string): string =>
  /^".+"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text.trim()

/** @throws AppError VALIDATION_FAILED */
function conditionsIn(text: string): Condition[] {
  const conditions: Condition[] = []
  const reader = new RegExp(CONDITION)
  while (reader.lastIndex < text.length || conditions.length === 0) {
    const [, channel = '', operator, value = ''] = reader.exec(text) ?? []
    const isBoolean = value === 'true' || value === 'false'
    const number = isBoolean ? Number(value === 'true') : Number(value)
    if (operator === undefined || (!isBoolean && !NUMBER.test(value)) || !Number.isFinite(number))
      throw invalidField('query.where', 'condition', fieldText('conditions'))
    conditions.push({
      channel: unquoted(channel),
      operator: operator as Condition['operator'],
      value: number,
      isBoolean,
    })
  }
  if (conditions.length > MAX_CONDITIONS)
    throw invalidField('query.where', 'maxItems', fieldText('itemsAtMost', { most: MAX_CONDITIONS }))
  return conditions
}

/** Newest values in the order of names; NaN where there is none. */
type ChannelValues = Float64Array

const NO_PLACE = -1

/**
 * Places of sensors in the order of names, by number, and the numbers that channels have in these sensors, 0 for none.
 * Both are typed arrays: 100,000 sensors are looked up in a millisecond, in a Map and their objects in 60 ms.
 */
type Places = { ofNumber: Int32Array; channels: Map<string, Promise<Uint16Array>> }

/** By the list, which is replaced after each change of a sensor. */
const places = new WeakMap<readonly FleetRow[], Promise<Places>>()

async function findPlaces(byName: readonly FleetRow[]): Promise<Places> {
  let most = 0
  await inTurns(byName.length, (i) => {
    most = Math.max(most, (byName[i] as FleetRow).number)
  })
  const ofNumber = new Int32Array(most + 1).fill(NO_PLACE)
  await inTurns(byName.length, (i) => {
    ofNumber[(byName[i] as FleetRow).number] = i
  })
  return { ofNumber, channels: new Map() }
}

function placesIn(byName: readonly FleetRow[]): Promise<Places> {
  let known = places.get(byName)
  if (known === undefined) {
    known = findPlaces(byName)
    places.set(byName, known)
  }
  return known
}

async function findChannelNumbers(byName: readonly FleetRow[], channel: string): Promise<Uint16Array> {
  const found = new Uint16Array(byName.length)
  await inTurns(byName.length, (i) => {
    found[i] = (byName[i] as FleetRow).channels.get(channel)?.number ?? 0
  })
  return found
}

/** The numbers that a channel has in the sensors, in the order of names. */
function channelNumbers({ channels }: Places, byName: readonly FleetRow[], channel: string): Promise<Uint16Array> {
  let known = channels.get(channel)
  if (known === undefined) {
    known = findChannelNumbers(byName, channel)
    channels.set(channel, known)
  }
  return known
}

/** Calls `onValue` with the newest values of channels, whose numbers differ between sensors. */
export async function eachNewest(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  byName: readonly FleetRow[],
  channels: readonly ChannelCount[],
  signal: AbortSignal,
  onValue: (place: number, channel: number, value: number, ms: number) => void,
): Promise<void> {
  const known = await placesIn(byName)
  const own = await Promise.all(channels.map(({ channel }) => channelNumbers(known, byName, channel)))
  const numbers = [...new Set(channels.flatMap((channel) => channel.numbers))]
  const wanted = { enterprise: enterprise.number, channels: numbers, sinceMs: oldestVisibleMs(enterprise) }
  await newestOfChannels(clickhouse, wanted, signal, (sensor, number, value, ms) => {
    const place = known.ofNumber[sensor] ?? NO_PLACE
    if (place === NO_PLACE) return
    for (let i = 0; i < own.length; i++) if ((own[i] as Uint16Array)[place] === number) onValue(place, i, value, ms)
  })
}

async function valuesOf(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  byName: readonly FleetRow[],
  channels: readonly ChannelCount[],
  signal: AbortSignal,
): Promise<Map<string, ChannelValues>> {
  const values = channels.map(() => new Float64Array(byName.length).fill(Number.NaN))
  await eachNewest(clickhouse, enterprise, byName, channels, signal, (place, channel, value) => {
    ;(values[channel] as ChannelValues)[place] = value
  })
  return new Map(channels.map(({ channel }, i) => [channel, values[i] as ChannelValues]))
}

export type FleetValues = {
  /** The sensors that places refer to; undefined where there are no values. */
  byName: readonly FleetRow[] | undefined
  /** Whether the sensor at a place in the order of names meets all conditions. */
  matches: (place: number) => boolean
  /** By which the fleet is sorted. */
  sorted: ChannelValues | undefined
}

/**
 * @param where conditions of which all must hold. A sensor without a value meets none.
 * @param named loads the sensors, whose states are not needed
 * @param sort a channel
 * @throws AppError VALIDATION_FAILED
 */
export async function fleetValues(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  named: () => Promise<Fleet>,
  { where, sort }: { where: string | undefined; sort: string | undefined },
  signal: AbortSignal,
): Promise<FleetValues> {
  if (where === undefined && sort === undefined) return { byName: undefined, matches: () => true, sorted: undefined }
  const conditions = where === undefined ? [] : conditionsIn(where)
  const fleet = await named()
  // a change of a sensor replaces the list, and with it all places
  const { byName } = fleet
  const channels = await channelsOf(fleet)
  for (const { channel, isBoolean, operator } of conditions) {
    const { measurements } = knownChannel(channels, 'query.where', channel)
    const fits = measurements.some((measurement) => (measurement === 'boolean') === isBoolean)
    if (fits && (!isBoolean || operator === '=' || operator === '!=')) continue
    const key = isBoolean && fits ? 'comparedEqual' : isBoolean ? 'comparedNumber' : 'comparedYesNo'
    throw invalidField('query.where', 'condition', fieldText(key, { channel }))
  }
  const wanted = new Set(conditions.map(({ channel }) => knownChannel(channels, 'query.where', channel)))
  if (sort !== undefined) wanted.add(knownChannel(channels, 'query.sort', sort))
  const values = await valuesOf(clickhouse, enterprise, byName, [...wanted], signal)
  return {
    byName,
    matches: (place) =>
      conditions.every(({ channel, operator, value, isBoolean }) => {
        const newest = values.get(channel)?.[place] ?? Number.NaN
        if (Number.isNaN(newest) || !OPERATORS[operator](newest, value)) return false
        return (byName[place]?.channels.get(channel)?.measurement === 'boolean') === isBoolean
      }),
    sorted: sort === undefined ? undefined : values.get(sort),
  }
}
