/**
 * better-auth's scrypt (N 16384, r 16), which Bun runs on its thread pool: one hash takes 55 ms and 32 MB there, and
 * delays the event loop by at most 3 ms. Concurrency is limited, so that a flood of sign-ins does not exhaust the pool,
 * which the log of readings uses too.
 */
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { AppError } from '../../errors.ts'

export const MIN_PASSWORD = 10
export const MAX_PASSWORD = 256
const AT_ONCE = 2
/** Maximum number of waiting hashes, which take about 3 s. */
const MAX_WAITING = 100

export type PasswordHashing = {
  /** @throws AppError SERVICE_BUSY when too many hashes wait */
  hash(password: string): Promise<string>
  /** @param hash of an unknown account, undefined: the answer is false, after the same time */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

export function createPasswordHashing(): PasswordHashing {
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < AT_ONCE) running++
    else if (waiting.length < MAX_WAITING) await new Promise<void>((turn) => waiting.push(turn))
    else throw new AppError('SERVICE_BUSY')
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // hands the slot to the next waiter
      if (next !== undefined) next()
      else running--
    }
  }

  return {
    hash: (password) => inTurn(() => hashPassword(password)),
    verify: (password, hash) =>
      inTurn(async () => {
        if (hash !== undefined) return verifyPassword({ hash, password })
        await hashPassword(password)
        return false
      }),
  }
}
