/** People who are signed in, in several roles, and the requests that they send. */
import { join } from 'node:path'
import type { Role, Session } from '../../src/access/session.ts'
import type { Envelope, Instance } from './instance.ts'

/** Environment of a server that takes its sessions from cookies of tests. */
export const WITH_SESSIONS = { BUN_OPTIONS: `--preload ${join(import.meta.dir, 'sessions-plugin.ts')}` }

export type Account = { session: Session }
export type Answer<T = Record<string, unknown>> = Envelope<T> & { status: number; headers: Headers }

export type Call = { enterprise?: string | undefined; headers?: Record<string, string> | undefined; body?: unknown }

export async function callAs<T = Record<string, unknown>>(
  url: string,
  account: Account | undefined,
  method: string,
  path: string,
  { enterprise, headers = {}, body }: Call = {},
): Promise<Answer<T>> {
  const isJson = body !== undefined && !(body instanceof FormData)
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(account && { cookie: cookieOf(account), 'x-csrf-token': account.session.csrfToken }),
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

export const cookieOf = ({ session }: Account): string =>
  `test-session=${Buffer.from(JSON.stringify(session)).toString('base64url')}`

let accounts = 0

function account(more: Partial<Session>): Account {
  const n = ++accounts
  return {
    session: {
      ...{ id: `ses_${n}`, accountId: `acc_${n}`, email: `a${n}@example.org`, name: `A ${n}`, isOperator: false },
      ...{ personId: undefined, memberships: [], csrfToken: `token-${n}` },
      ...more,
    },
  }
}

export const operatorAccount = async (_instance: Instance): Promise<Account> => account({ isOperator: true })

export async function memberAccount(instance: Instance, enterpriseId: string, role: Role): Promise<Account> {
  const email = `m${++accounts}@example.org`
  const { id } = await instance.manage<{ id: string }>('POST', `/enterprises/${enterpriseId}/members`, { email, role })
  return account({ email, memberships: [{ enterpriseId, memberId: id, role }] })
}

export async function personAccount(instance: Instance, plan = 'pro'): Promise<Account & { personId: string }> {
  const email = `p${++accounts}@example.org`
  const { id } = await instance.manage<{ id: string }>('POST', '/people', { email, plan })
  return { ...account({ email, personId: id }), personId: id }
}
