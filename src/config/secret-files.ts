/**
 * Secrets from files. Every variable that may contain a secret can be given as `NAME_FILE`, the path of a file with its
 * value, as Docker, Kubernetes and systemd provide secrets: a process's environment is shown by more programs than a
 * file with mode 0400.
 */
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import { SECRET_VARIABLES } from './variables.ts'

type Environment = Record<string, string | undefined>

/** Longer than any URL or secret. */
const MAX_BYTES = 65_536

/**
 * @returns the environment with the content of the files as the values of their variables. White space around a value
 * is not part of it: editors end files with a newline.
 * @throws ConfigError which names the variable and its file, never the content
 */
export function withSecretFiles(environment: Environment): Environment {
  const resolved = { ...environment }
  for (const name of SECRET_VARIABLES) {
    const fileVariable = `${name}_FILE`
    const path = environment[fileVariable]?.trim() ?? ''
    if (path === '') continue
    if ((environment[name]?.trim() ?? '') !== '')
      throw new ConfigError(`${name} and ${fileVariable} are both set; set only one of them`)
    resolved[name] = readSecret(fileVariable, path)
  }
  return resolved
}

function readSecret(variable: string, path: string): string {
  let content: Buffer
  try {
    // a device such as /dev/zero has no end
    const file = statSync(path)
    if (file.isCharacterDevice() || file.isBlockDevice())
      throw new ConfigError(`${variable}="${path}" cannot be read: it is a device`)
    if (file.size > MAX_BYTES)
      throw new ConfigError(`${variable}="${path}" has ${file.size} bytes; a secret has at most ${MAX_BYTES}`)
    content = readFileSync(path)
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError(`${variable}="${path}" cannot be read: ${REASONS[code ?? ''] ?? code}`, { cause })
  }
  const value = content.toString('utf8').trim()
  if (value === '') throw new ConfigError(`${variable}="${path}" is an empty file`)
  if (/[\r\n\0]/.test(value)) throw new ConfigError(`${variable}="${path}" must contain one line`)
  return value
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this account may not read it',
  EISDIR: 'it is a folder',
}
