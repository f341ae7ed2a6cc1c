/**
 * Secrets from files. Every variable that may contain a secret can be given as `NAME_FILE`, the path of a file with its
 * value, as Docker, Kubernetes and systemd provide secrets: a process's environment is visible to more programs than a
 * file with mode 0400.
 */
import { ConfigError } from './config-error.ts'
import { readVariableFile } from './variable-file.ts'
import { SECRET_VARIABLES } from './variables.ts'

type Environment = Record<string, string | undefined>

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
  const value = readVariableFile(variable, path).trim()
  if (value === '') throw new ConfigError(`${variable}="${path}" is an empty file`)
  if (/[\r\n\0]/.test(value)) throw new ConfigError(`${variable}="${path}" must contain one line`)
  return value
}
