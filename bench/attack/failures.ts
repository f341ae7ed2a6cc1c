/** Failures in the server's log: each must have a code of the table and a cause. */
import { CODES, type Code } from '../../src/errors.ts'

/** These say why themselves; the others report that something else failed. */
const SELF_EXPLANATORY = new Set<string>([
  'SERVICE_BUSY',
  'NOT_READY',
  'TOOL_TIMEOUT',
  'STORAGE_FULL',
  'STORAGE_QUOTA_EXCEEDED',
])

type Line = { status?: number; code?: string; err?: { type?: string; message?: string }; path?: string }

/** @returns how many answers with a status of 500 or more were logged, and the lines that do not explain theirs */
export function failuresIn(log: string): { count: number; unexplained: string[] } {
  const failures = log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((text) => ({ text, line: JSON.parse(text) as Line }))
    .filter(({ line }) => (line.status ?? 0) >= 500)
  return {
    count: failures.length,
    unexplained: failures.filter(({ line }) => !isExplained(line)).map(({ text }) => text),
  }
}

function isExplained({ code = '', err }: Line): boolean {
  if (!Object.hasOwn(CODES, code) || code === 'INTERNAL_ERROR' || err?.message === undefined) return false
  // without a cause, the error itself is logged, with the text of its code unless it has a better one
  return SELF_EXPLANATORY.has(code) || err.type !== 'AppError' || err.message !== CODES[code as Code].en
}
