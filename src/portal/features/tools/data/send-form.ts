/** Sends a call of a tool. XMLHttpRequest, because fetch reports no upload progress. */
import { ApiError, errorOf, sessionHeaders } from '../../../api/client.ts'
import { sessionEnded } from '../../../shell/session.ts'

export type SendOptions = {
  headers?: Record<string, string>
  /** Aborting closes the connection, which cancels a run on the server. */
  signal: AbortSignal
  onSent: (bytes: number, total: number) => void
}

/** @returns the answer's envelope. @throws ApiError; the reason of the signal when it was aborted */
export function sendForm<T>(address: string, body: FormData | string, options: SendOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const { signal } = options
    const request = new XMLHttpRequest()
    const abort = (): void => {
      request.abort()
      reject(signal.reason)
    }
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    signal.addEventListener('abort', abort, { once: true })
    const headers = { ...sessionHeaders('POST'), ...options.headers }
    request.open('POST', address)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (typeof body === 'string') request.setRequestHeader('content-type', 'application/json')
    request.upload.onprogress = ({ loaded, total }) => options.onSent(loaded, total)
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.onerror = () => reject(new ApiError(0, 'OFFLINE', ''))
    request.onload = () => {
      answered<T>(request).then(resolve, reject)
    }
    request.send(body)
  })
}

async function answered<T>(request: XMLHttpRequest): Promise<T> {
  const { status, responseText } = request
  if (status >= 200 && status < 300) return JSON.parse(responseText) as T
  if (status === 401) sessionEnded()
  const retryAfter = request.getResponseHeader('retry-after')
  throw await errorOf(
    new Response(responseText, { status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } }),
  )
}
