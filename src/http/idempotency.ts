/** Requests that may be repeated: what they send, and how the first answer is given again. */
import { invalidField } from '../errors.ts'
import { JSON_TYPE, respond } from './envelope.ts'

const MAX_KEY_LENGTH = 255

/** @throws AppError VALIDATION_FAILED */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers.get('idempotency-key')
  if (key === null) return undefined
  if (key.length === 0 || key.length > MAX_KEY_LENGTH)
    throw invalidField('Idempotency-Key', 'maxLength', `must be 1 to ${MAX_KEY_LENGTH} characters long`)
  return key
}

export type FirstAnswer = {
  status: number
  headers: Record<string, string>
  body: ConstructorParameters<typeof Response>[0]
}

export function replay(request: Request, { status, headers, body }: FirstAnswer): Response {
  const response = respond(request, body, JSON_TYPE, status)
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  response.headers.set('idempotency-replayed', 'true')
  return response
}
