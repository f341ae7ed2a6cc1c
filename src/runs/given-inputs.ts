/** Input files that callers name by a stored key, `fil_…`, in place of the bytes. */
import { AppError, type FieldError, fieldError, fieldsFailure } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { isStorageKey } from '../stores/files/client.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findGivenFiles, type GivenFile } from '../stores/postgres/files/given-files.ts'
import type { RunScope } from '../stores/postgres/runs/run-scope.ts'

/** A key in a file field, with the field's size limit. */
export type GivenKey = { field: string; key: string; maxBytes: number }

/** Key and size of a stored input file. */
export type StoredInput = Pick<GivenFile, 'key' | 'storageKey'>

/** By the path of the file, before or after it is fetched. */
export type StoredInputs = ReadonlyMap<string, StoredInput>

/** Retry delay: a scan takes seconds. */
const SCAN_RETRY_S = 5

function stillScanned(errors: FieldError[]): AppError {
  const { message: en, messageAr: ar } = fieldsFailure('CONFLICT', errors)
  return new AppError('CONFLICT', { message: { en, ar }, errors, retryAfterS: SCAN_RETRY_S })
}

/** One message for keys that never existed, were deleted, or belong to another owner. */
const unknownKey = (field: string): FieldError => fieldError(field, 'exists', fieldText('storedFileMissing'))

/** The error for a key whose file was deleted during the call. */
export const keyIsGone = (field: string): AppError => fieldsFailure('VALIDATION_FAILED', [unknownKey(field)])

/**
 * The files that the keys name, in their order.
 * @throws AppError VALIDATION_FAILED for malformed or unknown keys, and for files that a scan found infected or could
 *   not read; FILE_TOO_LARGE; CONFLICT while a file is still being scanned
 */
export async function findGivenInputs(
  db: Database,
  scope: RunScope,
  given: readonly GivenKey[],
): Promise<readonly GivenFile[]> {
  if (given.length === 0) return []
  const malformed = given.filter(({ key }) => !isStorageKey(key))
  if (malformed.length > 0)
    throw fieldsFailure(
      'VALIDATION_FAILED',
      malformed.map(({ field }) => fieldError(field, 'file', fieldText('storedFileKey'))),
    )
  const found = await findGivenFiles(
    db,
    scope,
    given.map(({ key }) => key),
  )
  const missing = given.filter(({ key }) => !found.has(key))
  if (missing.length > 0)
    throw fieldsFailure(
      'VALIDATION_FAILED',
      missing.map(({ field }) => unknownKey(field)),
    )
  const files = given.map(({ field, key, maxBytes }) => ({ ...(found.get(key) as GivenFile), field, maxBytes }))
  const refused = files.filter(({ scanStatus }) => scanStatus === 'infected' || scanStatus === 'failed')
  if (refused.length > 0)
    throw fieldsFailure(
      'VALIDATION_FAILED',
      refused.map(({ field, scanStatus }) =>
        fieldError(field, 'scanStatus', fieldText('scannedClean', { status: scanStatus })),
      ),
    )
  const pending = files.filter(({ scanStatus }) => scanStatus === 'pending')
  if (pending.length > 0)
    throw stillScanned(pending.map(({ field }) => fieldError(field, 'scanStatus', fieldText('beingScanned'))))
  const large = files.filter(({ bytes, maxBytes }) => bytes > maxBytes)
  if (large.length > 0)
    throw fieldsFailure(
      'FILE_TOO_LARGE',
      large.map(({ field, maxBytes }) => fieldError(field, 'maxBytes', fieldText('bytesAtMost', { most: maxBytes }))),
    )
  return files
}
