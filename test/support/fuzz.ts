/**
 * Property tests and mutation fuzzing that can be repeated. The seed of a test file is printed before its first test:
 *   TEST_SEED=… bun test <file>                         runs the same cases again
 *   TEST_SEED=… FUZZ_PATH=… bun test <file> -t <name>   runs only the failing case, by the path that fast-check prints
 *   FUZZ_FACTOR=50 bun test <file>                      runs 50 times as many cases
 * `npm test` runs a tenth of the cases, `npm run test:long` all of them.
 */
import fc from 'fast-check'
import { InputError } from '../../src/lib/input-error.ts'
import { testSeed } from './random.ts'
import { isLong } from './rounds.ts'

const { FUZZ_PATH = '', FUZZ_FACTOR = isLong ? '1' : '0.1' } = process.env
/**
 * Cases of the shortest run of a property: fewer would not reach the minimum counts of rare cases that tests assert.
 */
const FEWEST = 500

process.stderr.write(`replay with TEST_SEED=${testSeed}\n`)

/** Parameters of fast-check for a number of cases. */
export function runs(count: number): { numRuns: number; seed: number; path?: string; endOnFailure?: boolean } {
  const numRuns = Math.max(Math.ceil(count * Number(FUZZ_FACTOR)), Math.min(count, FEWEST))
  return { numRuns, seed: testSeed, ...(FUZZ_PATH !== '' && { path: FUZZ_PATH, endOnFailure: true }) }
}

/** A number of evenly distributed values, for checks that are cheaper on all values together. */
export const sampled = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] =>
  fc.sample(fc.noBias(arbitrary), { numRuns: count, seed: testSeed })

/** Values that are critical as lengths, counts and offsets. */
const CRITICAL = [
  0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 127, 128, 255, 256, 1023, 1024, 4096, 32_767, 32_768, 65_535, 65_536,
  0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff,
]

type Edit = (bytes: Buffer<ArrayBuffer>) => Buffer<ArrayBuffer>

/** A position in a file of any length; most of the important ones are at its beginning. */
const place = fc.oneof(
  { weight: 2, arbitrary: fc.nat({ max: 127 }) },
  { weight: 3, arbitrary: fc.nat({ max: 2 ** 31 - 1 }) },
)
const within = (at: number, bytes: Buffer): number => (bytes.length === 0 ? 0 : at % bytes.length)

const flip = fc.tuple(place, fc.nat({ max: 7 })).map(
  ([at, bit]): Edit =>
    (bytes) => {
      const i = within(at, bytes)
      if (i < bytes.length) bytes[i] = (bytes[i] as number) ^ (1 << bit)
      return bytes
    },
)
const set = fc.tuple(place, fc.nat({ max: 255 })).map(
  ([at, value]): Edit =>
    (bytes) => {
      const i = within(at, bytes)
      if (i < bytes.length) bytes[i] = value
      return bytes
    },
)
const critical = fc.tuple(place, fc.constantFrom(...CRITICAL), fc.constantFrom(2, 4, 8), fc.boolean()).map(
  ([at, value, width, little]): Edit =>
    (bytes) => {
      const i = within(at, bytes)
      if (i + width > bytes.length) return bytes
      const low = width === 2 ? value & 0xffff : value
      if (width === 8) {
        if (little) bytes.writeBigUInt64LE(BigInt(low), i)
        else bytes.writeBigUInt64BE(BigInt(low), i)
      } else if (little) bytes.writeUIntLE(low, i, width)
      else bytes.writeUIntBE(low, i, width)
      return bytes
    },
)
const truncate = place.map(
  (at): Edit =>
    (bytes) =>
      bytes.subarray(0, within(at, bytes)),
)
const remove = fc.tuple(place, fc.integer({ min: 1, max: 64 })).map(
  ([at, count]): Edit =>
    (bytes) => {
      const i = within(at, bytes)
      return Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + count)])
    },
)
const splice = fc.tuple(place, place, fc.integer({ min: 1, max: 64 }), fc.boolean()).map(
  ([from, to, count, over]): Edit =>
    (bytes) => {
      const piece = bytes.subarray(within(from, bytes)).subarray(0, count)
      const i = within(to, bytes)
      return Buffer.concat([bytes.subarray(0, i), piece, bytes.subarray(over ? i + piece.length : i)])
    },
)
const insert = fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 16 })).map(
  ([at, piece]): Edit =>
    (bytes) => {
      const i = within(at, bytes)
      return Buffer.concat([bytes.subarray(0, i), piece, bytes.subarray(i)])
    },
)

const edits = fc.array(fc.oneof(flip, set, critical, critical, truncate, remove, splice, insert), {
  minLength: 1,
  maxLength: 6,
})

/** One of the files with a few bytes changed, truncated, repeated, inserted or removed; never the unchanged file. */
export const mutated = (...files: readonly Uint8Array[]): fc.Arbitrary<Buffer<ArrayBuffer>> =>
  fc
    .tuple(fc.constantFrom(...files), edits)
    .map(([file, list]) => list.reduce((bytes, edit) => edit(bytes), Buffer.from(file)))

/** Maximum processor time for one small broken file; it does not depend on the load of the machine. */
const MAX_MS = 3_000

/**
 * Runs a reader of untrusted files. It must quickly succeed, or fail with an InputError.
 * @returns the result, or undefined when the file was rejected
 */
export async function succeedsOrRejects<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  const before = process.cpuUsage()
  let result: T | undefined
  try {
    result = await read()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
  const { user, system } = process.cpuUsage(before)
  const tookMs = Math.round((user + system) / 1_000)
  if (tookMs > MAX_MS) throw new Error(`it took ${tookMs} ms of processor time`)
  return result
}
