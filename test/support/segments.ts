/** Files of the write-ahead log, which also contains an empty one for the next segment. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Names of the segments with rows, oldest first. */
export const segmentsIn = (logDir: string): string[] =>
  readdirSync(logDir)
    .filter(
      (name) => name.endsWith('.rows') && (statSync(join(logDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0,
    )
    .sort()
