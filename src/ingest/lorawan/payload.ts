/**
 * What messages of both network servers have in common: values of a decoded payload, which is an object that the
 * owner's own formatter makes, and places. Objects that devices publish by MQTT are read in the same way.
 */
import { isLonLat } from '../validate.ts'

export type PayloadValue = number | boolean

/** A place where the device may be. */
export type Place = {
  lonLat: [longitude: number, latitude: number]
  /** The dotted names of the payload's values that it is made of; empty for other places. */
  names: readonly string[]
}

/** A data frame of a device. Its copies, which several gateways received, have the same device, session and counter. */
export type Uplink = {
  devEui: string
  session: string
  counter: number
  /** The time of the uplink as it was sent; undefined if there is none. */
  at: unknown
  /** Numbers, true and false of the decoded payload; the names of nested values are joined by dots. */
  values: ReadonlyMap<string, PayloadValue>
  /** The best one first. */
  places: readonly Place[]
}

/** A message that is no data frame, such as a join. */
export type DeviceEvent = { devEui: string | undefined; kind: string; at: unknown }

export type Message = { uplink: Uplink } | { event: DeviceEvent }

export type Members = { readonly [name: string]: unknown }

/** Of JSON that devices and their owners make freely. */
export const PAYLOAD_LIMITS = { maxItems: 10_000, maxNames: 5_000, allowsRepeats: true }

const NOTHING: Members = {}
/** No channel has a longer name. */
const MAX_NAME = 200
const NAME = /^\P{Cc}{1,200}$/u
const LATITUDES = ['latitude', 'lat']
const LONGITUDES = ['longitude', 'lon', 'lng']

/** An object's members; no members for anything else. */
export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : NOTHING

/** A text that can name a device or a session. */
export const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && NAME.test(value) ? value : undefined

/** A number that protobuf leaves out when it is 0. @returns undefined for anything else */
export function counterOf(value: unknown): number | undefined {
  if (value === undefined) return 0
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/**
 * Lists, texts and null are ignored. If two members have the same dotted name, the first one counts.
 * @param payload nested no deeper than parsers of JSON allow (json-text.ts)
 */
export function readPayload(payload: unknown): { values: Map<string, PayloadValue>; places: Place[] } {
  const values = new Map<string, PayloadValue>()
  const places: Place[] = []
  walk(membersOf(payload), '', values, places)
  return { values, places }
}

function walk(members: Members, prefix: string, values: Map<string, PayloadValue>, places: Place[]): void {
  const place = placeIn(members, prefix)
  if (place !== undefined) places.push(place)
  for (const [name, value] of Object.entries(members)) {
    const dotted = prefix + name
    if (dotted.length > MAX_NAME) continue
    if (typeof value === 'number' || typeof value === 'boolean') {
      if (!values.has(dotted)) values.set(dotted, value)
    } else walk(membersOf(value), `${dotted}.`, values, places)
  }
}

/** The place that an object's latitude and longitude are, if they are one. */
export function placeIn(members: Members, prefix = ''): Place | undefined {
  const names = [LONGITUDES, LATITUDES].map((spellings) => spellings.find((name) => Object.hasOwn(members, name)))
  const [longitude, latitude] = names
  if (longitude === undefined || latitude === undefined) return undefined
  const lonLat: unknown = [members[longitude], members[latitude]]
  return isLonLat(lonLat) ? { lonLat, names: [prefix + longitude, prefix + latitude] } : undefined
}

/** The places of objects that are not part of the payload. */
export const placesOf = (found: readonly unknown[]): Place[] =>
  found.flatMap((value) => placeIn(membersOf(value)) ?? []).map(({ lonLat }) => ({ lonLat, names: [] }))

/** Where gateways stand that received the frame, the one with the strongest signal first. */
export function gatewayPlaces(receptions: unknown): Place[] {
  const gateways = (Array.isArray(receptions) ? receptions : []).map(membersOf)
  const strength = ({ rssi }: Members): number => (typeof rssi === 'number' ? rssi : Number.NEGATIVE_INFINITY)
  return placesOf(gateways.toSorted((a, b) => strength(b) - strength(a) || 0).map(({ location }) => location))
}
