/**
 * Signing in through OpenID Connect. better-auth speaks the protocol: code flow with PKCE, state and nonce, and a
 * verified ID token. Only an address that the issuer has verified leads to an account. Requests go to the issuer and to
 * the addresses that its discovery document names. The state is in an encrypted cookie, so that a start stores nothing.
 */
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { AppError } from '../../errors.ts'
import type { Changes } from '../../stores/changes.ts'
import { actorOf, createPersonOf } from '../../stores/postgres/accounts/account-roles.ts'
import { deletePassword, deleteSessions, findAccount } from '../../stores/postgres/accounts/accounts.ts'
import { lockAccount, revokeOfAccount, revokeResets } from '../../stores/postgres/accounts/revocations.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { sha256Hex } from '../keys/keys.ts'
import { FREE_PLAN } from '../mail/one-time-links.ts'
import type { RateWindows } from '../rate-windows.ts'
import { ADDRESS_HEADER, type AuthLibraryOptions, authOptions } from './auth-library.ts'

export type OidcOptions = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Whether an unknown address creates an account. */
  isSignUpOpen: boolean
}

/** The target and the cookies of a redirect. */
export type Redirect = { location: string; cookies: string[] }

export type Oidc = {
  /** @param next a page of the portal @throws AppError OIDC_UNAVAILABLE */
  start(headers: Headers, address: string, next: string): Promise<Redirect>
  /** Handles the callback. @returns `error` instead of a session when the sign-in failed */
  finish(headers: Headers, address: string, search: string): Promise<Redirect & { error?: OidcError }>
}
export type OidcError = 'ACCOUNT_MISSING' | 'EMAIL_UNVERIFIED' | 'OIDC_FAILED'

type IdClaims = { sub: string; aud: string | string[]; azp?: string }

const PROVIDER = 'oidc'
const DISCOVERY_MS = 10_000
/** How long a used state is remembered; a state is valid for ten minutes. */
const USED_STATE_MS = 660_000
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** better-auth's error codes of the callback. */
const ERRORS: Record<string, OidcError> = {
  signup_disabled: 'ACCOUNT_MISSING',
  account_not_linked: 'EMAIL_UNVERIFIED',
  unable_to_create_user: 'EMAIL_UNVERIFIED',
  email_not_found: 'EMAIL_UNVERIFIED',
}

