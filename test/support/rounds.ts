/**
 * How often random work is repeated: a few times in `npm test`, in full in `npm run test:long`. Repetition only adds
 * confidence; the assertions are the same in both.
 */
import { type Random, seeded, testSeed, whole } from './random.ts'

export const isLong = process.env.TEST_LONG === '1'

export const rounds = (few: number, full: number): number => (isLong ? full : few)

let samples = 0

/**
 * A few of the items in their order, others in each run of `npm test`; all of them in `npm run test:long`. With the seed
 * that is printed a file takes the same ones again.
 */
export function sampleOf<T>(items: readonly T[], few: number): T[] {
  if (samples === 0 && !isLong) process.stderr.write(`replay with TEST_SEED=${testSeed}\n`)
  return someOf(items, few, seeded(Bun.hash.crc32(`${testSeed} ${samples++}`)))
}

/** As many of the items as given, in their order; all of them in `npm run test:long`. */
export function someOf<T>(items: readonly T[], few: number, random: Random): T[] {
  const left = [...items]
  while (!isLong && left.length > few) left.splice(whole(random, left.length), 1)
  return left
}
