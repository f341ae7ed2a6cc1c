/** /auth: signing in to the portal, accounts and their sessions. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { READERS, type RuleOf } from '../../access/authorization.ts'
import type { Session } from '../../access/sessions/session.ts'
import { deviceCookie, noSessionCookies, sessionCookies, sessionTokenOf } from '../../access/sessions/session-cookie.ts'
import { placeOf } from '../../access/sign-in/accounts.ts'
import { requireCsrfToken, requireOwnPage } from '../../access/sign-in/csrf.ts'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../access/sign-in/password-hashing.ts'
import { AppError } from '../../errors.ts'
import { addressOf, isSecure, peerOf } from '../../http/address.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { createCallers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { boolean, dateTime, nullable, object, oneOf, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { bilingual } from '../../http/route-options.ts'
import { enterprisesOfAccount } from '../../stores/postgres/accounts/accounts.ts'
import type { AuthDeps } from './deps.ts'
import { mailRoutes } from './mail-routes.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { operation } from './operation.ts'
import { closed, email } from './request-schemas.ts'

const newPassword = Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD })

/** Short passwords are accepted here, so that they are answered like wrong ones. */
const password = Type.String({ minLength: 1, maxLength: MAX_PASSWORD })
const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Name of the person' })
const token = Type.String({ minLength: 1, maxLength: 100, description: 'Last part of the address of the link' })
const signIn = Type.Object({ email, password }, closed)
const passwordChange = Type.Object({ currentPassword: password, password: newPassword }, closed)
const among = <V extends string>(values: readonly V[], description: string) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  )
const preferences = Type.Object(
  {
    language: among(['en', 'ar'] as const, 'Language of the portal'),
    theme: among(['auto', 'light', 'dark'] as const, 'auto follows the device'),
    digits: among(['latn', 'arab'] as const, 'latn: 0123, arab: ٠١٢٣'),
    zone: among(['local', 'utc'] as const, 'Zone of shown times: of the device, or UTC'),
  },
  { ...closed, minProperties: 1 },
)
const accountChange = Type.Object(
  { name: Type.Optional(name), preferences: Type.Optional(preferences) },
  { ...closed, minProperties: 1 },
)
const linkToken = Type.Object({ token }, closed)
const linkUse = Type.Object(
  {
    token,
    name: Type.Optional(name),
    email: Type.Optional(email),
    password: Type.Optional(newPassword),
    asSignedIn: Type.Optional(
      Type.Boolean({ description: 'Accept for the account of the session, instead of creating one' }),
    ),
  },
  closed,
)

