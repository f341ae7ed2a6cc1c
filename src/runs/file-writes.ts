/**
 * Writes objects into the file store before their records. The keys are first announced in the database, and the
 * transaction of the records deletes the announcements (`endWrites`). So after a kill at any moment, an object without
 * a record is removed: at the next start of the instance, or by another one when the lease has expired.
 */
import type { FileStore } from '../stores/files/client.ts'
import type { Database } from '../stores/postgres/client.ts'
import { announceWrites, giveUpWrites } from '../stores/postgres/files/file-writes.ts'
import type { FileRemovals } from './file-removals.ts'
import type { InstanceLeases } from './instance-leases.ts'

export type FileWrites = {
  /**
   * Moves files into the store.
   * @param record stores the records, and calls `endWrites` for the keys in the same transaction
   * @throws errors of `record`; the objects are then removed, unless their records exist
   */
  write<T>(files: readonly { key: string; path: string }[], record: () => Promise<T>): Promise<T>
}

type FileWritesDeps = {
  db: Database
  files: FileStore
  fileRemovals: FileRemovals
  leases: InstanceLeases
  instanceId: string
}

export function createFileWrites({ db, files, fileRemovals, leases, instanceId }: FileWritesDeps): FileWrites {
  return {
    async write(written, record) {
      if (written.length === 0) return record()
      const keys = written.map(({ key }) => key)
      await announceWrites(db, instanceId, keys)
      try {
        await Promise.all(written.map(({ key, path }) => files.put(key, path)))
        return await record()
      } catch (error) {
        await leases.settle(async () => {
          await giveUpWrites(db, keys)
          await fileRemovals.remove(0)
        })
        throw error
      }
    },
  }
}
