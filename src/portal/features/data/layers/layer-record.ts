/** The record of a layer, with the tag of its state. */
import { api } from '../../../api/client.ts'
import type { components } from '../../../api/schema.d.ts'

export type LayerRecord = components['schemas']['Layer']
export type Current = { layer: LayerRecord; etag: string }

export async function loadLayer(owner: string, id: string, signal?: AbortSignal): Promise<Current> {
  const { data, response } = await api.GET('/manage/v1/owners/{ownerId}/layers/{id}', {
    params: { path: { ownerId: owner, id } },
    ...(signal && { signal }),
  })
  return { layer: data?.data as LayerRecord, etag: response.headers.get('etag') ?? '' }
}
