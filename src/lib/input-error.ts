/**
 * Input that breaks a rule, as a library function reports it. The function does not know which request field or file
 * the input came from; its caller does, and turns the error into a response.
 */
export class InputError extends Error {
  readonly rule: string

  /** @throws `cause` if it is a failure of our own, which a library reports in the same way as a damaged input */
  constructor(rule: string, message: string, cause?: unknown) {
    if (isOwnFailure(cause)) throw cause
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'InputError'
    this.rule = rule
  }
}

/** What fails in system calls whatever the input is: space, memory, handles, devices. */
const SYSTEM_CODES = new Set(['ENOSPC', 'EDQUOT', 'ENOMEM', 'EMFILE', 'ENFILE', 'EIO', 'EROFS'])
/** The same in the words of C and SQLite, from libraries that pass no codes on. */
const SYSTEM_TEXTS =
  /no space left on device|disk quota exceeded|disk is full|disk I\/O error|cannot allocate memory|too many open files|read-only file system/i

/** A trap of WebAssembly is a fault of the module: what is wrong with an input it reports itself. */
function isOwnFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof WebAssembly.RuntimeError) return true
  return SYSTEM_CODES.has((error as NodeJS.ErrnoException).code ?? '') || SYSTEM_TEXTS.test(error.message)
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
