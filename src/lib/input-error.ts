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

const MAX_REASON_LENGTH = 160

/**
 * What a library says is wrong with an input, for the caller: without paths of this machine, which errors of the file
 * system and of GDAL contain.
 */
export function reasonOf(error: unknown): string {
  const { message = '', syscall, code } = error as { message?: string; syscall?: string; code?: string }
  if (syscall !== undefined) return `${syscall} failed${code === undefined ? '' : ` (${code})`}`
  return message.replace(/(?:file:\/\/)?(?:\/[^\s/'"`:,;()]+){2,}\/?/g, 'the file').slice(0, MAX_REASON_LENGTH)
}
