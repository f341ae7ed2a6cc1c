/** Changes a sensor, naming the version that the person saw. */
import { send } from '../../api/client.ts'
import type { SensorRecord, Versioned } from './sensor-data.ts'

export type SensorChange = {
  name?: string
  assetName?: string
  tags?: string[]
  enabled?: boolean
  held?: boolean
  heldReason?: string
  channels?: { name: string; measurement: 'number' | 'whole' | 'boolean'; unit?: string }[]
}

/** @throws ApiError with status 412 and the current record in `data` when somebody else changed it meanwhile */
export async function changeSensor(id: string, etag: string | undefined, change: SensorChange): Promise<Versioned> {
  const response = await send(`/manage/v1/sensors/${encodeURIComponent(id)}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...(etag !== undefined && { 'if-match': etag }) },
    body: JSON.stringify(change),
  })
  const { data } = (await response.json()) as { data: SensorRecord }
  return { sensor: data, etag: response.headers.get('etag') ?? undefined }
}
