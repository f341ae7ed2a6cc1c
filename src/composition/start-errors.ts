/** Why a process does not start, for its operator. */
import { ConfigError } from '../config/config-error.ts'
import { DataDirFull, DataDirInUse, DataDirUnsafe } from '../stores/data-dir.ts'
import { UnsupportedStoreError } from '../stores/requirements.ts'

/** Their messages are for the operator; any other error is a bug, whose stack is needed. */
const EXPECTED = [ConfigError, DataDirInUse, DataDirUnsafe, DataDirFull, UnsupportedStoreError]

export function writeStartError(error: unknown): void {
  const isExpected = EXPECTED.some((kind) => error instanceof kind)
  const text = error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : error
  process.stderr.write(isExpected ? `${text}\n` : `Groundwave could not start: ${text}\n`)
}
