/**
 * Links that visitors request for their own address. The answer is given before any lookup, and is the same whether or
 * not the address has an account.
 */
import { AppError } from '../../errors.ts'
import { findAccountByEmail } from '../../stores/postgres/accounts/accounts.ts'
import type { Maker } from '../../stores/postgres/accounts/one-time-links.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { Peer } from '../keys/key-failures.ts'
import { normalizedEmail } from '../sign-in/email-address.ts'
import type { SignInLimits } from '../sign-in/sign-in-limits.ts'
import type { Mail } from './mail.ts'
import { type OneTimeLinks, welcomePath } from './one-time-links.ts'

export type MailRequests = {
  /** @throws AppError MAIL_UNAVAILABLE, SIGN_IN_LIMITED, VALIDATION_FAILED */
  reset(email: string, peer: Peer): Promise<void>
  /** @throws AppError SIGN_UP_CLOSED, SIGN_IN_LIMITED, VALIDATION_FAILED */
  signUp(email: string, peer: Peer): Promise<void>
}

export type MailRequestDeps = {
  db: Database
  links: OneTimeLinks
  limits: SignInLimits
  /** Undefined for a server that sends no mail. */
  mail: Mail | undefined
  publicUrl: string | undefined
  isSignUpOpen: boolean
  onError(error: unknown): void
}

/** Such links are available to anybody who can read the mail of the address. */
const reader = (email: string): Maker => ({ actor: `account ${email}`, role: 'server' })

export function createMailRequests(deps: MailRequestDeps): MailRequests {
  const { db, links, limits, mail, publicUrl, isSignUpOpen, onError } = deps

  async function resetLink(email: string, sender: Mail): Promise<void> {
    const account = await findAccountByEmail(db, email)
    if (account === undefined) return
    const input = { kind: 'reset', email, accountId: account.id, mailedOnly: true } as const
    const { token } = await links.make(reader(email), input)
    sender.send(email, { kind: 'reset', url: publicUrl + welcomePath(token) })
  }

  async function signUpLink(email: string, sender: Mail): Promise<void> {
    if ((await findAccountByEmail(db, email)) !== undefined)
      return sender.send(email, { kind: 'account-exists', url: `${publicUrl}/portal/sign-in` })
    const { token } = await links.make(reader(email), { kind: 'sign-up', email, mailedOnly: true })
    sender.send(email, { kind: 'sign-up', url: publicUrl + welcomePath(token) })
  }

  async function accept(text: string, peer: Peer, work: (email: string, sender: Mail) => Promise<void>) {
    if (mail === undefined) throw new AppError('MAIL_UNAVAILABLE')
    const email = normalizedEmail(text, 'body.email')
    await limits.checkAddress(peer.address())
    await limits.checkMail(email)
    // not awaited: the time of the answer would reveal whether there is an account
    work(email, mail).catch(onError)
  }

  return {
    reset: (email, peer) => accept(email, peer, resetLink),
    async signUp(email, peer) {
      if (!isSignUpOpen) throw new AppError('SIGN_UP_CLOSED')
      await accept(email, peer, signUpLink)
    },
  }
}
