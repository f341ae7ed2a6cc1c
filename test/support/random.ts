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
 * Random numbers for a test that kills processes, seeded with KILL_SEED or a new seed. The seed is printed so that a
 * failure can be replayed: with the same seed every loop makes the same choices in the same order. The timing of the
 * kernel and of other processes differs, so a rare failure may need several runs.
 * @returns a function that creates a generator for a named loop, one for each concurrent loop
 */
export function killRandom(test: string): (loop: string | number) => Random {
  const given = process.env.KILL_SEED ?? process.env.TEST_SEED ?? ''
  const seed = given === '' ? whole(Math.random, 2 ** 31) : Number(given)
  if (!Number.isSafeInteger(seed)) throw new Error(`KILL_SEED must be a whole number, not ${given}`)
  process.stderr.write(`${test}: replay with KILL_SEED=${seed}\n`)
  return (loop) => seeded(Bun.hash.crc32(`${seed} ${test} ${loop}`))
}
