/** The first reading of an unknown device: a part to show to those who approve it, and the channels it implies. */
import type { ChannelInput } from '../../stores/postgres/sensors/sensors.ts'
import { isStorableName } from './storable-name.ts'

/** Values that are shown. */
const MAX_SHOWN = 50
const MAX_SHOWN_TEXT = 100

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'

const isLonLat = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number' && Number.isFinite(one))

/**
 * Numbers become `number`, also whole ones, because later values may have decimals.
 * @param most channels that a sensor may have
 */
export function channelsOf(reading: unknown, most: number): ChannelInput[] {
  return Object.entries(objectOf(objectOf(reading).values))
    .filter(([name, value]) => isStorableName(name) && (isNumber(value) || typeof value === 'boolean'))
    .slice(0, most)
    .map(([name, value]) => ({ name, measurement: isNumber(value) ? 'number' : 'boolean' }))
}

/** Small, and storable as JSON. */
export function sampleOf(reading: unknown): Record<string, unknown> | null {
  const { at, values, location } = objectOf(reading)
  const shown = Object.entries(objectOf(values))
    .filter(([name]) => isStorableName(name))
    .slice(0, MAX_SHOWN)
    .map(([name, value]) => [name, shownValue(value)])
  const sample = {
    ...(at !== undefined && { at: shownValue(at) }),
    ...(shown.length > 0 && { values: Object.fromEntries(shown) }),
    ...(isLonLat(location) && { location }),
  }
  return Object.keys(sample).length === 0 ? null : sample
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value
  if (typeof value === 'string' || isNumber(value))
    return String(value).slice(0, MAX_SHOWN_TEXT).toWellFormed().replaceAll('\0', '�')
  return null
}
