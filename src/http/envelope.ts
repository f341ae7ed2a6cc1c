/** The standard envelope, and the only place that turns errors into envelopes. */
import { Elysia, ValidationError } from 'elysia'
import { AppError, CODES, type Code, fieldFailure } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { SchemaError } from '../schema-rules.ts'
import { isStoreLost, isUnstorableText } from '../store-errors.ts'
import { schemaFailure } from './body/schema-failure.ts'
import { refuseSentTwice } from './body/sent-twice.ts'
import { bodyOf } from './long-answers.ts'
import { type RequestContext, requestContextOf } from './request-context.ts'
import { addSecurityHeaders } from './security-headers.ts'

export const JSON_TYPE = 'application/json'

function head(requestContext: EnvelopeHead, code: Code, message: string) {
  const { path, method, requestId } = requestContext
  const statusCode = CODES[code].status
  return {
    ok: statusCode < 400,
    statusCode,
    code,
    message,
    path,
    method,
    timestamp: new Date().toISOString(),
    requestId,
  }
}

/** Copied by each response, which is faster than setting one header after the other. */
const ANSWER_HEADERS = new Headers({ 'content-type': JSON_TYPE })
addSecurityHeaders(ANSWER_HEADERS)

/**
 * A response with the request's id. Headers are set on the Response itself: if Elysia adds them, it copies the whole
 * body through a stream.
 */
export function respond(
  request: Request,
  body: ConstructorParameters<typeof Response>[0],
  contentType: string,
  status = 200,
): Response {
  const isInMemory = typeof body === 'string' || body instanceof Uint8Array
  const response = new Response(isInMemory ? bodyOf(request, body) : body, { status, headers: ANSWER_HEADERS })
  const { headers } = response
  if (contentType !== JSON_TYPE) headers.set('content-type', contentType)
  headers.set('x-request-id', requestContextOf(request).requestId)
  return response
}

/** The part of the request that an envelope repeats, and whether failures are bilingual. */
export type EnvelopeHead = Pick<RequestContext, 'path' | 'method' | 'requestId' | 'bilingual'>

/** The envelope of a successful call. */
export function successBody(requestContext: EnvelopeHead, data: unknown, code: Code = 'SUCCESS') {
  return { ...head(requestContext, code, CODES[code].en), data }
}

export function succeed(request: Request, data: unknown, code: Code = 'SUCCESS'): Response {
  return respond(
    request,
    JSON.stringify(successBody(requestContextOf(request), data, code)),
    JSON_TYPE,
    CODES[code].status,
  )
}

/** The envelope's text before and after `data`, for data that is JSON text already. */
export function successAround(request: Request, code: Code = 'SUCCESS'): [before: string, after: string] {
  // data comes last
  const text = JSON.stringify(successBody(requestContextOf(request), null, code))
  return [text.slice(0, -'null}'.length), '}']
}

/** The envelope of a call that failed: in Arabic too if the route is bilingual, or if the message says more than the code. */
export function failureBody(requestContext: EnvelopeHead, error: AppError, data?: unknown) {
  return {
    ...head(requestContext, error.code, error.message),
    ...((requestContext.bilingual || error.messageAr !== CODES[error.code].ar) && { messageAr: error.messageAr }),
    ...(error.errors !== undefined && { errors: error.errors }),
    ...(data !== undefined && { data }),
  }
}

/** The response to a failed call. */
export function failureResponse(request: Request, thrown: unknown, data?: unknown): Response {
  const requestContext = requestContextOf(request)
  const error = asAppError(request, thrown)
  requestContext.code = error.code
  if (error.status >= 500) requestContext.error = error.cause ?? error
  const body = failureBody(requestContext, error, data ?? error.current?.data ?? error.refusal)
  const response = respond(request, JSON.stringify(body), JSON_TYPE, error.status)
  if (error.current !== undefined) response.headers.set('etag', error.current.etag)
  const retryAfterS = error.retryAfterS ?? (error.status === 503 ? 5 : undefined)
  if (retryAfterS !== undefined) response.headers.set('retry-after', String(retryAfterS))
  if (error.status === 401) response.headers.set('www-authenticate', 'Bearer')
  return response
}

/** Converts anything thrown to an AppError. */
export function asAppError(request: Request, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof ValidationError) return validationFailed(request, thrown)
  switch ((thrown as { code?: unknown } | null)?.code) {
    case 'NOT_FOUND':
      return new AppError('NOT_FOUND')
    // Elysia wraps errors of parsers
    case 'PARSE':
      return asAppError(request, (thrown as Error).cause)
    default:
      if (isUnstorableText(thrown))
        return fieldFailure('VALIDATION_FAILED', 'request', 'text', fieldText('storableText'), thrown)
      return new AppError(isStoreLost(thrown) ? 'STORE_UNAVAILABLE' : 'INTERNAL_ERROR', { cause: thrown })
  }
}

/** Elysia validates text only: parameters of the query and the path. Bodies are validated by body-schema.ts. */
function validationFailed(request: Request, thrown: ValidationError): AppError {
  // Elysia converts query text to a number and loses the parameter's name when the number breaks a rule.
  const where = thrown.type === 'property' ? queryFieldOf(request, thrown.value) : thrown.type
  return schemaFailure(where, thrown.all as unknown as (SchemaError & { path?: unknown })[])
}

/** `query.<name>` of the parameter whose text reads as the given number. */
function queryFieldOf(request: Request, value: unknown): string {
  for (const [name, text] of new URL(request.url).searchParams) if (Number(text) === value) return `query.${name}`
  return 'query'
}

/**
 * Refuses duplicate parameters and headers, and turns errors of handlers into failure envelopes.
 * @param methodsOf the methods that a path supports
 */
export function envelope(methodsOf: (path: string) => readonly string[] = () => []) {
  function answerTo(request: Request, error: unknown): Response {
    const { code } = asAppError(request, error)
    const allowed = code === 'NOT_FOUND' ? methodsOf(requestContextOf(request).path) : []
    if (allowed.length === 0 || allowed.includes(request.method)) return failureResponse(request, error)
    const response = failureResponse(request, new AppError('METHOD_NOT_ALLOWED'))
    response.headers.set('allow', allowed.join(', '))
    return response
  }
  return new Elysia({ name: 'envelope' })
    .onRequest(({ request }) => refuseSentTwice(request))
    .onError({ as: 'global' }, ({ request, error }) => {
      const answer = answerTo(request, error)
      const ended = requestContextOf(request).endFailed?.(answer)
      return ended === undefined ? answer : ended.then(() => answer)
    })
}
