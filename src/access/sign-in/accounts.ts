/** Accounts of the portal: signing in and out, passwords, sessions. */

import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Changes } from '../../stores/changes.ts'
import { actorOf } from '../../stores/postgres/accounts/account-roles.ts'
import type { Preferences } from '../../stores/postgres/accounts/account-schema.ts'
import * as store from '../../stores/postgres/accounts/accounts.ts'
import { recordChange } from '../../stores/postgres/accounts/audit.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeyFailures, Peer } from '../keys/key-failures.ts'
import type { Session } from '../sessions/session.ts'
import { deviceOf } from '../sessions/session-cookie.ts'
import type { AuthLibrary } from './auth-library.ts'
import { normalizedEmail } from './email-address.ts'
import type { PasswordHashing } from './password-hashing.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/** Address and browser of a session, for the list of sessions. */
export type Place = { address: string; userAgent: string | null }

export type Accounts = {
  /**
   * @returns the token of a new session
   * @throws AppError SIGN_IN_REFUSED (no such account or wrong password: one answer, in one time), SIGN_IN_LIMITED,
   *   KEY_FAILURES_LIMITED
   */
  signIn(credentials: { email: string; password: string }, peer: Peer, isSecure: boolean): Promise<string>
  /** The token of a new session of an account that was authenticated in another way. */
  startSession(accountId: string, place: Place): Promise<string>
  /** Records a sign-in that was made by the method `how`. */
  noteSignIn(session: Session, how: string, place: Place): Promise<void>
  signOut(session: Session): Promise<void>
  signOutEverywhere(session: Session): Promise<void>
  /** @throws AppError NOT_FOUND */
  endSession(session: Session, id: string): Promise<void>
  listSessions(session: Session): ReturnType<typeof store.listSessions>
  /** Ends all sessions. @returns the token of a new one @throws AppError VALIDATION_FAILED, SIGN_IN_LIMITED */
  changePassword(session: Session, change: { current: string; password: string }, place: Place): Promise<string>
  /** Changes the name, and the named preferences. */
  change(session: Session, change: { name?: string | undefined; preferences?: Preferences | undefined }): Promise<void>
}

export type AccountsDeps = {
  db: Database
  changes: Changes
  library: AuthLibrary
  hashing: PasswordHashing
  limits: SignInLimits
  /** Signs cookies. */
  secret: string
  failures: KeyFailures
}

const MAX_USER_AGENT = 300

export const placeOf = (peer: Peer): Place => ({
  address: peer.address(),
  userAgent: peer.headers.get('user-agent')?.slice(0, MAX_USER_AGENT) ?? null,
})

export function createAccounts({ db, changes, library, hashing, limits, secret, failures }: AccountsDeps): Accounts {
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'account', id })

  async function startSession(accountId: string, { address, userAgent }: Place): Promise<string> {
    const { internalAdapter } = await library.$context
    const { token } = await internalAdapter.createSession(accountId, false, { ipAddress: address, userAgent })
    return token
  }

  async function recordSignOut(session: Session, after: object): Promise<void> {
    await recordChange(db, {
      actor: actorOf(session),
      action: 'sign-out',
      kind: 'account',
      id: session.accountId,
      before: null,
      after,
    })
    await changed(session.accountId)
  }

  return {
    startSession,
    async signIn(credentials, peer, isSecure) {
      const startedMs = performance.now()
      const email = normalizedEmail(credentials.email, 'body.email')
      const device = deviceOf(peer.headers, email, { secret, isSecure })
      if (device === undefined) {
        await limits.checkAddress(peer.address())
        await limits.checkAccount(email, peer.address())
      } else await limits.checkDevice(device)
      const account = await store.findAccountByEmail(db, email)
      const hash = account && (await store.findPasswordHash(db, account.id))
      const matches = await hashing.verify(credentials.password, hash)
      if (account === undefined || !matches) return failures.refuse('sign-in', peer, startedMs, 'SIGN_IN_REFUSED')
      const place = placeOf(peer)
      const token = await startSession(account.id, place)
      await recordChange(db, {
        actor: actorOf(account),
        action: 'sign-in',
        kind: 'account',
        id: account.id,
        before: null,
        after: { with: 'password', address: place.address },
      })
      return token
    },
    async noteSignIn(session, how, { address }) {
      await recordChange(db, {
        actor: actorOf(session),
        action: 'sign-in',
        kind: 'account',
        id: session.accountId,
        before: null,
        after: { with: how, address },
      })
    },
    async signOut(session) {
      await store.deleteSession(db, session.accountId, session.id)
      await recordSignOut(session, { sessions: 1 })
    },
    async signOutEverywhere(session) {
      const sessions = await store.deleteSessions(db, session.accountId)
      await recordSignOut(session, { sessions })
    },
    async endSession(session, id) {
      if (!(await store.deleteSession(db, session.accountId, id)))
        throw new AppError('NOT_FOUND', { message: fieldText('noSuchSession') })
      await recordSignOut(session, { sessions: 1 })
    },
    listSessions: (session) => store.listSessions(db, session.accountId),
    async changePassword(session, { current, password }, place) {
      await limits.checkPassword(session.accountId)
      const hash = await store.findPasswordHash(db, session.accountId)
      if (!(await hashing.verify(current, hash)))
        throw invalidField('body.currentPassword', 'password', fieldText('passwordWrong'))
      const newHash = await hashing.hash(password)
      await db.transaction(async (tx) => {
        await store.setPasswordHash(tx, session.accountId, newHash)
        await store.deleteSessions(tx, session.accountId)
        await recordChange(tx, {
          actor: actorOf(session),
          action: 'update',
          kind: 'password',
          id: session.accountId,
          before: null,
          after: { by: 'its account' },
        })
      })
      await changed(session.accountId)
      return startSession(session.accountId, place)
    },
    async change(session, { name, preferences }) {
      await db.transaction(async (tx) => {
        // display preferences concern nobody else, so they are not in the audit log
        if (preferences !== undefined) await store.updatePreferences(tx, session.accountId, preferences)
        if (name === undefined) return
        await store.updateAccount(tx, session.accountId, { name })
        await recordChange(tx, {
          actor: actorOf(session),
          action: 'update',
          kind: 'account',
          id: session.accountId,
          before: { name: session.name },
          after: { name },
        })
      })
      await changed(session.accountId)
    },
  }
}
