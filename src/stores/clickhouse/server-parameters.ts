/** Decides whether a statement's parameters are sent to a ClickHouse server in the URL or in the statement. */
import type { Settings } from './client.ts'
import { parameterText, quoted } from './values.ts'

type Statement = { query: string; params: Record<string, unknown>; settings: Settings }
type Sent = { query: string; query_params: Record<string, unknown>; clickhouse_settings: Settings }

/**
 * Limit of all values in a URL. Servers and proxies reject long URLs: ClickHouse above 1 MB, many proxies above 8 kB.
 */
const MAX_URL_CHARACTERS = 4_000
const PARAMETER = /\{(\w+):([^{}]+)\}/g

/**
 * The client sends parameters in the URL. When they are too long for it, each becomes part of the statement, as the cast
 * that ClickHouse itself puts in its place.
 */
export function sendable({ query, params, settings }: Statement): Sent {
  const texts = new Map(Object.entries(params).map(([name, value]) => [name, parameterText(value)]))
  let length = 0
  for (const text of texts.values()) length += text.length
  if (length <= MAX_URL_CHARACTERS) return { query, query_params: params, clickhouse_settings: settings }
  const whole = query.replace(PARAMETER, (written, name: string, type: string) => {
    if (!texts.has(name)) return written
    const value = params[name]
    return `_CAST(${quoted(typeof value === 'string' ? value : (texts.get(name) as string))}, ${quoted(type)})`
  })
  // in bytes, at most four for each UTF-16 unit
  return {
    query: whole,
    query_params: {},
    clickhouse_settings: { ...settings, max_query_size: String(whole.length * 4) },
  }
}
