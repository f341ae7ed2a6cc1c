/**
 * Histogram of durations in fixed buckets: counts of instances, hours and days can be summed, and percentiles read from
 * the sum.
 */

/** Each bucket ends 2^(1/4) times later than the one before: a percentile is at most 19 % off, usually less than 9 %. */
const PER_DOUBLING = 4
/** Number of buckets; the last one begins after half an hour. */
const BUCKETS = 85

/** Bucket 0 is below a millisecond, bucket i from 2^((i - 1) / 4) ms to 2^(i / 4) ms. */
export function bucketOf(ms: number): number {
  if (!(ms >= 1)) return 0
  return Math.min(BUCKETS - 1, Math.floor(Math.log2(ms) * PER_DOUBLING) + 1)
}

/** Adds counts to others, which grow as needed. */
export function addCounts(sum: number[], counts: readonly number[]): void {
  for (const [i, count] of counts.entries()) sum[i] = (sum[i] ?? 0) + count
}

/** Adds one duration. */
export function countDuration(counts: number[], ms: number): void {
  const bucket = bucketOf(ms)
  while (counts.length <= bucket) counts.push(0)
  counts[bucket] = (counts[bucket] ?? 0) + 1
}

const startOf = (bucket: number): number => (bucket === 0 ? 0 : 2 ** ((bucket - 1) / PER_DOUBLING))
const endOf = (bucket: number): number => 2 ** (bucket / PER_DOUBLING)

/**
 * A percentile in milliseconds, interpolated linearly within its bucket; undefined without calls.
 * @param longestMs the longest duration, which no percentile exceeds
 */
export function percentile(counts: readonly number[], share: number, longestMs: number): number | undefined {
  const calls = counts.reduce((sum, count) => sum + count, 0)
  if (calls === 0) return undefined
  const wanted = Math.max(1, Math.ceil(calls * share))
  let before = 0
  for (const [i, count] of counts.entries()) {
    if (before + count >= wanted) {
      const part = (wanted - before) / count
      return Math.min(longestMs, startOf(i) + (endOf(i) - startOf(i)) * part)
    }
    before += count
  }
  return longestMs
}
