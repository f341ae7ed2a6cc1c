/** Shared by the parts of a sensor's page: its record with the version that was read, and its activity. */
import { api, dataOf, send } from '../../../api/client.ts'
import type { Versioned } from '../../../api/record.ts'
import type { components } from '../../../api/schema.d.ts'
import type { SensorState } from '../state.tsx'

export type SensorRecord = components['schemas']['Sensor']
export type SensorVersion = Versioned<SensorRecord>

/** For a part that changes the sensor. */
export type SettingsProps = { version: SensorVersion; onChange: (next: SensorVersion) => void }

export const sensorPath = (id: string): string => `/manage/v1/sensors/${encodeURIComponent(id)}`

export type Activity = {
  state: SensorState
  lastAt: string | null
  intervalMs: number | null
  refused: number
  favourite: boolean | undefined
}

/** State, usual interval and whether it is a favourite, from the list of the fleet. */
export async function loadActivity(id: string, signal: AbortSignal): Promise<Activity | undefined> {
  const query = { q: id, limit: 1, include: 'state,refused' }
  const { items } = await dataOf(api.GET('/enterprise/v1/assets/sensors', { params: { query }, signal }))
  const found = items.find((item) => item.id === id)
  if (found?.state === undefined) return undefined
  const { state, lastAt = null, intervalMs = null, refused = 0, favourite } = found
  return { state, lastAt, intervalMs, refused, favourite }
}

export type Latest = {
  at: string | null
  values: Record<string, { value: number | boolean; at: string }>
  location: [number, number] | null
}

export async function loadLatest(id: string, signal: AbortSignal): Promise<Latest> {
  const response = await send(`/enterprise/v1/assets/sensors/${encodeURIComponent(id)}/latest`, { signal })
  return ((await response.json()) as { data: Latest }).data
}

/** The newest value of each channel. Readings may arrive out of order. */
export function merged(
  latest: Latest | undefined,
  readings: readonly { at: string; values: Record<string, number | boolean>; location?: [number, number] }[],
): Latest {
  const next: Latest = latest ?? { at: null, values: {}, location: null }
  const values = { ...next.values }
  let { at, location } = next
  for (const reading of readings) {
    for (const [name, value] of Object.entries(reading.values))
      if ((values[name]?.at ?? '') <= reading.at) values[name] = { value, at: reading.at }
    if ((at ?? '') <= reading.at) {
      at = reading.at
      location = reading.location ?? location
    }
  }
  return { at, values, location }
}
