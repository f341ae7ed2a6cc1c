/** Files that variables name. */
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/** Longer than any URL, secret or chain of certificates. */
const MAX_BYTES = 65_536

/** @throws ConfigError which names the variable and its file, never the content */
export function readVariableFile(variable: string, path: string): string {
  try {
    // a device such as /dev/zero has no end
    const file = statSync(path)
    if (file.isCharacterDevice() || file.isBlockDevice())
      throw new ConfigError(`${variable}="${path}" cannot be read: it is a device`)
    if (file.size > MAX_BYTES)
      throw new ConfigError(`${variable}="${path}" has ${file.size} bytes; at most ${MAX_BYTES} are allowed`)
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError(`${variable}="${path}" cannot be read: ${REASONS[code ?? ''] ?? code}`, { cause })
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this account may not read it',
  EISDIR: 'it is a folder',
}
