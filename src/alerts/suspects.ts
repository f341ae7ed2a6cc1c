/** Finds a segment that makes judging fail again and again: after a failure, segments are judged one at a time. */
import type { RetainedSegment } from './retained-segments.ts'

export type Suspects = {
  /** The first segments, as many as one call takes. */
  limit(segments: readonly RetainedSegment[], mostBytes: number): RetainedSegment[]
  /** All segments up to this one were judged. */
  passed(sequence: number): void
  /** @returns the segment that has failed too often */
  failed(segments: readonly RetainedSegment[]): RetainedSegment | undefined
}

export function createSuspects(maxFailures: number): Suspects {
  let through = 0
  let single: { sequence: number; failures: number } | undefined
  let passedThrough = 0

  return {
    limit(segments, mostBytes) {
      if (through > passedThrough) return segments.slice(0, 1)
      let bytes = 0
      return segments.filter((segment, i) => {
        bytes += segment.bytes
        return i === 0 || bytes <= mostBytes
      })
    },
    passed(sequence) {
      passedThrough = sequence
    },
    failed(segments) {
      const [first] = segments
      const last = segments.at(-1)
      if (first === undefined || last === undefined) return undefined
      through = Math.max(through, last.sequence)
      passedThrough = Math.min(passedThrough, first.sequence - 1)
      if (first !== last) return undefined
      const failures = single?.sequence === first.sequence ? single.failures + 1 : 1
      single = { sequence: first.sequence, failures }
      return failures >= maxFailures ? first : undefined
    },
  }
}
