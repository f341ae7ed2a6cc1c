/**
 * Refuses duplicate parameters and headers before routing: rights would be checked for one value, and a handler or a
 * proxy could use the other. Duplicate form fields are refused while they are read (upload.ts).
 */
import { type AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'

/** Parameters that are lists on every route that has them. */
const LISTS: ReadonlySet<string> = new Set(['channel'])

/**
 * Headers that identify the caller, the owner and a retry. Their values contain no commas, which join repeated headers.
 */
const DECIDING = [
  'Authorization',
  'X-Api-Key',
  'X-Api-Secret',
  'X-Api-User',
  'X-Operator',
  'X-Enterprise',
  'X-CSRF-Token',
  'Idempotency-Key',
]

export const sentTwice = (field: string): AppError => invalidField(field, 'once', fieldText('once'))

/** @throws AppError VALIDATION_FAILED */
export function refuseHeaderTwice(headers: Headers, name: string): void {
  if (headers.get(name)?.includes(',') === true) throw sentTwice(name)
}

/** @throws AppError VALIDATION_FAILED that names the first parameter or header that was sent twice */
export function refuseSentTwice({ url, headers }: Request): void {
  for (const name of DECIDING) refuseHeaderTwice(headers, name)
  const start = url.indexOf('?')
  if (start < 0 || !url.includes('&', start)) return
  const seen = new Set<string>()
  for (const name of new URLSearchParams(url.slice(start)).keys()) {
    if (seen.has(name) && !LISTS.has(name)) throw sentTwice(`query.${name}`)
    seen.add(name)
  }
}
