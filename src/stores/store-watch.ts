/**
 * Measures calls of stores, and records spans for calls that belong to a trace, by OpenTelemetry's conventions for
 * databases. Statements and their parameters are not recorded: they may contain callers' data.
 */
import { type Attributes, endFailed, SPAN_KIND, tracing } from '../tracing.ts'

export type StoreName = 'postgres' | 'clickhouse' | 'redis' | 'files'
/** @param operation one of a few fixed words */
export type OnStoreCall = (store: StoreName, operation: string, durationMs: number, error: unknown) => void

type Described = { name: string; attributes: Attributes }

/** @param describe is called for traced calls only */
export async function watchCall<T>(
  onCall: OnStoreCall,
  store: StoreName,
  operation: string,
  describe: () => Described,
  work: () => Promise<T>,
): Promise<T> {
  const { on } = tracing
  const span = on?.current() === undefined ? undefined : startSpan(describe())
  const startedMs = performance.now()
  try {
    const result = await (on === undefined || span === undefined ? work() : on.within(span, work))
    span?.end()
    onCall(store, operation, performance.now() - startedMs, undefined)
    return result
  } catch (error) {
    endFailed(span, error)
    onCall(store, operation, performance.now() - startedMs, error)
    throw error
  }
}

const startSpan = ({ name, attributes }: Described) => tracing.on?.start(name, { kind: SPAN_KIND.client, attributes })

const VERB = /^\s*(?:with\b[\s\S]*?\)\s*(?=select|insert|update|delete))?(\w+)/i
/** Columns may follow the table of an insert in brackets; elsewhere a bracket follows a function. */
const TARGET = /\b(?:into|update)\s+"?([a-z_][a-z_0-9]*)|\b(?:from|table|join)\s+"?([a-z_][a-z_0-9]*)\b"?(?!\s*\()/i

/** The words that may be labels: all others are `other`. */
const VERBS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])
export const verbOf = (statement: string): string => {
  const verb = VERB.exec(statement)?.[1]?.toUpperCase() ?? ''
  return VERBS.has(verb) ? verb : 'OTHER'
}

/** `SELECT sensors`: a statement's verb and table, without its values. */
export function describeStatement(system: 'postgresql' | 'clickhouse', statement: string): Described {
  const verb = verbOf(statement)
  const [, written, read] = TARGET.exec(statement) ?? []
  const table = written ?? read
  const summary = table === undefined ? verb : `${verb} ${table}`
  return {
    name: summary,
    attributes: {
      'db.system.name': system,
      'db.operation.name': verb,
      'db.query.summary': summary,
      ...(table !== undefined && { 'db.collection.name': table }),
    },
  }
}
