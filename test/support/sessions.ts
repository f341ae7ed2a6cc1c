/** Signed-in people in several roles, and the requests that they send. */
import type { Role } from '../../src/access/sessions/session.ts'
import { type BrowserSession, browserSession, type PortalSession, tokenOf } from './browser/browser-session.ts'
import type { Envelope, Instance } from './server/instance.ts'

/** For a server on which many accounts are made. */
export const MANY_ACCOUNTS = { SIGN_INS_PER_ADDRESS: '100000' }

export type Account = {
  email: string
  csrfToken: string
  /** Ids of the account's membership rows by enterprise. */
  memberIds: Record<string, string>
  browser: BrowserSession
}
export type Answer<T = Record<string, unknown>> = Envelope<T> & { status: number; headers: Headers }

export type Call = { enterprise?: string | undefined; headers?: Record<string, string> | undefined; body?: unknown }

export const cookieOf = ({ browser }: Account): string => `groundwave_session=${browser.cookieValue()}`

export async function callAs<T = Record<string, unknown>>(
  url: string,
  account: Account | undefined,
  method: string,
  path: string,
  { enterprise, headers = {}, body }: Call = {},
): Promise<Answer<T>> {
  const isJson = body !== undefined && !(body instanceof FormData || body instanceof Blob)
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(account && { cookie: cookieOf(account), 'x-csrf-token': account.csrfToken }),
      ...(enterprise !== undefined && { 'x-enterprise': enterprise }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) await response.body?.cancel()
  const text = isStream ? '' : await response.text()
  const envelope = text.startsWith('{') ? (JSON.parse(text) as Envelope<T>) : ({} as Envelope<T>)
  return { ...envelope, status: response.status, headers: response.headers }
}

/** An address never used before, also on a server that other files have used. */
export const nextEmail = (name = 'account'): string => `${name}-${crypto.randomUUID().slice(0, 8)}@example.org`
export const PASSWORD = 'correct horse battery'

/** Creates an account with a one-time link that `path` makes, or uses the link with an existing account. */
async function welcome(
  instance: Instance,
  email: string,
  path: string,
  body?: object,
  known?: Account,
): Promise<Account> {
  const link = await instance.manage<{ path: string }>('POST', path, body)
  const browser = known?.browser ?? browserSession(instance.url)
  const identity = known === undefined ? { name: email, password: PASSWORD } : { asSignedIn: true }
  const used = await browser.call<PortalSession>('POST', '/auth/links/use', { token: tokenOf(link), ...identity })
  if (!used.ok) throw new Error(`${used.code}: ${used.message}`)
  const memberIds = Object.fromEntries(
    used.data.memberships.map(({ enterpriseId, memberId }) => [enterpriseId, memberId]),
  )
  return { email, browser, csrfToken: used.data.csrfToken ?? '', memberIds }
}

export function operatorAccount(instance: Instance, known?: Account): Promise<Account> {
  const email = known?.email ?? nextEmail()
  return welcome(instance, email, '/operators/invitations', { email }, known)
}

export function memberAccount(instance: Instance, enterpriseId: string, role: Role, known?: Account): Promise<Account> {
  const email = known?.email ?? nextEmail()
  return welcome(instance, email, `/enterprises/${enterpriseId}/invitations`, { email, role }, known)
}

export async function personAccount(instance: Instance, plan = 'pro'): Promise<Account & { personId: string }> {
  const email = nextEmail()
  const { id } = await instance.manage<{ id: string }>('POST', '/people', { email, plan })
  return { ...(await welcome(instance, email, `/people/${id}/links`)), personId: id }
}

/** A former member. */
export async function formerMember(instance: Instance, enterpriseId: string): Promise<Account> {
  const account = await memberAccount(instance, enterpriseId, 'member')
  await instance.manage('DELETE', `/members/${account.memberIds[enterpriseId]}`)
  return account
}