export function authSurface(
  { db, accounts, links, limits, mailRequests, sessions, ...deps }: AuthDeps,
  ruleOf: RuleOf,
) {
  const { oidc, secret, body, available, onOperator } = deps
  const callers = createCallers<Session | undefined>(
    async ({ request, route }) => {
      bilingual({ request })
      const { method, headers } = request
      requireOwnPage(method, headers)
      const session = await sessions(headers)
      if (ruleOf(method, route)?.of === 'visitor') return session
      if (session === undefined) throw new AppError('UNAUTHENTICATED')
      requireCsrfToken(method, headers, session)
      return session
    },
    (session) => (session === undefined ? 'visitor' : `account ${session.email}`),
    // no answer here outlasts its check
    () => undefined,
  )

  /**
   * The session of a request; changes also need its CSRF token. @throws AppError UNAUTHENTICATED, CSRF_TOKEN_INVALID
   */
  async function signedIn(request: Request): Promise<Session> {
    const session = await callers.of(request)
    if (session === undefined) throw new AppError('UNAUTHENTICATED')
    requireCsrfToken(request.method, request.headers, session)
    return session
  }

  async function describe(session: Session | undefined) {
    if (session === undefined)
      return {
        account: null,
        isOperator: false,
        personId: null,
        suspension: null,
        memberships: [],
        csrfToken: null,
        ...available,
      }
    const { accountId, email, name, preferences, isOperator, personId, suspension, memberships, csrfToken } = session
    const known = new Map((await enterprisesOfAccount(db, accountId)).map((enterprise) => [enterprise.id, enterprise]))
    return {
      account: { id: accountId, email, name, preferences },
      isOperator,
      personId: personId ?? null,
      suspension: suspension ?? null,
      memberships: memberships.flatMap((membership) => {
        const enterprise = known.get(membership.enterpriseId)
        if (enterprise === undefined) return []
        return [{ ...membership, enterpriseName: enterprise.name, enterpriseStatus: enterprise.status }]
      }),
      csrfToken,
      ...available,
    }
  }

  /** Answers with a new session, which replaces the browser's previous one. */
  async function startWith(request: Request, token: string, previous: Session | undefined): Promise<Response> {
    if (previous !== undefined) await accounts.signOut(previous)
    const options = { secret, isSecure: isSecure(request) }
    const cookies = sessionCookies(token, options)
    const session = await sessions(new Headers({ cookie: cookies[0]?.split(';', 1)[0] ?? '' }))
    if (session !== undefined) cookies.push(deviceCookie(request.headers, session.email, options))
    return withCookies(succeed(request, await describe(session)), cookies)
  }

  function withCookies(response: Response, cookies: readonly string[]): Response {
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    response.headers.set('cache-control', 'no-store')
    return response
  }

  async function noteOidcSignIn(request: Request, cookies: readonly string[]): Promise<void> {
    const previous = await callers.of(request)
    const session = await sessions(new Headers({ cookie: cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ') }))
    if (session === undefined) throw new Error('better-auth made no session')
    if (previous !== undefined) await accounts.signOut(previous)
    await accounts.noteSignIn(session, 'OpenID Connect', placeOf(peerOf(request)))
  }

  return new Elysia({ name: 'auth', prefix: '/auth' })
    .onParse(callers.parse(body))
    .onTransform(callers.check)
    .use(mailRoutes(mailRequests))
    .use(oidcRoutes(oidc, limits, noteOidcSignIn))
    .get(
      '/session',
      async ({ request }) => {
        const session = await callers.of(request)
        const response = succeed(request, await describe(session))
        const token = sessionTokenOf(request.headers, secret)
        // the cookie lasts as long as the session, which its use prolongs
        if (session !== undefined && token !== undefined)
          return withCookies(response, sessionCookies(token, { secret, isSecure: isSecure(request) }))
        response.headers.set('cache-control', 'no-store')
        return response
      },
      operation({
        summary: 'Get the session',
        description:
          'Returns the account that is signed in with its roles, or `account: null`, and the ways to sign in. `csrfToken` must be sent as `X-CSRF-Token` with every change.',
        rights: { of: 'visitor', for: READERS },
        result: ref('PortalSession'),
      }),
    )
    .post(
      '/sign-in',
      async ({ request, body: credentials }) => {
        const previous = await callers.of(request)
        const token = await accounts.signIn(credentials, peerOf(request), isSecure(request))
        return startWith(request, token, previous)
      },
      operation({
        summary: 'Sign in',
        description: 'Starts a session and sets its cookie, which lasts for 30 days after its use.',
        rights: { of: 'visitor', for: READERS },
        body: bodySchema(signIn),
        result: ref('PortalSession'),
      }),
    )
    .post(
      '/sign-out',
      async ({ request }) => {
        await accounts.signOut(await signedIn(request))
        return withCookies(succeed(request, {}), noSessionCookies(isSecure(request)))
      },
      operation({
        summary: 'Sign out',
        rights: { of: 'account', for: READERS },
        result: object({}),
      }),
    )
    .post(
      '/sign-out-everywhere',
      async ({ request }) => {
        await accounts.signOutEverywhere(await signedIn(request))
        return withCookies(succeed(request, {}), noSessionCookies(isSecure(request)))
      },
      operation({
        summary: 'Sign out everywhere',
        description: 'Ends all sessions of the account, at once.',
        rights: { of: 'account', for: READERS },
        result: object({}),
      }),
    )
    .get(
      '/sessions',
      async ({ request }) => {
        const session = await signedIn(request)
        const items = (await accounts.listSessions(session)).map((item) => ({
          ...item,
          isCurrent: item.id === session.id,
        }))
        return succeed(request, { items, nextCursor: null })
      },
      operation({
        summary: 'List own sessions',
        description: 'Where the account is signed in, most recently used first.',
        rights: { of: 'account', for: READERS },
        result: page(
          object({
            id: string,
            address: nullable(string),
            userAgent: nullable(string),
            isCurrent: boolean,
            createdAt: dateTime,
            lastUsedAt: dateTime,
            expiresAt: dateTime,
          }),
        ),
      }),
    )
    .delete(
      '/sessions/:id',
      async ({ request, params }) => {
        await accounts.endSession(await signedIn(request), params.id)
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'End a session',
        rights: { of: 'account', for: READERS },
        result: object({ id: string }),
      }),
    )
    .patch(
      '/account',
      async ({ request, body: { name, preferences } }) => {
        const session = await signedIn(request)
        await accounts.change(session, { name, preferences })
        return succeed(request, {
          id: session.accountId,
          email: session.email,
          name: name ?? session.name,
          preferences: { ...session.preferences, ...preferences },
        })
      },
      operation({
        summary: 'Change the account',
        description:
          'Changes the name, and how the portal looks for this account on every device; preferences that are not sent stay.',
        rights: { of: 'account', for: READERS },
        body: bodySchema(accountChange),
        result: object({ id: string, email: string, name: string, preferences: ref('Preferences') }),
      }),
    )
    .post(
      '/password',
      async ({ request, body: { currentPassword: current, password } }) => {
        const session = await signedIn(request)
        const token = await accounts.changePassword(session, { current, password }, placeOf(peerOf(request)))
        return startWith(request, token, undefined)
      },
      operation({
        summary: 'Change the password',
        description: 'Ends all other sessions, and gives this one a new cookie.',
        rights: { of: 'account', for: READERS },
        body: bodySchema(passwordChange),
        result: ref('PortalSession'),
      }),
    )
    .post(
      '/links/open',
      async ({ request, body: { token } }) => {
        await limits.checkAddress(addressOf(request))
        return succeed(request, await links.describe(token))
      },
      operation({
        summary: 'See what a one-time link is for',
        rights: { of: 'visitor', for: READERS },
        body: bodySchema(linkToken),
        result: object({
          kind: oneOf('operator', 'invitation', 'person', 'sign-up', 'reset'),
          email: nullable(string),
          role: nullable(oneOf('owner', 'admin', 'member')),
          expiresAt: dateTime,
          enterpriseName: nullable(string),
        }),
      }),
    )
    .post(
      '/links/use',
      async ({ request, body: { asSignedIn = false, ...use } }) => {
        await limits.checkAddress(addressOf(request))
        const session = asSignedIn ? await signedIn(request) : undefined
        const account = await links.use({ ...use, session })
        if (account.isOperator) await onOperator()
        if (session !== undefined) return succeed(request, await describe(await sessions(request.headers)))
        const token = await accounts.startSession(account.id, placeOf(peerOf(request)))
        return startWith(request, token, await sessions(request.headers))
      },
      operation({
        summary: 'Use a one-time link',
        description:
          'Accepts an invitation with a new account (`name`, `password`) or with the one that is signed in (`asSignedIn`), or sets the password that a reset link is for. Starts a session. A link works once.',
        rights: { of: 'visitor', for: READERS },
        body: bodySchema(linkUse),
        result: ref('PortalSession'),
      }),
    )
}
