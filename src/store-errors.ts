/** Recognises the errors of stores and of their clients. */
import { AppError } from './errors.ts'

// error codes of Bun, Node and the store clients for a server that cannot be reached
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ConnectionRefused',
  'ConnectionClosed',
  'FailedToOpenSocket',
  'ERR_SOCKET_CLOSED',
])
// SQLSTATE: connection lost (08), wrong password or missing privilege (28, 42501), missing database or table,
// read-only, out of disk space, memory or connections, shutting down
const LOST_PATTERN =
  /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_\w+|08\w{3}|28\w{3}|42501|42P01|3D000|25006|53[123]00|57P0[123])$/

/** Whether an error, or one of its causes, means that a store cannot be reached or cannot write. */
export function isStoreLost(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AppError && at.code === 'STORE_UNAVAILABLE') return true
    const { code, errno } = at as { code?: unknown; errno?: unknown }
    for (const name of [code, errno])
      if (typeof name === 'string' && (LOST_CODES.has(name) || LOST_PATTERN.test(name))) return true
  }
  return false
}

// a NUL character in text (22021) or in JSON text (22P05); a lone surrogate in JSON is one of several cases of SQLSTATE
// 22P02, so its message is checked instead
const UNSTORABLE_TEXT_CODES = new Set(['22021', '22P05'])
const INVALID_JSON_MESSAGE = 'invalid input syntax for type json'

/** Whether the database rejected a text for a character that it cannot store. */
export function isUnstorableText(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, errno } = at as { code?: unknown; errno?: unknown }
    if (
      UNSTORABLE_TEXT_CODES.has(String(code)) ||
      UNSTORABLE_TEXT_CODES.has(String(errno)) ||
      at.message === INVALID_JSON_MESSAGE
    )
      return true
  }
  return false
}

/** An error with its causes, for the log. SQL parameters are removed because they may be secrets. */
export function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const withoutParameters = (text: string): string => text.replace(/\nparams: .*/g, '')
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    ...(code !== undefined && { code }),
    message: withoutParameters(error.message),
    stack: withoutParameters(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: errorForLog(error.cause) }),
  }
}
