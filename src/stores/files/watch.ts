/** Measures the calls of the file store. */
import { type OnStoreCall, watchCall } from '../store-watch.ts'
import type { FileStore } from './client.ts'

export function watchFiles(files: FileStore, onCall: OnStoreCall): FileStore {
  const watch = <T>(operation: string, work: () => Promise<T>): Promise<T> =>
    watchCall(onCall, 'files', operation, () => ({ name: `${operation} file`, attributes: {} }), work)
  return {
    prepare: (path) => files.prepare(path),
    put: (key, path) => watch('put', () => files.put(key, path)),
    open: (key) => files.open(key),
    uncache: (key) => files.uncache(key),
    fetch: (key, path) => watch('fetch', () => files.fetch(key, path)),
    remove: (key) => watch('remove', () => files.remove(key)),
    list: (after) => files.list(after),
    ping: () => files.ping(),
  }
}
