/** The reading of an uplink, as a source of readings for the ingestion. */
import { appendRefusal, MAX_CHANNELS, type SensorProfile } from '../batch.ts'
import { formatTimestamp, parseTimestamp } from '../timestamp.ts'
import { type ReadingsSource, timeReasonOf, validateReadings } from '../validate.ts'
import type { Uplink } from './payload.ts'

/** When the uplink was received, in milliseconds since 1970; NaN if its time is none. */
export const timeOf = ({ at }: Uplink): number => (typeof at === 'string' ? parseTimestamp(at) : Number.NaN)

/** The reading of an uplink whose sensor is not known: as of one without channels for its place. */
export const sentReading = ({ at, values, places: [place] }: Uplink) => ({
  at,
  values: Object.fromEntries([...values].filter(([name]) => place?.names.includes(name) !== true)),
  ...(place !== undefined && { location: place.lonLat }),
})

/**
 * Values that the sensor has no channels for are left out and listed: payloads have many members that nobody wants to
 * store. Latitude and longitude of the payload are the location unless channels have their names.
 * @param atMs the time under which the frame is stored; NaN if it has none
 */
export function uplinkSource(uplink: Uplink, atMs: number): ReadingsSource {
  const at = Number.isNaN(atMs) ? uplink.at : formatTimestamp(atMs)
  return {
    fill(profile, batch, oldestMs, newestMs) {
      const { values, location, unknown } = partsOf(uplink, profile)
      const hasTime = timeReasonOf(atMs, oldestMs, newestMs) === undefined
      const isUnknown = hasTime && unknown.length > 0 && values.length === 0 && location === undefined
      const reading = { at, values: Object.fromEntries(values), ...(location && { location }) }
      if (!isUnknown) validateReadings([reading], profile, batch, oldestMs, newestMs)
      if (!hasTime) return
      for (const channel of unknown.slice(0, MAX_CHANNELS))
        appendRefusal(batch, { at: String(at), reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel })
    },
    sent: () => ({ ...sentReading(uplink), at }),
  }
}

function partsOf({ values, places }: Uplink, { byName }: SensorProfile) {
  const place = places.find(({ names }) => !names.some((name) => byName.has(name)))
  const others = [...values].filter(([name]) => place?.names.includes(name) !== true)
  return {
    values: others.filter(([name]) => byName.has(name)),
    unknown: others.map(([name]) => name).filter((name) => !byName.has(name)),
    location: place?.lonLat,
  }
}
