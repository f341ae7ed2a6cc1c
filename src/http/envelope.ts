/** The standard envelope, and the one place that turns an error into one. */
import { Elysia, ValidationError } from 'elysia'
import { AppError, CODES, type Code, type FieldError } from '../errors.ts'
import { ruleOf, type SchemaError } from '../schema-rules.ts'
import { isStoreLost, isUnstorableText } from '../store-errors.ts'
import { type RequestContext, requestContextOf } from './request-context.ts'

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

/**
 * An answer with the request's id. Everything answers with a Response of its own: where Elysia has headers to add, it
 * copies the whole answer through a stream.
 */
export function respond(
  request: Request,
  body: ConstructorParameters<typeof Response>[0],
  contentType: string,
  status = 200,
): Response {
  const { requestId } = requestContextOf(request)
  return new Response(body, { status, headers: { 'content-type': contentType, 'x-request-id': requestId } })
}

/** What an envelope tells of its request. */
export type EnvelopeHead = Pick<RequestContext, 'path' | 'method' | 'requestId' | 'bilingual'>

/** The envelope of a call that worked. */
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

/** What stands before and after `data` in the envelope of a call that worked, for data that is JSON text already. */
export function successAround(request: Request, code: Code = 'SUCCESS'): [before: string, after: string] {
  // data comes last
  const text = JSON.stringify(successBody(requestContextOf(request), null, code))
  return [text.slice(0, -'null}'.length), '}']
}

/** The envelope of a call that failed. */
export function failureBody(requestContext: EnvelopeHead, error: AppError, data?: unknown) {
  return {
    ...head(requestContext, error.code, error.message),
    ...(requestContext.bilingual && { messageAr: CODES[error.code].ar }),
    ...(error.errors !== undefined && { errors: error.errors }),
    ...(data !== undefined && { data }),
  }
}

/** The answer to a call that failed. */
export function failureResponse(request: Request, thrown: unknown, data?: unknown): Response {
  const requestContext = requestContextOf(request)
  const error = asAppError(request, thrown)
  requestContext.code = error.code
  if (error.status >= 500) requestContext.error = error.cause ?? error
  const response = respond(request, JSON.stringify(failureBody(requestContext, error, data)), JSON_TYPE, error.status)
  const retryAfterS = error.retryAfterS ?? (error.status === 503 ? 5 : undefined)
  if (retryAfterS !== undefined) response.headers.set('retry-after', String(retryAfterS))
  if (error.status === 401) response.headers.set('www-authenticate', 'Bearer')
  return response
}

/** What was thrown, as a failure of the table. */
export function asAppError(request: Request, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof ValidationError) return validationFailed(request, thrown)
  switch ((thrown as { code?: unknown } | null)?.code) {
    case 'NOT_FOUND':
      return new AppError('NOT_FOUND')
    // what a parser throws comes wrapped
    case 'PARSE':
      return asAppError(request, (thrown as Error).cause)
    default:
      if (isUnstorableText(thrown)) return unstorableText(thrown)
      return new AppError(isStoreLost(thrown) ? 'STORE_UNAVAILABLE' : 'INTERNAL_ERROR', { cause: thrown })
  }
}

function unstorableText(cause: unknown): AppError {
  const message = 'texts must hold neither NUL characters nor halves of surrogate pairs'
  return new AppError('VALIDATION_FAILED', { message, errors: [{ field: 'request', rule: 'text', message }], cause })
}

/** TypeBox reports paths and kinds of errors; the caller gets fields, rules and the allowed values. */
function validationFailed(request: Request, thrown: ValidationError): AppError {
  // Elysia turns a query's text into a number and loses its name when the number breaks a rule.
  const where = thrown.type === 'property' ? queryFieldOf(request, thrown.value) : thrown.type
  const found = (thrown.all as unknown as (SchemaError & { path?: unknown })[]).filter(hasPath)
  const errors: FieldError[] = []
  for (const { path, type, schema } of found) {
    const field = [where, ...path.split('/').filter((part) => part !== '')].join('.')
    if (errors.some((error) => error.field === field)) continue
    errors.push({ field, ...ruleOf({ type, schema }) })
  }
  if (errors.length === 0) errors.push({ field: where, rule: 'schema', message: 'does not have the form asked for' })
  const first = errors[0] as FieldError
  return new AppError('VALIDATION_FAILED', { message: `${first.field}: ${first.message}`, errors })
}

const hasPath = (error: SchemaError & { path?: unknown }): error is SchemaError & { path: string } =>
  typeof error.path === 'string'

/** `query.<name>` of the parameter whose text reads as the given number. */
function queryFieldOf(request: Request, value: unknown): string {
  for (const [name, text] of new URL(request.url).searchParams) if (Number(text) === value) return `query.${name}`
  return 'query'
}

/** Answers what handlers throw. */
export function envelope() {
  return new Elysia({ name: 'envelope' }).onError({ as: 'global' }, ({ request, error }) =>
    failureResponse(request, error),
  )
}
