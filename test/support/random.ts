/** Random choices that can be repeated: a generator for a seed, and the seed of a test that kills processes. */

export type Random = () => number

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator; Numerical Recipes, 7.1.4). */
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
 * The random choices of a test that kills processes: from KILL_SEED when it is set, from a new seed otherwise. The
 * seed is printed because a failure needs it: with the same seed every loop makes the same choices in the same order.
 * The timing of the kernel and of other processes is not repeated, so a rare failure may need several runs.
 * @returns a generator for each loop that runs at the same time as others, by its name
 */
export function killRandom(test: string): (loop: string | number) => Random {
  const given = process.env.KILL_SEED ?? ''
  const seed = given === '' ? whole(Math.random, 2 ** 31) : Number(given)
  if (!Number.isSafeInteger(seed)) throw new Error(`KILL_SEED must be a whole number, not ${given}`)
  process.stderr.write(`${test}: replay with KILL_SEED=${seed}\n`)
  return (loop) => seeded(Bun.hash.crc32(`${seed} ${test} ${loop}`))
}
