/** Routes of signing in through OpenID Connect: the redirect to the issuer, and the callback. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { READERS } from '../../access/authorization.ts'
import type { Oidc } from '../../access/sign-in/oidc.ts'
import type { SignInLimits } from '../../access/sign-in/sign-in-limits.ts'
import { AppError } from '../../errors.ts'
import { addressOf, isSecure } from '../../http/address.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { operation } from './operation.ts'

const query = Type.Object({ next: Type.Optional(Type.String({ maxLength: 2_000 })) })

/** The issuer may add further parameters. */
const answer = Type.Object({}, { additionalProperties: true })

/** Longer pages do not fit into the state cookie. */
const MAX_PAGE = 1_000

/** @param onSignIn is called with the cookies of a new session */
export function oidcRoutes(
  oidc: Oidc | undefined,
  limits: SignInLimits,
  onSignIn: (request: Request, cookies: readonly string[]) => Promise<void>,
) {
  /** @throws AppError NOT_FOUND, SIGN_IN_LIMITED */
  async function admitted(address: string): Promise<Oidc> {
    if (oidc === undefined) throw new AppError('NOT_FOUND')
    await limits.checkAddress(address)
    return oidc
  }

  function redirect(request: Request, location: string, cookies: readonly string[]): Response {
    const { requestId } = requestContextOf(request)
    const headers = new Headers({ location, 'x-request-id': requestId, 'cache-control': 'no-store' })
    for (const cookie of cookies) headers.append('set-cookie', isSecure(request) ? `${cookie}; Secure` : cookie)
    return new Response(null, { status: 302, headers })
  }

  return new Elysia({ name: 'auth-oidc' })
    .get(
      '/oidc',
      async ({ request, query: { next = '/' } }) => {
        // only pages of the portal are accepted
        const page = /^\/(?!\/)/.test(next) && next.length <= MAX_PAGE ? next : '/'
        const address = addressOf(request)
        const { location, cookies } = await (await admitted(address)).start(request.headers, address, page)
        return redirect(request, location, cookies)
      },
      operation({
        summary: 'Sign in with OpenID Connect',
        description: 'Redirects to the issuer, and then to the page `next`.',
        rights: { of: 'visitor', for: READERS },
        query,
        responses: { 302: { description: 'To the issuer' } },
      }),
    )
    .get(
      '/callback/oidc',
      async ({ request }) => {
        const { search } = new URL(request.url)
        const address = addressOf(request)
        const begun = await admitted(address)
        const { location, cookies, error } = await begun.finish(request.headers, address, search)
        if (error !== undefined) return redirect(request, `/portal/sign-in?error=${error}`, cookies)
        await onSignIn(request, cookies)
        return redirect(request, location, cookies)
      },
      operation({
        summary: 'Finish signing in with OpenID Connect',
        rights: { of: 'visitor', for: READERS },
        query: answer,
        hide: true,
      }),
    )
}
