/**
 * What a library says of input that breaks a rule. It does not know which field the input came in; whoever called
 * does, and turns it into an answer.
 */
export class InputError extends Error {
  readonly rule: string

  constructor(rule: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'InputError'
    this.rule = rule
  }
}
