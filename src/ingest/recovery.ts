/** What an earlier process left in the log. */
import { readFile, truncate, unlink } from 'node:fs/promises'
import type { DayCounts } from './day-counts.ts'
import { type SegmentRow, walkSegment } from './row.ts'
import { listSegments, type Segment, sensorsOf } from './wal.ts'

/** Cuts what no commit covers off the segments of an earlier process and counts the day's readings in them. */
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
    const sound = walkSegment(bytes, (row) => rows.push(row))
    for (const { enterprise, receivedAtMs } of rows) counts.replay(id, enterprise, receivedAtMs)
    if (sound.bytes < bytes.length) {
      onDamaged(path, bytes.length - sound.bytes)
      if (sound.rows > 0) await truncate(path, sound.bytes)
    }
    if (sound.rows === 0) {
      await unlink(path)
      continue
    }
    endPosition += sound.bytes
    segments.push({ id, path, bytes: sound.bytes, rows: sound.rows, endPosition, sensors: sensorsOf(rows) })
  }
  return segments
}
