/** Stores a file of an owner. */
import { send } from '../../../api/client.ts'
import { randomId } from '../../../shell/random-id.ts'

/** @returns the id @throws ApiError */
export async function createFile(ownerId: string, file: File): Promise<string> {
  const form = new FormData()
  form.append('file', file)
  const response = await send(`/manage/v1/owners/${encodeURIComponent(ownerId)}/files`, {
    method: 'POST',
    headers: { 'idempotency-key': randomId() },
    body: form,
  })
  return ((await response.json()) as { data: { id: string } }).data.id
}
