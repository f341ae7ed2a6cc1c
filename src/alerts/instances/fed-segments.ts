/** Segments of the feed, copied to this machine to be judged; the snapshot that includes the earlier ones is shared. */
import { join } from 'node:path'
import {
  deleteFedSnapshot,
  dropFed,
  emptyFeed,
  readFedSnapshot,
  writeFedSnapshot,
} from '../../stores/postgres/alerts/alert-feed.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { openRetainedSegments, type RetainedSegments } from '../retained-segments.ts'

/**
 * @param dir a folder that is empty, or missing
 * @param change runs a transaction while this instance has the lease
 */
export async function openFedSegments(
  db: Database,
  dir: string,
  change: (work: (tx: Database) => Promise<void>) => Promise<void>,
): Promise<RetainedSegments> {
  const local = await openRetainedSegments(dir)
  const shared = await readFedSnapshot(db)
  if (shared !== undefined) {
    const path = join(dir, 'shared')
    await Bun.write(path, await Bun.zstdDecompress(shared.content))
    await local.replaceSnapshot(path, shared.serial)
  }
  return {
    ...local,
    async replaceSnapshot(path, serial) {
      const content = await Bun.zstdCompress(await Bun.file(path).bytes())
      await change(async (tx) => {
        await writeFedSnapshot(tx, { serial, content })
        await emptyFeed(tx, serial)
      })
      await local.replaceSnapshot(path, serial)
    },
    async dropSnapshot() {
      await change(deleteFedSnapshot)
      await local.dropSnapshot()
    },
    async drop(segment) {
      await change((tx) => dropFed(tx, segment.sequence))
      await local.drop(segment)
    },
    async clear() {
      const through = local.list().at(-1)?.sequence ?? local.snapshot()?.sequence ?? 0
      await change(async (tx) => {
        await deleteFedSnapshot(tx)
        await emptyFeed(tx, through)
      })
      await local.clear()
    },
  }
}