/** @param windows remember states that were used */
export function createOidc(
  { db, changes, windows }: { db: Database; changes: Changes; windows: RateWindows },
  library: AuthLibraryOptions,
  options: OidcOptions,
): Oidc {
  const { issuer, clientId, clientSecret, isSignUpOpen } = options
  const { publicUrl } = library
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`

  /**
   * A new way to sign in ends links that set a password. An account with an unverified address may have been created by
   * somebody else, who knows its password and may have made links and tokens.
   */
  async function takeOver(accountId: string): Promise<void> {
    const account = await db.transaction(async (tx) => {
      await lockAccount(tx, { id: accountId })
      const found = await findAccount(tx, accountId)
      if (found === undefined || found.emailVerified) {
        await revokeResets(tx, accountId)
        return undefined
      }
      await revokeOfAccount(tx, actorOf(found), accountId)
      await deletePassword(tx, accountId)
      await deleteSessions(tx, accountId)
      return found
    })
    if (account === undefined) return
    await changes.publish({ kind: 'account', id: accountId })
  }

  /** OpenID Connect Core 3.1.3.7, 4 and 5. The token's signature, issuer, audience and nonce were checked before. */
  function subjectOf(idToken: string | undefined): string {
    if (idToken === undefined) throw new Error('the issuer sent no ID token')
    const { sub, aud, azp } = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as IdClaims
    if (azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== clientId)
      throw new Error('the ID token was issued to another client')
    return sub
  }

  const open = () => {
    const base = authOptions(db, library)
    return betterAuth({
      ...base,
      account: {
        updateAccountOnSignIn: false,
        accountLinking: { requireLocalEmailVerified: false },
        storeStateStrategy: 'cookie',
      },
      onAPIError: { errorURL: `${publicUrl}/portal/sign-in` },
      databaseHooks: {
        user: {
          create: {
            before: async (user) => (user.emailVerified === true ? { data: user } : false),
            after: async ({ id }) => {
              const account = await findAccount(db, id)
              if (account !== undefined) await db.transaction((tx) => createPersonOf(tx, account, FREE_PLAN))
            },
          },
        },
        account: {
          create: {
            before: async (login) => {
              await takeOver(login.userId)
              // the tokens of the issuer are not needed later
              return { data: { ...login, accessToken: null, refreshToken: null, idToken: null } }
            },
          },
        },
      },
      plugins: [
        genericOAuth({
          config: [
            {
              providerId: PROVIDER,
              discoveryUrl,
              clientId,
              clientSecret,
              disableSignUp: !isSignUpOpen,
              scopes: ['openid', 'email', 'profile'],
              requireIdTokenVerification: true,
              // claims of userinfo count only for the subject of the ID token
              accountSubject: ({ tokens }) => subjectOf(tokens.idToken),
            },
          ],
        }),
      ],
    })
  }
  let opened: Promise<ReturnType<typeof open>> | undefined

  /** Deferred until the first use, since the issuer may be down at the start. */
  async function connect(): Promise<ReturnType<typeof open>> {
    await checkDiscovery(issuer, discoveryUrl)
    return open()
  }
  async function connected(): Promise<ReturnType<typeof open>> {
    opened ??= connect()
    try {
      return await opened
    } catch (cause) {
      opened = undefined
      throw new AppError('OIDC_UNAVAILABLE', { cause })
    }
  }

  /** The parts of a request that better-auth reads. */
  const headersOf = (headers: Headers, address: string): Headers =>
    new Headers({
      cookie: headers.get('cookie') ?? '',
      'user-agent': headers.get('user-agent') ?? '',
      [ADDRESS_HEADER]: address.replace(/\/64$/, ''),
    })

  return {
    async start(headers, address, next) {
      const auth = await connected()
      const answer = await auth.api.signInSocial({
        body: {
          provider: PROVIDER,
          disableRedirect: true,
          callbackURL: `${publicUrl}/portal${next}`,
          errorCallbackURL: `${publicUrl}/portal/sign-in`,
        },
        headers: headersOf(headers, address),
        returnHeaders: true,
      })
      const { url } = answer.response
      if (url === undefined) throw new AppError('OIDC_UNAVAILABLE')
      return { location: url, cookies: answer.headers.getSetCookie() }
    },
    async finish(headers, address, search) {
      const auth = await connected()
      const state = new URLSearchParams(search).get('state') ?? ''
      const isUsed = (await windows.take(`oidc-state:${sha256Hex(state)}`, 1, 1, USED_STATE_MS)) > 0
      if (isUsed) return { location: '', cookies: [], error: 'OIDC_FAILED' }
      const url = `${publicUrl}/auth/callback/${PROVIDER}${search}`
      const answer = await auth.handler(new Request(url, { headers: headersOf(headers, address) }))
      const location = answer.headers.get('location') ?? ''
      const cookies = answer.headers.getSetCookie()
      const failure = answer.status === 302 ? new URL(location, publicUrl).searchParams.get('error') : 'none'
      if (failure === null) return { location, cookies }
      return { location, cookies, error: ERRORS[failure] ?? 'OIDC_FAILED' }
    },
  }
}

/** @throws Error for an issuer that cannot be reached, names another issuer, or addresses that are not encrypted */
async function checkDiscovery(issuer: string, discoveryUrl: string): Promise<void> {
  const signal = AbortSignal.timeout(DISCOVERY_MS)
  const response = await fetch(discoveryUrl, { signal, redirect: 'error' })
  if (!response.ok) throw new Error(`${discoveryUrl} answered ${response.status}`)
  const found = (await response.json()) as Record<string, unknown>
  if (String(found.issuer).replace(/\/$/, '') !== issuer)
    throw new Error(`${discoveryUrl} is of the issuer "${found.issuer}", but OIDC_ISSUER is "${issuer}"`)
  for (const name of ENDPOINTS) {
    const address = String(found[name] ?? '')
    const isOwn = URL.canParse(address) && new URL(address).origin === new URL(issuer).origin
    if (!isOwn && !address.startsWith('https://'))
      throw new Error(
        `${discoveryUrl} names "${address}" as ${name}, which must be on the issuer or start with https://`,
      )
  }
}
