/**
 * A query parameter that is sent twice is refused before routing. Rights would be checked for one of its values and the
 * handler could use the other one.
 */
import { invalidField } from '../errors.ts'

/** Parameters that are lists on every route that has them. */
const LISTS: ReadonlySet<string> = new Set(['channel'])

/** @throws AppError VALIDATION_FAILED that names the first repeated parameter */
export function refuseRepeatedParameters(url: string): void {
  const start = url.indexOf('?')
  if (start < 0 || !url.includes('&', start)) return
  const seen = new Set<string>()
  for (const name of new URLSearchParams(url.slice(start)).keys()) {
    if (seen.has(name) && !LISTS.has(name)) throw invalidField(`query.${name}`, 'unique', 'must be sent only once')
    seen.add(name)
  }
}
