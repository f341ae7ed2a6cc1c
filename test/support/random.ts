/** Reproducible random numbers, and seeds for the tests that kill processes. */

export type Random = () => number

/** A linear congruential generator of numbers from 0 to 1 (Numerical Recipes, 7.1.4). */
export function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** @returns a whole number from 0 to `below` - 1 */
export const whole = (random: Random, below: number): number => Math.floor(random() * below)

/**
 * The seed of random tests: TEST_SEED, which `npm test` sets, or a new one. A test prints it, so that a failure can be
 * replayed.
 */
export const testSeed = Number(process.env.TEST_SEED || whole(Math.random, 2 ** 31))

/**
 * Random numbers for a test that kills processes. The seed of the run is printed: with the same seed every loop makes
 * the same choices in the same order. The timing of the kernel and of other processes differs, so a rare failure may
 * need several runs.
 * @returns a function that creates a generator for a named loop, one for each concurrent loop
 */
export function killRandom(test: string): (loop: string | number) => Random {
  process.stderr.write(`${test}: replay with TEST_SEED=${testSeed}\n`)
  return (loop) => seeded(Bun.hash.crc32(`${testSeed} ${test} ${loop}`))
}
