/** Recovers the log that an earlier process left behind. */
import { copyFile, readFile, truncate, unlink } from 'node:fs/promises'
import type { DayCounts } from './day-counts.ts'
import { hasCommitAfter, type SegmentRow, walkSegment } from './row.ts'
import { listSegments, oldestOf, type Segment, sensorsOf, stampOf } from './segments.ts'

/**
 * Truncates each segment after its last complete commit and counts the day's readings in it. The bytes after it are an
 * incomplete commit that no client received an answer for, or belong to an earlier segment in the same file.
 * @param onDamaged receives the path of a copy of a segment with an unreadable commit
 * @param onError receives the error if the counts could not be written; the disk may be full
 */
export async function recoverSegments(
  dir: string,
  counts: DayCounts,
  onDamaged: (copy: string, intactBytes: number) => void,
  onError: (error: unknown) => void,
): Promise<Segment[]> {
  const segments: Segment[] = []
  let endPosition = 0
  for (const { id, path } of await listSegments(dir)) {
    const bytes = await readFile(path)
    const rows: SegmentRow[] = []
    const stamp = stampOf(id)
    const intact = walkSegment(bytes, stamp, (row) => rows.push(row))
    for (const { enterprise, receivedAtMs } of rows) counts.replay(id, enterprise, receivedAtMs)
    if (intact.bytes < bytes.length) {
      if (hasCommitAfter(bytes, intact.bytes, stamp)) {
        await copyFile(path, `${path}.damaged`)
        onDamaged(`${path}.damaged`, intact.bytes)
      }
      if (intact.rows > 0) await truncate(path, intact.bytes)
    }
    if (intact.rows === 0) {
      await unlink(path)
      continue
    }
    endPosition += intact.bytes
    const oldest = oldestOf(rows.map(({ sensor, atMs }) => ({ sensor, oldestMs: atMs })))
    segments.push({ id, path, bytes: intact.bytes, rows: intact.rows, endPosition, sensors: sensorsOf(rows), oldest })
  }
  const last = segments.at(-1)
  // they are loaded and deleted before the next segment is sealed
  if (last !== undefined) await counts.writeSnapshot(last, []).catch(onError)
  return segments
}
