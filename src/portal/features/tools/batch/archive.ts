/** The results of a batch as one ZIP, made in the browser. */
import { zip } from 'fflate'
import { send } from '../../../api/client.ts'
import { storedFileAddress } from '../../../ui/download.tsx'
import { uniqueNames } from './unique-names.ts'

export type ArchiveEntry = { name: string; key: string }

/** @throws ApiError for a file that cannot be downloaded */
export async function archiveOf(entries: readonly ArchiveEntry[], onProgress: (done: number) => void): Promise<Blob> {
  const files: Record<string, Uint8Array> = {}
  const names = uniqueNames(entries.map(({ name }) => name))
  for (const [i, { key }] of entries.entries()) {
    onProgress(i)
    files[names[i] as string] = new Uint8Array(await (await send(storedFileAddress(key))).arrayBuffer())
  }
  return new Promise((resolve, reject) => {
    zip(files, { level: 6 }, (error, bytes) => {
      if (error) reject(error)
      else resolve(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/zip' }))
    })
  })
}
