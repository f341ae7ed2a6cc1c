/** Where an archive is: a folder, or a bucket of an S3 service. */
import { BackupError } from './errors.ts'
import { openFolderArchive } from './store-folder.ts'
import { openS3Archive } from './store-s3.ts'

export type ArchiveStore = {
  /** For messages, without secrets. */
  label: string
  /** All objects with their sizes. */
  list(): Promise<Map<string, number>>
  read(name: string): AsyncIterable<Uint8Array>
  /** Undefined if there is no such object. */
  readText(name: string): Promise<string | undefined>
  create(): Promise<Draft>
  remove(name: string): Promise<void>
  /** Resolves when everything that was committed would survive a power failure. */
  sync(): Promise<void>
}

/** An object that is being written. It gets its name when it is complete. */
export type Draft = {
  write(bytes: Uint8Array): Promise<void>
  commit(name: string): Promise<void>
  discard(): Promise<void>
}

/**
 * @param target a folder, or `http[s]://accessKey:secretKey@host[:port]/bucket[/prefix][?region=…]`; `s3://` means https
 * @param spoolDir for objects on their way to a bucket
 * @throws BackupError
 */
export async function openArchive(target: string, spoolDir: string, isNew: boolean): Promise<ArchiveStore> {
  if (!/^(https?|s3):\/\//.test(target)) return openFolderArchive(target, isNew)
  const url = target.replace(/^s3:/, 'https:')
  const isComplete = URL.canParse(url) && new URL(url).username !== '' && new URL(url).pathname.length > 1
  if (!isComplete)
    throw new BackupError(
      'TARGET must be a folder, or a URL like S3_URL: http[s]://accessKey:secretKey@host[:port]/bucket[/prefix][?region=…]',
    )
  return openS3Archive(url, spoolDir)
}
