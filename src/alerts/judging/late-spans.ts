/** Collects late readings, as spans of time for each sensor and the rules for which they are late. */
import type { LateSpan } from '../protocol.ts'

/** A longer gap between late readings of a sensor begins a new span. */
const GAP_MS = 600_000

export class LateSpans {
  /** The newest span of each sensor and list of rules. */
  private readonly open = new Map<string, LateSpan>()
  readonly list: LateSpan[] = []

  add(sensor: number, rules: string[], atMs: number): void {
    const key = `${sensor} ${rules.join()}`
    const span = this.open.get(key)
    if (span !== undefined && atMs <= span.lastMs + GAP_MS && atMs >= span.firstMs - GAP_MS) {
      span.firstMs = Math.min(span.firstMs, atMs)
      span.lastMs = Math.max(span.lastMs, atMs)
      return
    }
    const next = { sensor, rules, firstMs: atMs, lastMs: atMs }
    this.open.set(key, next)
    this.list.push(next)
  }
}
