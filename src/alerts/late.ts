/**
 * Judges rules again where late readings belong, behind the live judging. A late reading takes nothing back; what it
 * reveals is an episode of its own.
 */
import type { LateSpan } from './protocol.ts'

export type LateJudging = {
  /**
   * Judges the spans of a segment again. Resolves when what they reveal is stored; until then the segment's file has to
   * stay, so that a kill loses none of it. Spans that are judged twice reveal the same episodes.
   */
  judge(spans: readonly LateSpan[]): Promise<void>
  /** Spans that wait. */
  readonly waiting: number
  stop(): void
}
