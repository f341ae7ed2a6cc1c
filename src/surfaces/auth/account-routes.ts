/** /auth: signing in to the portal, accounts and their sessions. */

import { Elysia } from 'elysia'
import type { RuleOf } from '../../access/authorization.ts'
import type { Session } from '../../access/sessions/session.ts'
import { deviceCookie, noSessionCookies, sessionCookies, sessionTokenOf } from '../../access/sessions/session-cookie.ts'
import { placeOf } from '../../access/sign-in/accounts.ts'
import { requireCsrfToken, requireOwnPage } from '../../access/sign-in/csrf.ts'
import { AppError } from '../../errors.ts'
import { addressOf, isSecure, peerOf } from '../../http/address.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { createCallers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { bilingual } from '../../http/route-options.ts'
import { enterprisesOfAccount } from '../../stores/postgres/accounts/accounts.ts'
import type { AuthDeps } from './deps.ts'
import { mailRoutes } from './mail-routes.ts'
import { oidcRoutes } from './oidc-routes.ts'
import * as model from './request-schemas.ts'

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
        memberships: [],
        csrfToken: null,
        ...available,
      }
    const { accountId, email, name, preferences, isOperator, personId, memberships, csrfToken } = session
    const known = new Map((await enterprisesOfAccount(db, accountId)).map((enterprise) => [enterprise.id, enterprise]))
    return {
      account: { id: accountId, email, name, preferences },
      isOperator,
      personId: personId ?? null,
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
      model.operation(
        'Get the session',
        'Returns the account that is signed in with its roles, or `account: null`, and the ways to sign in. `csrfToken` must be sent as `X-CSRF-Token` with every change.',
      ),
    )
    .post(
      '/sign-in',
      async ({ request, body: credentials }) => {
        const previous = await callers.of(request)
        const token = await accounts.signIn(credentials, peerOf(request), isSecure(request))
        return startWith(request, token, previous)
      },
      model.operation('Sign in', 'Starts a session and sets its cookie, which lasts for 30 days after its use.', {
        body: bodySchema(model.signIn),
      }),
    )
    .post(
      '/sign-out',
      async ({ request }) => {
        await accounts.signOut(await signedIn(request))
        return withCookies(succeed(request, {}), noSessionCookies(isSecure(request)))
      },
      model.operation('Sign out'),
    )
    .post(
      '/sign-out-everywhere',
      async ({ request }) => {
        await accounts.signOutEverywhere(await signedIn(request))
        return withCookies(succeed(request, {}), noSessionCookies(isSecure(request)))
      },
      model.operation('Sign out everywhere', 'Ends all sessions of the account, at once.'),
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
      model.operation('List own sessions', 'Where the account is signed in, most recently used first.'),
    )
    .delete(
      '/sessions/:id',
      async ({ request, params }) => {
        await accounts.endSession(await signedIn(request), params.id)
        return succeed(request, { id: params.id })
      },
      model.operation('End a session'),
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
      model.operation(
        'Change the account',
        'Changes the name, and how the portal looks for this account on every device; preferences that are not sent stay.',
        { body: bodySchema(model.accountChange) },
      ),
    )
    .post(
      '/password',
      async ({ request, body: { currentPassword: current, password } }) => {
        const session = await signedIn(request)
        const token = await accounts.changePassword(session, { current, password }, placeOf(peerOf(request)))
        return startWith(request, token, undefined)
      },
      model.operation('Change the password', 'Ends all other sessions, and gives this one a new cookie.', {
        body: bodySchema(model.passwordChange),
      }),
    )
    .post(
      '/links/open',
      async ({ request, body: { token } }) => {
        await limits.checkAddress(addressOf(request))
        return succeed(request, await links.describe(token))
      },
      { body: bodySchema(model.linkToken), ...model.operation('See what a one-time link is for') },
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
      model.operation(
        'Use a one-time link',
        'Accepts an invitation with a new account (`name`, `password`) or with the one that is signed in (`asSignedIn`), or sets the password that a reset link is for. Starts a session. A link works once.',
        { body: bodySchema(model.linkUse) },
      ),
    )
}
