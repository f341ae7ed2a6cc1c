import { englishOf, type FieldText } from '../field-texts/bilingual.ts'

/**
 * A library function's error for input that breaks a rule. The function does not know which request field or file the
 * input came from; its caller does, and turns the error into a response.
 */
export class InputError extends Error {
  readonly rule: string
  /** The message in both languages. */
  readonly text: FieldText

  /** @throws `cause` if it is a failure of our system, which libraries report in the same way as damaged input */
  constructor(rule: string, text: FieldText, cause?: unknown) {
    if (isOwnFailure(cause)) throw cause
    super(englishOf(text), cause === undefined ? undefined : { cause })
    this.name = 'InputError'
    this.rule = rule
    this.text = text
  }
}

/** System errors independent of the input: space, memory, handles, devices. */
const SYSTEM_CODES = new Set(['ENOSPC', 'EDQUOT', 'ENOMEM', 'EMFILE', 'ENFILE', 'EIO', 'EROFS'])
/** The same as messages of C and SQLite, from libraries that report no codes. */
const SYSTEM_TEXTS =
  /no space left on device|disk quota exceeded|disk is full|disk I\/O error|cannot allocate memory|too many open files|read-only file system/i

/** A WebAssembly trap is a fault of the module, because modules report invalid input themselves. */
function isOwnFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof WebAssembly.RuntimeError) return true
  return SYSTEM_CODES.has((error as NodeJS.ErrnoException).code ?? '') || SYSTEM_TEXTS.test(error.message)
}

const MAX_REASON_LENGTH = 160

/**
 * A library's error message about an input, for the caller: without this machine's paths, which errors of the file
 * system and GDAL contain.
 */
export function reasonOf(error: unknown): string {
  const { message = '', syscall, code } = error as { message?: string; syscall?: string; code?: string }
  if (syscall !== undefined) return `${syscall} failed${code === undefined ? '' : ` (${code})`}`
  return message.replace(/(?:file:\/\/)?(?:\/[^\s/'"`:,;()]+){2,}\/?/g, 'the file').slice(0, MAX_REASON_LENGTH)
}
