/** One-time links: made for others or for oneself, used once. */
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Changes } from '../../stores/changes.ts'
import * as roles from '../../stores/postgres/accounts/account-roles.ts'
import * as store from '../../stores/postgres/accounts/accounts.ts'
import { recordChange } from '../../stores/postgres/accounts/audit.ts'
import { findEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import * as links from '../../stores/postgres/accounts/one-time-links.ts'
import { lockAccount, revokeResets } from '../../stores/postgres/accounts/revocations.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { throwOnUniqueViolation } from '../../stores/postgres/unique-violation.ts'
import { sha256Hex } from '../keys/keys.ts'
import type { Session } from '../sessions/session.ts'
import { newSecretText } from '../sessions/session-cookie.ts'
import { normalizedEmail } from '../sign-in/email-address.ts'
import type { PasswordHashing } from '../sign-in/password-hashing.ts'
import { objectionTo } from './link-rights.ts'

const HOUR_MS = 3_600_000
const LIFETIME_MS: Record<links.LinkKind, number> = {
  operator: 7 * 24 * HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
  person: 7 * 24 * HOUR_MS,
  'sign-up': 24 * HOUR_MS,
  reset: HOUR_MS,
}
/** Ten years: the link of a new installation must still work when somebody first uses it. */
export const FIRST_OPERATOR_MS = 3_650 * 24 * HOUR_MS
export const FREE_PLAN = 'free'
const TOKEN = /^[\w-]{43}$/

/** A link with its token, which is shown once. */
export type MadeLink = { link: links.OneTimeLink; token: string }
export type LinkUse = {
  token: string
  /** A session that accepts the link for its account. */
  session?: Session | undefined
  name?: string | undefined
  /** Entered by the first operator only. */
  email?: string | undefined
  password?: string | undefined
}
export type LinkContent = Pick<links.OneTimeLink, 'kind' | 'email' | 'role' | 'expiresAt'> & {
  enterpriseName: string | null
}

export type NewLink = Omit<links.LinkInput, 'expiresAt'> & { expiresAt?: Date }

export type OneTimeLinks = {
  /**
   * @param within a transaction that the link is a part of
   * @throws AppError FORBIDDEN, CONFLICT when the maker may not make it
   */
  make(maker: links.Maker, input: NewLink, within?: Database): Promise<MadeLink>
  /** The content of a link. @throws AppError LINK_INVALID */
  describe(token: string): Promise<LinkContent>
  /**
   * Carries out the link once, if its maker still has the right to make it. @returns the account
   * @throws AppError LINK_INVALID, ACCOUNT_EXISTS, VALIDATION_FAILED, FORBIDDEN for the link of another address
   */
  use(use: LinkUse): Promise<store.Account>
}

export const WELCOME = '/portal/welcome/'
export const welcomePath = (token: string): string => WELCOME + token

export function createOneTimeLinks(
  db: Database,
  changes: Changes,
  { hashing, isSignUpOpen }: { hashing: PasswordHashing; isSignUpOpen: boolean },
): OneTimeLinks {
  const objectionNow = async (tx: Database, link: links.OneTimeLink): Promise<AppError | undefined> =>
    link.kind === 'sign-up' && !isSignUpOpen ? new AppError('SIGN_UP_CLOSED') : objectionTo(tx, link)

  async function usable(token: string): Promise<links.OneTimeLink> {
    const link = TOKEN.test(token) ? await links.findUsableLink(db, sha256Hex(token)) : undefined
    if (link === undefined) throw new AppError('LINK_INVALID')
    return link
  }

  /** The account that receives the link's grant: a new account, or the session's. */
  async function accountFor(
    tx: Database,
    link: links.OneTimeLink,
    email: string,
    { session, name }: LinkUse,
    passwordHash: string | undefined,
  ): Promise<store.Account> {
    const known = await store.findAccountByEmail(tx, email)
    if (session !== undefined) {
      if (known === undefined || known.id !== session.accountId)
        throw new AppError('FORBIDDEN', { message: fieldText('linkFor', { email }) })
      // a concurrent change of password may have ended the session while its account was locked
      if (!(await store.hasSession(tx, session.id))) throw new AppError('UNAUTHENTICATED')
      return known
    }
    if (known !== undefined) throw new AppError('ACCOUNT_EXISTS')
    if (name === undefined) throw invalidField('body.name', 'required', fieldText('required'))
    if (passwordHash === undefined) throw invalidField('body.password', 'required', fieldText('required'))
    const account = await throwOnUniqueViolation('email', () =>
      store.createAccount(tx, { email, name, emailVerified: link.mailedOnly }),
    )
    await store.setPasswordHash(tx, account.id, passwordHash)
    await recordChange(tx, {
      actor: roles.actorOf(account),
      action: 'create',
      kind: 'account',
      id: account.id,
      before: null,
      after: account,
    })
    return account
  }

  async function grant(tx: Database, link: links.OneTimeLink, account: store.Account): Promise<void> {
    await revokeResets(tx, account.id)
    if (link.kind === 'operator') await roles.becomeOperator(tx, account)
    else if (link.kind === 'invitation' && link.enterpriseId !== null && link.role !== null)
      await roles.joinEnterprise(tx, account, link.enterpriseId, link.role)
    else if (link.kind === 'person' && link.personId !== null) await roles.becomePerson(tx, account, link.personId)
    else if (link.kind === 'sign-up') await roles.createPersonOf(tx, account, FREE_PLAN)
  }

  async function resetPassword(
    tx: Database,
    link: links.OneTimeLink,
    passwordHash: string | undefined,
  ): Promise<store.Account> {
    const account = link.accountId === null ? undefined : await store.findAccount(tx, link.accountId)
    if (account === undefined) throw new AppError('LINK_INVALID')
    if (passwordHash === undefined) throw invalidField('body.password', 'required', fieldText('required'))
    await store.setPasswordHash(tx, account.id, passwordHash)
    await store.deleteSessions(tx, account.id)
    if (link.mailedOnly) await store.updateAccount(tx, account.id, { emailVerified: true })
    await recordChange(tx, {
      actor: roles.actorOf(account),
      action: 'update',
      kind: 'password',
      id: account.id,
      before: null,
      after: { by: 'one-time link' },
    })
    return account
  }

  return {
    async make(maker, input, within = db) {
      const token = newSecretText()
      const expiresAt = input.expiresAt ?? new Date(Date.now() + LIFETIME_MS[input.kind])
      return within.transaction(async (tx) => {
        const link = await links.createLink(tx, maker, sha256Hex(token), { ...input, expiresAt })
        const objection = await objectionNow(tx, link)
        if (objection !== undefined) throw objection
        return { token, link }
      })
    },
    async describe(token) {
      const link = await usable(token)
      if ((await objectionNow(db, link)) !== undefined) throw new AppError('LINK_INVALID')
      const { kind, email, role, expiresAt, enterpriseId } = link
      const enterprise = enterpriseId === null ? undefined : await findEnterprise(db, enterpriseId)
      return { kind, email, role, expiresAt, enterpriseName: enterprise?.name ?? null }
    },
    async use(use) {
      const { email: forEmail, accountId, enterpriseId } = await usable(use.token)
      const email = forEmail ?? use.session?.email ?? normalizedEmail(use.email ?? '', 'body.email')
      // not in the transaction, which would hold its connection and the link's lock meanwhile
      const passwordHash = use.password === undefined ? undefined : await hashing.hash(use.password)
      const account = await db.transaction(async (tx) => {
        const isFirst = forEmail === null
        if (isFirst) await roles.lockOperators(tx)
        await lockAccount(tx, accountId === null ? { email } : { id: accountId })
        const link = await links.useLink(tx, sha256Hex(use.token))
        const objection = await objectionNow(tx, link)
        if (objection !== undefined) throw new AppError('LINK_INVALID', { cause: objection })
        if (isFirst && (await store.hasOperator(tx))) throw new AppError('LINK_INVALID')
        const isReset = link.kind === 'reset'
        const account = isReset
          ? await resetPassword(tx, link, passwordHash)
          : await accountFor(tx, link, email, use, passwordHash)
        if (!isReset) await grant(tx, link, account)
        await recordChange(tx, {
          actor: roles.actorOf(account),
          action: 'use',
          kind: 'one-time-link',
          id: link.id,
          before: null,
          after: link,
        })
        return (await store.findAccount(tx, account.id)) ?? account
      })
      await changes.publish({ kind: 'account', id: account.id })
      if (enterpriseId !== null) await changes.publish({ kind: 'access', id: enterpriseId })
      return account
    },
  }
}
