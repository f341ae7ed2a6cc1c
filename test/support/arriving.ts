/** Files that grow while they are read. */
import { appendFileSync, writeFileSync } from 'node:fs'
import type { Arrivals } from '../../src/lib/arrivals.ts'

/**
 * Writes pieces of the content to a file, the next one when more is asked for.
 * @param lengths of the pieces; what they leave is the last one
 */
export function arriving(path: string, content: Uint8Array, lengths: readonly number[]): Arrivals {
  writeFileSync(path, '')
  const ends = lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, length) => sum + length, 0))
  const pieces = [...ends.filter((end) => end < content.length), content.length]
  let bytes = 0
  return {
    // a form has more bytes than its file
    maxBytes: content.length + 300,
    async after(count) {
      while (bytes <= count && pieces.length > 0) {
        const end = pieces.shift() as number
        appendFileSync(path, content.subarray(bytes, end))
        bytes = end
      }
      return { bytes, isWhole: bytes === content.length }
    },
  }
}
