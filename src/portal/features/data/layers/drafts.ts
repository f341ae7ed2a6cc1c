/** Unsaved changes of layers, kept by the browser until they are saved or discarded. */
import type { Command } from './layer-store.ts'
import type { Base } from './protocol.ts'

export type LayerDraft = { base: Base; commands: Command[] }

const STORE = 'drafts'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('groundwave-layers', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error as Error)
  })
}

async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const db = await open()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(STORE, mode)
      const request = work(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request.result as T)
      transaction.onerror = () => reject(transaction.error as Error)
      transaction.onabort = () => reject(transaction.error as Error)
    })
  } finally {
    db.close()
  }
}

export const readDraft = (name: string): Promise<LayerDraft | undefined> => within('readonly', (s) => s.get(name))

/** @param draft undefined when nothing is unsaved */
export const writeDraft = (name: string, draft: LayerDraft | undefined): Promise<unknown> =>
  within('readwrite', (store) => (draft === undefined ? store.delete(name) : store.put(draft, name)))
