/** Which headers a destination may add. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { FieldText } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'

const REFUSED = ['host', 'content-length', 'transfer-encoding', 'connection']

/** @returns what is wrong with a header; undefined if nothing is */
export function headerProblem(name: string, value: string): FieldText | undefined {
  const lower = name.toLowerCase()
  if (REFUSED.includes(lower) || lower.startsWith('webhook-')) return fieldText('headerOfServer', { name })
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch {
    return fieldText('headerAllowed', { name: JSON.stringify(name) })
  }
  return undefined
}
