/** What errors of stores and their clients mean for whoever called. */
import { AppError } from './errors.ts'

// what Bun, Node, PostgreSQL (SQLSTATE) and their clients call a server that is not there, or takes no writes
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
// connections (08), privileges and passwords (28, 42501), a database or table that is gone, read-only, out of disk,
// memory or connections, shutting down
const LOST_PATTERN =
  /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_\w+|08\w{3}|28\w{3}|42501|42P01|3D000|25006|53[123]00|57P0[123])$/

/** Whether an error, or what caused it, says that a store cannot be reached or cannot write. */
export function isStoreLost(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AppError && at.code === 'STORE_UNAVAILABLE') return true
    const { code, errno } = at as { code?: unknown; errno?: unknown }
    for (const name of [code, errno])
      if (typeof name === 'string' && (LOST_CODES.has(name) || LOST_PATTERN.test(name))) return true
  }
  return false
}

// NUL in a text; in a text that is JSON; half of a surrogate pair in JSON, which SQLSTATE 22P02 stands for among others
const UNSTORABLE_TEXT_CODES = new Set(['22021', '22P05'])
const INVALID_JSON_MESSAGE = 'invalid input syntax for type json'

/** Whether the database refused a text for what no text of its can hold. */
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

/** An error as the log takes it, with its causes; without the parameters of statements, which may be secrets. */
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
