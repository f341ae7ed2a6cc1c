/** Records that several people may edit: a change names the version that was read. */
import { send } from './client.ts'

export type Versioned<T> = { record: T; etag: string | undefined }

async function versionOf<T>(response: Response): Promise<Versioned<T>> {
  const { data } = (await response.json()) as { data: T }
  return { record: data, etag: response.headers.get('etag') ?? undefined }
}

/** @param path with ids encoded. @throws ApiError */
export async function loadRecord<T>(path: string, signal?: AbortSignal): Promise<Versioned<T>> {
  return versionOf(await send(path, signal === undefined ? {} : { signal }))
}

/** @throws ApiError with status 412 and the current record in `data` when somebody else changed it meanwhile */
export async function changeRecord<T>(path: string, etag: string | undefined, change: object): Promise<Versioned<T>> {
  const headers = { 'content-type': 'application/json', ...(etag !== undefined && { 'if-match': etag }) }
  return versionOf(await send(path, { method: 'PATCH', headers, body: JSON.stringify(change) }))
}

/** @throws ApiError as `changeRecord` does */
export async function deleteRecord(path: string, etag: string | undefined): Promise<void> {
  await send(path, { method: 'DELETE', headers: etag === undefined ? {} : { 'if-match': etag } })
}
