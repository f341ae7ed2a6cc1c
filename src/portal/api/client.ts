/**
 * Requests to our API with the session's cookie. Adds the chosen enterprise and the CSRF token, and turns failures into
 * `ApiError`. Types come from `schema.d.ts`, generated from /openapi.json (`bun run portal:api`).
 */
import createClient, { type Middleware } from 'openapi-fetch'
import { askServer, noteAnswer } from '../shell/connection.ts'
import { csrfToken, enterpriseId, roleChanged, sessionEnded } from '../shell/session.ts'
import { type FieldFault, faultOf, type SentFault, saidOf } from '../text/failures.ts'
import type { paths } from './schema.d.ts'

/** A failure as the envelope describes it. `code` is `OFFLINE` when no answer arrived. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly faults: readonly FieldFault[]
  readonly requestId: string | undefined
  /** Data of the failure, such as the current record after a conflict. */
  readonly data: unknown
  readonly retryAfterS: number | undefined

  constructor(status: number, code: string, message: string, details: Partial<ApiError> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.faults = details.faults ?? []
    this.requestId = details.requestId
    this.data = details.data
    this.retryAfterS = details.retryAfterS
  }
}

type Envelope = {
  code?: string
  message?: string
  messageAr?: string
  errors?: SentFault[]
  requestId?: string
  data?: unknown
}

/** @returns the failure that a response describes */
export async function errorOf(response: Response): Promise<ApiError> {
  let envelope: Envelope = {}
  try {
    envelope = (await response.json()) as Envelope
  } catch {
    // a response of a proxy between us and the server; only its status is known
  }
  const code = envelope.code ?? `HTTP_${response.status}`
  const faults = (envelope.errors ?? []).map(faultOf)
  const said = saidOf(code, envelope, faults[0]) ?? response.statusText
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ApiError(response.status, code, said, {
    faults,
    ...(envelope.requestId !== undefined && { requestId: envelope.requestId }),
    ...(retryAfter > 0 && { retryAfterS: retryAfter }),
    data: envelope.data,
  })
}

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** The headers of every request: the enterprise, and the CSRF token. */
export function sessionHeaders(method: string): Record<string, string> {
  return {
    ...(enterpriseId.peek() !== undefined && { 'x-enterprise': enterpriseId.peek() as string }),
    ...(CHANGING.has(method) && csrfToken.peek() !== undefined && { 'x-csrf-token': csrfToken.peek() as string }),
  }
}

/** `fetch` with the session: for streams and uploads, which the typed client does not cover. @throws ApiError */
export async function send(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(sessionHeaders(init.method ?? 'GET'))) headers.set(name, value)
  return checked(await reached(() => fetch(url, { ...init, headers, credentials: 'same-origin' })))
}

/** A failed fetch does not give a reason. */
async function reached(request: () => Promise<Response>): Promise<Response> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    void askServer()
    throw new ApiError(0, 'OFFLINE', '')
  }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) {
    noteAnswer()
    return response
  }
  const error = await errorOf(response)
  if (response.status === 401) sessionEnded()
  if (error.code === 'FORBIDDEN') roleChanged()
  throw error
}

const session: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(sessionHeaders(request.method))) request.headers.set(name, value)
    return request
  },
}

export const api = createClient<paths>({
  baseUrl: location.origin,
  credentials: 'same-origin',
  fetch: (request) => reached(() => fetch(request)).then(checked),
})
api.use(session)

/** The `data` of an envelope: `await dataOf(api.GET('/manage/v1/sensors/{id}', …))`. @throws ApiError */
export async function dataOf<T>(answer: Promise<{ data?: { data?: T } }>): Promise<T> {
  const { data } = await answer
  return data?.data as T
}
