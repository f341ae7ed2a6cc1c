/** Files of the write-ahead log, including the file without commits for the next segment. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { walkSegment } from '../../../src/ingest/row.ts'
import { SEGMENT_SUFFIX, segmentIdOf, stampOf } from '../../../src/ingest/segments.ts'

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    // loaded since the folder was listed
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** Names of the segments with rows, oldest first. */
export const segmentsIn = (logDir: string): string[] =>
  readdirSync(logDir)
    .filter((name) => name.endsWith(SEGMENT_SUFFIX))
    .filter((name) => walkSegment(bytesOf(join(logDir, name)), stampOf(segmentIdOf(name))).rows > 0)
    .sort()
