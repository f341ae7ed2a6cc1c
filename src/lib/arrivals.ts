/** A file that is still being written while it is read. */
export type Arrivals = {
  /** The most bytes that it can have. */
  maxBytes: number
  /**
   * Resolves with what has arrived once that is more than `bytes`, or the file is whole.
   * @throws when the rest is no longer awaited
   */
  after(bytes: number): Promise<Arrived>
}

export type Arrived = { bytes: number; isWhole: boolean }
