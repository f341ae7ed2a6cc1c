/**
 * Uploads a file of any size in chunks, by tus 1.0 at /enterprise/v1/gis/uploads. It resumes after a lost connection, a
 * restart of the server and an expired session, and after a reload of the page when the same file is chosen again.
 */
import { isExpired, sessionEnded } from '../shell/session.ts'
import { t } from '../text/text.ts'
import { ApiError, errorOf, send, sessionHeaders } from './client.ts'
import { forgetUpload, rememberedUpload, rememberUpload } from './upload-memory.ts'
import { createMeter, type UploadProgress } from './upload-meter.ts'

export type { UploadProgress } from './upload-meter.ts'

export type UploadOptions = {
  onProgress?: ((progress: UploadProgress) => void) | undefined
  /** Stops the upload. The received part is kept for a day, and the same file resumes from there. */
  signal?: AbortSignal | undefined
}

/** The server's state of an upload; `key` once the file is complete, checked and stored. */
type State = { receivedBytes: number; key: string | null; state?: string; reason?: string | null }

const UPLOADS = '/enterprise/v1/gis/uploads'
const TUS = { 'tus-resumable': '1.0.0' }
const CHUNK_BYTES = 8 * 2 ** 20
const FIRST_PAUSE_MS = 1_000
const LAST_PAUSE_MS = 15_000
/** A server that asks for a longer wait, because the hour's files are used up, is not worth waiting for. */
const LONGEST_WAIT_S = 120
const FILE_CHANGED = 'FILE_CHANGED'

/** @throws ApiError; the reason of `signal` when it was stopped */
export async function uploadFile(file: File, options: UploadOptions = {}): Promise<{ key: string }> {
  const stop = options.signal ?? new AbortController().signal
  const meter = createMeter(file.size, options.onProgress)
  let path = rememberedUpload(file)
  let state: State | undefined
  for (let pauseMs = FIRST_PAUSE_MS; ; ) {
    stop.throwIfAborted()
    try {
      if (path === undefined) {
        path = await create(file, stop)
        rememberUpload(file, path)
      }
      state ??= await stateOf(path, stop)
      if (state.key !== null) {
        meter.at(file.size)
        forgetUpload(file)
        return { key: state.key }
      }
      if (state.receivedBytes < file.size) {
        meter.at(state.receivedBytes)
        state = await sendChunk(path, file, state.receivedBytes, stop, meter.at)
        pauseMs = FIRST_PAUSE_MS
      } else {
        // the server assembles and checks the file
        meter.is('checking')
        await pause(FIRST_PAUSE_MS, stop)
        state = undefined
      }
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      state = undefined
      if (failure.status === 404 && path !== undefined) {
        // it has expired, or belongs to another owner
        forgetUpload(file)
        path = undefined
        continue
      }
      if (!mayPass(failure)) {
        forgetUpload(file)
        throw failure
      }
      meter.is('waiting')
      await pause(Math.max(pauseMs, (failure.retryAfterS ?? 0) * 1000), stop)
      pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 2)
      // the frame asks to sign in again; then the upload resumes
      while (isExpired.peek()) await pause(FIRST_PAUSE_MS, stop)
    }
  }
}

/** Whether the same request may succeed later. */
function mayPass({ status, code, retryAfterS = 0 }: ApiError): boolean {
  if (code === FILE_CHANGED) return false
  const isBusy = status === 429 || (status >= 500 && status !== 507)
  // a chunk that was cut off is the start of the next one; a new sign-in brings a new token
  const isPassing = status === 0 || status === 401 || status === 408 || code === 'CSRF_TOKEN_INVALID'
  return isPassing || code === 'UPLOAD_OFFSET_WRONG' || (isBusy && retryAfterS <= LONGEST_WAIT_S)
}

async function create(file: File, signal: AbortSignal): Promise<string> {
  const metadata = `filename ${base64Of(file.name)}${file.type === '' ? '' : `,filetype ${base64Of(file.type)}`}`
  const headers = { ...TUS, 'upload-length': String(file.size), 'upload-metadata': metadata }
  const response = await send(UPLOADS, { method: 'POST', headers, signal })
  return new URL(response.headers.get('location') ?? '', response.url).pathname
}

async function stateOf(path: string, signal: AbortSignal): Promise<State> {
  const response = await send(path, { signal })
  const { data } = (await response.json()) as { data: State }
  if (data.state === 'refused')
    throw new ApiError(422, 'INPUT_UNREADABLE', t('frame.failures.fileRefused', { reason: data.reason ?? '' }))
  return data
}

/** The chunk is read before it is sent: otherwise a changed file would look like a lost connection. */
async function chunkOf(file: File, from: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(from, from + CHUNK_BYTES).arrayBuffer()
  } catch {
    throw new ApiError(0, FILE_CHANGED, t('frame.failures.fileChanged'))
  }
}

/**
 * XMLHttpRequest, because fetch reports no upload progress.
 * @throws ApiError
 */
async function sendChunk(
  path: string,
  file: File,
  from: number,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<State> {
  const chunk = await chunkOf(file, from)
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = (): void => request.abort()
    signal.addEventListener('abort', stop)
    request.open('PATCH', path)
    const headers = {
      ...TUS,
      ...sessionHeaders('PATCH'),
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(from),
    }
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onSent(from + loaded)
    request.onloadend = () => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason as Error)
      else if (request.status === 204)
        resolve({
          receivedBytes: Number(request.getResponseHeader('upload-offset')),
          key: request.getResponseHeader('x-stored-key'),
        })
      else failureOf(request).then(reject, reject)
    }
    request.send(chunk)
  })
}

async function failureOf(request: XMLHttpRequest): Promise<ApiError> {
  // no bytes arrived
  if (request.status === 0) return new ApiError(0, 'OFFLINE', '')
  if (request.status === 401) sessionEnded()
  const retryAfter = request.getResponseHeader('retry-after')
  const headers = new Headers(retryAfter === null ? {} : { 'retry-after': retryAfter })
  return errorOf(new Response(request.responseText, { status: request.status, headers }))
}

/** Base64 of the text's UTF-8, as the protocol requires. */
const base64Of = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => {
      clearTimeout(timer)
      reject(stop.reason as Error)
    }
    const timer = setTimeout(() => {
      stop.removeEventListener('abort', stopped)
      resolve()
    }, ms)
    if (stop.aborted) stopped()
    else stop.addEventListener('abort', stopped, { once: true })
  })
}
