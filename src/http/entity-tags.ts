/** Entity tags of records, by which concurrent edits are detected (RFC 9110, 13.1.1). */
import { AppError } from '../errors.ts'
import { succeed } from './envelope.ts'

/** Members that change without an edit of the record: keys are used, limits follow the tier, and deliveries fail. */
const IGNORED = new Set(['keys', 'limits', 'health'])

/** The tag of a record's state. */
export function etagOf(record: object): string {
  const text = JSON.stringify(record, (name, value: unknown) => (IGNORED.has(name) ? undefined : value))
  return `"${new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)}"`
}

/** Answers with a record and its tag. @param data the record and the other members of the answer */
export function succeedWithTag(request: Request, record: object, data: object = record): Response {
  const response = succeed(request, data)
  response.headers.set('etag', etagOf(record))
  return response
}

/** The tags of `If-Match`; undefined without the header, and for `*`, which any record that exists matches. */
export function tagsToMatch(request: Request): string[] | undefined {
  const header = request.headers.get('if-match')?.trim()
  return header === undefined || header === '*' ? undefined : header.split(',').map((tag) => tag.trim())
}

/** @throws AppError PRECONDITION_FAILED with the current record */
export function requireMatch(tags: readonly string[], record: object): void {
  const etag = etagOf(record)
  if (!tags.includes(etag)) throw new AppError('PRECONDITION_FAILED', { current: { data: record, etag } })
}

/**
 * Compares a record with the state that the caller saw. Without `If-Match`, any state matches.
 * @param jsonOf the record as answers have it
 * @returns throws PRECONDITION_FAILED for another state; undefined without `If-Match`
 */
export function seenBy<T>(request: Request, jsonOf: (record: T) => object): ((record: T) => void) | undefined {
  const tags = tagsToMatch(request)
  return tags && ((record) => requireMatch(tags, jsonOf(record)))
}
