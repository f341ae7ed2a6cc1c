import type { MailRequests } from '../../access/mail/mail-requests.ts'
import type { OneTimeLinks } from '../../access/mail/one-time-links.ts'
import type { SessionGate } from '../../access/sessions/session.ts'
import type { Accounts } from '../../access/sign-in/accounts.ts'
import type { Oidc } from '../../access/sign-in/oidc.ts'
import type { SignInLimits } from '../../access/sign-in/sign-in-limits.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import type { Database } from '../../stores/postgres/client.ts'

export type AuthDeps = {
  db: Database
  accounts: Accounts
  links: OneTimeLinks
  limits: SignInLimits
  mailRequests: MailRequests
  /** Undefined without OIDC_ISSUER. */
  oidc: Oidc | undefined
  sessions: SessionGate
  /** Signs cookies. */
  secret: string
  body: BodyLimits
  /** Ways to sign in besides a password, and where devices reach MQTT; null for no listener. */
  available: {
    oidc: boolean
    signUp: 'open' | 'closed'
    mail: boolean
    mqtt: { port: number; tls: boolean } | null
  }
  /** Called when a link has made an account an operator. */
  onOperator(): Promise<void>
}
