/** Which headers a destination may add. */
import { validateHeaderName, validateHeaderValue } from 'node:http'

const REFUSED = ['host', 'content-length', 'transfer-encoding', 'connection']

/** @returns what is wrong with a header; undefined if nothing is */
export function headerProblem(name: string, value: string): string | undefined {
  const lower = name.toLowerCase()
  if (REFUSED.includes(lower) || lower.startsWith('webhook-')) return `must not have ${name}, which the server sets`
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch {
    return `must have names and values that HTTP allows; ${JSON.stringify(name)} does not`
  }
  return undefined
}
