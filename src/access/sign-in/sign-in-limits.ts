/**
 * Limits of sign-in attempts per address, and per address and account; shared by instances. Attempts from other
 * addresses do not count, so nobody can lock a person out. A browser in which the person has signed in before has its
 * own count, which excludes other callers at its address.
 */
import { AppError } from '../../errors.ts'
import { sha256Hex } from '../keys/keys.ts'
import type { RateWindows } from '../rate-windows.ts'

const WINDOW_MS = 600_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Mails to one address in an hour. */
const MAILS = 5
/** Mails of an enterprise in a day. */
const ENTERPRISE_MAILS = 200

export type SignInLimits = {
  /** Counts opening and using links, too. @throws AppError SIGN_IN_LIMITED */
  checkAddress(address: string): Promise<void>
  /** Whether or not there is such an account. @throws AppError SIGN_IN_LIMITED */
  checkAccount(email: string, address: string): Promise<void>
  /** @param device of the cookie (session-cookie.ts) @throws AppError SIGN_IN_LIMITED */
  checkDevice(device: string): Promise<void>
  /** Changes of the password, which need the current one. @throws AppError SIGN_IN_LIMITED */
  checkPassword(accountId: string): Promise<void>
  /** Mails that anybody can request. @throws AppError SIGN_IN_LIMITED */
  checkMail(email: string): Promise<void>
  /** Whether a link that somebody made may be sent; it counts together with mails that anybody can request. */
  allowsMail(email: string, enterpriseId: string | undefined): Promise<boolean>
}

export function createSignInLimits(
  windows: RateWindows,
  { perAddress, perAccount }: { perAddress: number; perAccount: number },
): SignInLimits {
  async function take(key: string, limit: number, windowMs: number): Promise<void> {
    const waitMs = await windows.take(key, 1, limit, windowMs)
    if (waitMs > 0) throw new AppError('SIGN_IN_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
  }
  // addresses of people must not be stored in another program, Redis
  const nameOf = (email: string): string => sha256Hex(email).slice(0, 32)
  return {
    checkAddress: (address) => take(`sign-in-address:${address}`, perAddress, WINDOW_MS),
    checkAccount: (email, address) => take(`sign-in-account:${nameOf(email)} ${address}`, perAccount, WINDOW_MS),
    checkDevice: (device) => take(`sign-in-device:${device}`, perAccount, WINDOW_MS),
    checkPassword: (accountId) => take(`sign-in-password:${accountId}`, perAccount, WINDOW_MS),
    checkMail: (email) => take(`sign-in-mail:${nameOf(email)}`, MAILS, HOUR_MS),
    async allowsMail(email, enterpriseId) {
      if ((await windows.take(`sign-in-mail:${nameOf(email)}`, 1, MAILS, HOUR_MS)) > 0) return false
      if (enterpriseId === undefined) return true
      return (await windows.take(`enterprise-mail:${enterpriseId}`, 1, ENTERPRISE_MAILS, DAY_MS)) === 0
    },
  }
}
