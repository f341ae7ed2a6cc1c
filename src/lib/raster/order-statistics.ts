/** Figures that need values in order: how often each occurs, and which stands in the middle. */

/** Fed with distinct values in ascending order, each with how often it occurs. */
export class OrderFigures {
  variety = 0
  majority = Number.NaN
  minority = Number.NaN
  private most = 0
  private least = Infinity
  private seen = 0
  private lower = Number.NaN
  private upper = Number.NaN
  private readonly total: number

  /** @param total of all values that will come */
  constructor(total: number) {
    this.total = total
  }

  /** Of an even number of values the mean of the two in the middle. */
  get median(): number {
    const sum = this.lower + this.upper
    // the sum of two values near the largest number overflows
    return Number.isFinite(sum) ? sum / 2 : this.lower / 2 + this.upper / 2
  }

  add(value: number, count: number): void {
    this.variety++
    // of values that occur equally often the smallest stands
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

  /** @param values are sorted in place */
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

/** Goes over all values of something too large to hold. */
export type Scan = (take: (value: number) => void) => Promise<void>

const BINS = 65_536

/**
 * The same of more values than may be held: they are counted by ranges first, and then gathered range by range, each
 * as many as fit.
 * @param min the least value, and `max` the greatest
 * @param maxHeld values that may be held at a time
 */
export async function figuresByRanges(
  figures: OrderFigures,
  scan: Scan,
  min: number,
  max: number,
  total: number,
  maxHeld: number,
): Promise<void> {
  if (min === max) {
    figures.add(min, total)
    return
  }
  // the range of all numbers is no number: such values are halved first
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
      if (held > 0) figures.addAll(await gathered(scan, binOf, from, to, held))
      from = to
      continue
    }
    // one range alone is too much: it is parted further between what really lies in it
    const within: Scan = (take) =>
      scan((value) => {
        if (binOf(value) === to) take(value)
      })
    let [low, high] = [Infinity, -Infinity]
    await within((value) => {
      if (value < low) low = value
      if (value > high) high = value
    })
    await figuresByRanges(figures, within, low, high, counts[to] as number, maxHeld)
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
