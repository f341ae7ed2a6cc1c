/** The files of variables that describe the systems of `bun run move`. */
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { similarVariable } from '../config/variable-names.ts'
import { type Config, readConfig } from '../config.ts'
import { BackupError } from './errors.ts'

const URLS = ['POSTGRES_URL', 'REDIS_URL', 'CLICKHOUSE_URL', 'S3_URL']
const PLACES = ['DATA_DIR', ...URLS, ...URLS.map((name) => `${name}_FILE`)]
/** Groups of variables that a file replaces as a whole: a variable that the file does not set is unset. */
const STORES = new Set([...PLACES, 'INSTANCES', 'INSTANCE'])

type Environment = Record<string, string | undefined>

/**
 * @param path a file of lines like `POSTGRES_URL=…`
 * @throws BackupError, ConfigError
 */
export async function configOf(path: string, environment: Environment): Promise<Config> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new BackupError(`${path} cannot be read: ${error.message}`, { cause: error })
  })
  const others = Object.entries(environment).filter(([name]) => !STORES.has(name))
  return readConfig({ ...Object.fromEntries(others), ...variablesIn(path, text) })
}

/**
 * Refuses malformed lines: a store that is left out by mistake would default to the embedded one, and the system would
 * move there.
 */
function variablesIn(path: string, text: string): Environment {
  for (const [i, line] of text.split('\n').entries())
    if (!/^\s*(#|$|(export\s+)?[A-Za-z_]\w*\s*=)/.test(line))
      throw new BackupError(`${path}, line ${i + 1}: must be NAME=value, a comment that begins with #, or empty`)
  const variables = parseEnv(text)
  for (const name of Object.keys(variables)) {
    const similar = similarVariable(name)
    if (similar !== undefined)
      throw new BackupError(`${path}: ${name} is not a variable; rename it to ${similar} if that is meant`)
  }
  if (!PLACES.some((name) => (variables[name]?.trim() ?? '') !== ''))
    throw new BackupError(`${path} names no stores; it must set at least one of ${PLACES.join(', ')}`)
  return variables
}
