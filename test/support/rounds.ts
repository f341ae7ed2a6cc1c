/**
 * How often random work is repeated: a few times in `npm test`, in full in `npm run test:long`. Repetition only adds
 * confidence; what a test asserts is the same in both.
 */
import { seeded } from './random.ts'

export const isLong = process.env.TEST_LONG === '1'

export const rounds = (few: number, full: number): number => (isLong ? full : few)

const { TEST_SEED = '' } = process.env
const seed = TEST_SEED === '' ? Math.floor(Math.random() * 2 ** 31) : Number(TEST_SEED)
let samples = 0

/**
 * A few of the items in their order, others in each run of `npm test`; all of them in `npm run test:long`. With the seed
 * that is printed a file takes the same ones again.
 */
export function sampleOf<T>(items: readonly T[], few: number): T[] {
  if (isLong || few >= items.length) return [...items]
  if (samples === 0) process.stderr.write(`replay with TEST_SEED=${seed}\n`)
  const random = seeded(Bun.hash.crc32(`${seed} ${samples++}`))
  const ranks = items.map(() => random())
  const last = ranks.toSorted((a, b) => a - b)[few] ?? 1
  return items.filter((_, i) => (ranks[i] ?? 1) < last)
}
