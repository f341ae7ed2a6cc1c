/**
 * Input that breaks a rule, as a library function reports it. The function does not know which request field or file
 * the input came from; its caller does, and turns the error into a response.
 */
export class InputError extends Error {
  readonly rule: string

  constructor(rule: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'InputError'
    this.rule = rule
  }
}
