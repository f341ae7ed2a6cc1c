/** Recovers the log that an earlier process left behind. */
import { readFile, truncate, unlink } from 'node:fs/promises'
import type { DayCounts } from './day-counts.ts'
import { type SegmentRow, walkSegment } from './row.ts'
import { listSegments, oldestOf, type Segment, sensorsOf } from './segments.ts'

/** Truncates each segment after its last complete commit and counts the day's readings in it. */
export async function recoverSegments(
  dir: string,
  counts: DayCounts,
  onDamaged: (path: string, lostBytes: number) => void,
): Promise<Segment[]> {
  const segments: Segment[] = []
  let endPosition = 0
  for (const { id, path } of await listSegments(dir)) {
    const bytes = await readFile(path)
    const rows: SegmentRow[] = []
    const intact = walkSegment(bytes, (row) => rows.push(row))
    for (const { enterprise, receivedAtMs } of rows) counts.replay(id, enterprise, receivedAtMs)
    if (intact.bytes < bytes.length) {
      onDamaged(path, bytes.length - intact.bytes)
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
  return segments
}
