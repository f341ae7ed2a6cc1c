/** better-auth on our tables. It makes sessions and speaks OpenID Connect; its own HTTP routes are not served. */

import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { type BetterAuthOptions, betterAuth } from 'better-auth/minimal'
import { accountLogins, accounts, sessions } from '../../stores/postgres/accounts/account-schema.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type IdPrefix, newId } from '../../stores/postgres/ids.ts'
import { SESSION_DAYS, sessionCookieName } from '../sessions/session-cookie.ts'
import { hashSessionTokens } from '../sessions/session-tokens.ts'

/** The header in which the surface passes the caller's address to better-auth. */
export const ADDRESS_HEADER = 'x-groundwave-address'

const DAY_S = 86_400
const ID_PREFIXES: Record<string, IdPrefix> = { user: 'acc', account: 'log', session: 'ses' }

export type AuthLibraryOptions = {
  secret: string
  publicUrl: string
  /** For warnings and errors of better-auth. */
  onMessage(level: 'warn' | 'error', text: string): void
}

export function authOptions(db: Database, { secret, publicUrl, onMessage }: AuthLibraryOptions) {
  const schema = { user: accounts, account: accountLogins, session: sessions }
  return {
    secret,
    baseURL: publicUrl,
    basePath: '/auth',
    database: hashSessionTokens(drizzleAdapter(db, { provider: 'pg', schema, transaction: true })),
    user: { additionalFields: { isOperator: { type: 'boolean', input: false, defaultValue: false } } },
    session: { expiresIn: SESSION_DAYS * DAY_S, updateAge: DAY_S },
    // the surface rate-limits calls itself, across instances
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message) => onMessage(level === 'error' ? 'error' : 'warn', message),
    },
    advanced: {
      // the surface adds Secure
      useSecureCookies: false,
      cookies: { session_token: { name: sessionCookieName(publicUrl.startsWith('https://')) } },
      cookiePrefix: 'groundwave',
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => newId(ID_PREFIXES[model] ?? 'log') },
    },
  } satisfies BetterAuthOptions
}

export const createAuthLibrary = (db: Database, options: AuthLibraryOptions) => betterAuth(authOptions(db, options))
export type AuthLibrary = ReturnType<typeof createAuthLibrary>
