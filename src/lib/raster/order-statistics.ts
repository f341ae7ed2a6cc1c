/**
 * Statistics that need sorted values: median, most and least frequent value, number of distinct values. Values that do
 * not fit in memory are first counted by range, and then sorted in groups of as many ranges as fit.
 */

/** Receives distinct values in ascending order, each with its number of occurrences. */
export class OrderStatistics {
  variety = 0
  majority = Number.NaN
  minority = Number.NaN
  private most = 0
  private least = Infinity
  private seen = 0
  private lower = Number.NaN
  private upper = Number.NaN
  private readonly total: number

  /** @param total number of values that will be added */
  constructor(total: number) {
    this.total = total
  }

  /** The mean of the two middle values when their number is even. */
  get median(): number {
    const sum = this.lower + this.upper
    // the sum of two very large values overflows
    return Number.isFinite(sum) ? sum / 2 : this.lower / 2 + this.upper / 2
  }

  add(value: number, count: number): void {
    this.variety++
    // of equally frequent values, the smallest counts
    if (count > this.most) {
      this.most = count
      this.majority = value
    }
    if (count < this.least) {
      this.least = count
      this.minority = value
    }
    const [first, last] = [this.seen, this.seen + count]
    const [low, high] = [Math.floor((this.total - 1) / 2), Math.floor(this.total / 2)]
    if (low >= first && low < last) this.lower = value
    if (high >= first && high < last) this.upper = value
    this.seen = last
  }

  /** @param values sorted in place */
  addAll(values: Float32Array | Float64Array): void {
    values.sort()
    for (let i = 0; i < values.length; ) {
      const value = values[i] as number
      let end = i + 1
      while (end < values.length && values[end] === value) end++
      this.add(value, end - i)
      i = end
    }
  }
}

/** Visits all values of a source that does not fit in memory. */
export type Scan = (take: (value: number) => void) => Promise<void>

const BINS = 65_536

/**
 * Computes the same statistics for more values than fit in memory.
 * @param min smallest value, and `max` the largest
 * @param maxHeld maximum number of values held at a time
 */
export async function orderStatisticsByRanges(
  statistics: OrderStatistics,
  scan: Scan,
  min: number,
  max: number,
  total: number,
  maxHeld: number,
): Promise<void> {
  if (min === max) {
    statistics.add(min, total)
    return
  }
  // the range of the largest values overflows, so they are halved first
  const scale = max - min === Infinity ? 0.5 : 1
  const [start, width] = [min * scale, max * scale - min * scale]
  const binOf = (value: number): number => Math.min(BINS - 1, Math.floor(((value * scale - start) / width) * BINS))
  const counts = new Float64Array(BINS)
  await scan((value) => {
    const bin = binOf(value)
    counts[bin] = (counts[bin] as number) + 1
  })
  for (let from = 0; from < BINS; ) {
    let [to, held] = [from, 0]
    while (to < BINS && held + (counts[to] as number) <= maxHeld) held += counts[to++] as number
    if (to > from) {
      if (held > 0) statistics.addAll(await gathered(scan, binOf, from, to, held))
      from = to
      continue
    }
    // a single range does not fit: divide it further, between its own smallest and largest value
    const within: Scan = (take) =>
      scan((value) => {
        if (binOf(value) === to) take(value)
      })
    let [low, high] = [Infinity, -Infinity]
    await within((value) => {
      if (value < low) low = value
      if (value > high) high = value
    })
    await orderStatisticsByRanges(statistics, within, low, high, counts[to] as number, maxHeld)
    from = to + 1
  }
}

async function gathered(
  scan: Scan,
  binOf: (value: number) => number,
  from: number,
  to: number,
  count: number,
): Promise<Float64Array> {
  const values = new Float64Array(count)
  let at = 0
  await scan((value) => {
    const bin = binOf(value)
    if (bin >= from && bin < to) values[at++] = value
  })
  return values
}
