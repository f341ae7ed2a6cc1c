/** What the parts of a sensor's page share: its record with the version that was read, and what it sends. */
import { api, dataOf, send } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import type { SensorState } from '../../parts/state.tsx'

export type SensorRecord = components['schemas']['Sensor']
/** `etag` is the version that a change must name, so that nobody's change is lost. */
export type Versioned = { sensor: SensorRecord; etag: string | undefined }

/** Of a part that changes the sensor. */
export type SettingsProps = { version: Versioned; onChange: (next: Versioned) => void }

export async function loadSensor(id: string, signal: AbortSignal): Promise<Versioned> {
  const { data, response } = await api.GET('/manage/v1/sensors/{id}', { params: { path: { id } }, signal })
  return { sensor: data?.data as SensorRecord, etag: response.headers.get('etag') ?? undefined }
}

export type Activity = { state: SensorState; lastAt: string | null; intervalMs: number | null; refused: number }

/** State and rhythm, from the list of the fleet. */
export async function loadActivity(id: string, signal: AbortSignal): Promise<Activity | undefined> {
  const query = { q: id, limit: 1, include: 'state,refused' }
  const { items } = await dataOf(api.GET('/enterprise/v1/assets/sensors', { params: { query }, signal }))
  const found = items.find((item) => item.id === id)
  if (found?.state === undefined) return undefined
  const { state, lastAt = null, intervalMs = null, refused = 0 } = found
  return { state, lastAt, intervalMs, refused }
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
