/** What the doctor says about one thing. */

/** A `warning` works, but not as well or as safely as it should. A `problem` fails, now or soon. */
export type FindingState = 'ok' | 'warning' | 'problem' | 'skipped'

export type Finding = {
  /** What was examined, in one or two words. */
  check: string
  state: FindingState
  /** What was found. */
  found: string
  /** What to do; null when there is nothing to do. */
  advice: string | null
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null })
export const skipped = (check: string, found: string): Finding => ({ check, state: 'skipped', found, advice: null })
export const warning = (check: string, found: string, advice: string): Finding => ({
  ...{ check, state: 'warning', found, advice },
})
export const problem = (check: string, found: string, advice: string): Finding => ({
  ...{ check, state: 'problem', found, advice },
})

/** The innermost cause, in one line: the outer errors say what was tried. */
export function causeOf(error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause
  return (cause instanceof Error ? cause.message || cause.name : String(cause)).split('\n')[0]?.trim() ?? ''
}
