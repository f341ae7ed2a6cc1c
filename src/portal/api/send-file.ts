/** Sends a body with upload progress from XMLHttpRequest; `fetch` does not report it. */
import { sessionEnded } from '../shell/session.ts'
import { ApiError, errorOf, sessionHeaders } from './client.ts'

export type SendOptions = {
  headers?: Record<string, string>
  onProgress?: (sent: number, total: number) => void
  signal?: AbortSignal
}

/** @returns `data` of the answer. @throws ApiError; an AbortError when it was stopped */
export function sendFile<T>(url: string, body: Blob | FormData, options: SendOptions = {}): Promise<T> {
  const { headers = {}, onProgress, signal } = options
  return new Promise<T>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    for (const [name, value] of Object.entries({ ...sessionHeaders('POST'), ...headers }))
      request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded, total)
    request.onload = () => {
      if (request.status >= 200 && request.status < 300)
        return resolve((JSON.parse(request.responseText) as { data: T }).data)
      if (request.status === 401) sessionEnded()
      void errorOf(new Response(request.responseText, { status: request.status })).then(reject)
    }
    request.onerror = () => reject(new ApiError(0, 'OFFLINE', ''))
    request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'))
    signal?.addEventListener('abort', () => request.abort())
    request.send(body)
  })
}
