/** A browser's part in /auth: it keeps cookies, and sends the token against forged requests. */
import type { Envelope, Instance } from '../server/instance.ts'

export type PortalSession = {
  account: { id: string; email: string; name: string } | null
  isOperator: boolean
  personId: string | null
  memberships: { enterpriseId: string; enterpriseName: string; memberId: string; role: string }[]
  csrfToken: string | null
  oidc: boolean
  signUp: 'open' | 'closed'
  mail: boolean
}

export type BrowserSession = {
  call<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Envelope<T>>
  /** The newest `Set-Cookie` header. */
  cookie(): string
  /** The cookie's value. */
  cookieValue(): string
  setCookieValue(value: string): void
  session(): Promise<PortalSession>
}

const SESSION = 'groundwave_session'

/** @param headers of every request */
export function browserSession(url: () => string, headers: Record<string, string> = {}): BrowserSession {
  let line = ''
  const jar = new Map<string, string>()
  let csrfToken: string | null = null

  const browser: BrowserSession = {
    async call<T>(method: string, path: string, body?: object) {
      const response = await fetch(url() + path, {
        method,
        headers: {
          ...(jar.size > 0 && { cookie: [...jar].map((cookie) => cookie.join('=')).join('; ') }),
          ...(csrfToken !== null && { 'x-csrf-token': csrfToken }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
        if (name.endsWith(SESSION) && value !== '') line = set
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
      const envelope = (await response.json()) as Envelope<T>
      const data = envelope.data as Partial<PortalSession> | undefined
      if (data?.csrfToken !== undefined) csrfToken = data.csrfToken
      return envelope
    },
    cookie: () => line,
    cookieValue: () => jar.get(SESSION) ?? '',
    setCookieValue(text) {
      jar.set(SESSION, text)
    },
    session: async () => (await browser.call<PortalSession>('GET', '/auth/session')).data,
  }
  return browser
}

/** The token of the link that the start of a server printed. */
export function firstOperatorToken(instance: Instance): string {
  const token = /first operator +\S+\/portal\/welcome\/([\w-]{43})/.exec(instance.log())?.[1]
  if (token === undefined) throw new Error('the server printed no link for the first operator')
  return token
}

export const tokenOf = (made: { path: string }): string => made.path.replace('/portal/welcome/', '')
