/** Errors of a store that cannot be opened, with the name of the variable that configures it. */
import { ConfigError } from '../config/config-error.ts'
import { UnsupportedStoreError } from '../stores/requirements.ts'

/** @throws ConfigError when `work` fails */
export async function withVariableName<T>(variable: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    // the outer error says what was tried; its cause says what the server answered, which is the useful part
    const cause = error instanceof Error && !(error instanceof UnsupportedStoreError) ? (error.cause ?? error) : error
    throw new ConfigError(`${variable}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}
