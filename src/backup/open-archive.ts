/** Opens an archive by the place that the operator named. */
import { BackupError } from './errors.ts'
import type { ArchiveStore } from './store.ts'
import { openFolderArchive } from './store-folder.ts'
import { openS3Archive } from './store-s3.ts'

/**
 * @param target a folder, or `http[s]://accessKey:secretKey@host[:port]/bucket[/prefix][?region=…]`; `s3://` means https
 * @param spoolDir for objects before their upload to a bucket
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
