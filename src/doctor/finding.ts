/** One finding of the doctor. */

/** `warning`: works, but not as well or as safely as it should. `problem`: fails, now or soon. */
export type FindingState = 'ok' | 'warning' | 'problem' | 'skipped'

export type Finding = {
  /** The examined part, in one or two words. */
  check: string
  state: FindingState
  /** What was found. */
  found: string
  /** Advice; null when nothing has to be done. */
  advice: string | null
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: null })
export const skipped = (check: string, found: string): Finding => ({ check, state: 'skipped', found, advice: null })
export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
})
export const problem = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'problem',
  found,
  advice,
})

/** The innermost cause, in one line: the outer errors only name the attempt. */
export function causeOf(error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause
  return (cause instanceof Error ? cause.message || cause.name : String(cause)).split('\n')[0]?.trim() ?? ''
}
