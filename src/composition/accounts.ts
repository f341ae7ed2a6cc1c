/** Accounts of the portal: the secret of their cookies, their sessions, and the link of the first operator. */
import { join } from 'node:path'
import type { KeyFailures } from '../access/keys/key-failures.ts'
import { createLinkMail, type LinkMail } from '../access/mail/link-mail.ts'
import { createMail } from '../access/mail/mail.ts'
import { createMailRequests } from '../access/mail/mail-requests.ts'
import { createOneTimeLinks } from '../access/mail/one-time-links.ts'
import type { RateWindows } from '../access/rate-windows.ts'
import { createSessionGate } from '../access/sessions/session-gate.ts'
import { createAccounts } from '../access/sign-in/accounts.ts'
import { type AuthLibraryOptions, createAuthLibrary } from '../access/sign-in/auth-library.ts'
import { openFirstOperatorLink, removeFirstOperatorLink } from '../access/sign-in/first-operator.ts'
import { createOidc } from '../access/sign-in/oidc.ts'
import { createPasswordHashing, type PasswordHashing } from '../access/sign-in/password-hashing.ts'
import { openPortalSecret } from '../access/sign-in/portal-secret.ts'
import { createSignInLimits } from '../access/sign-in/sign-in-limits.ts'
import type { Changes } from '../stores/changes.ts'
import { deleteExpired } from '../stores/postgres/accounts/accounts.ts'
import type { Database } from '../stores/postgres/client.ts'
import type { AuthDeps } from '../surfaces/auth/deps.ts'
import { type Host, publicAddress } from './host.ts'
import type { Stops } from './shutdown.ts'

export type AccountParts = {
  auth: AuthDeps
  hashing: PasswordHashing
  /** The path of the page that makes the first operator; undefined when an operator exists. */
  firstOperatorPath: string | undefined
  linkMail: LinkMail
}

const CLEAN_UP_MS = 6 * 3_600_000
const BODY_BYTES = 16 * 1024

export type AccountNeeds = { db: Database; changes: Changes; windows: RateWindows; failures: KeyFailures }

export async function openAccounts(
  { config, logger, warn }: Host,
  { db, changes, windows, failures }: AccountNeeds,
  stops: Stops,
): Promise<AccountParts> {
  const secret = await openPortalSecret(db, {
    configured: config.portalSecret,
    file: join(config.home, 'portal.secret'),
    isShared: config.postgresUrl !== undefined,
  })
  const libraryOptions: AuthLibraryOptions = {
    secret,
    publicUrl: publicAddress(config),
    onMessage: (level, text) => logger[level]({ library: 'better-auth' }, text),
  }
  const library = createAuthLibrary(db, libraryOptions)
  const hashing = createPasswordHashing()
  const limits = createSignInLimits(windows, {
    perAddress: config.signInsPerAddress,
    perAccount: config.signInsPerAccount,
  })
  const isSignUpOpen = config.signUp === 'open'
  const links = createOneTimeLinks(db, changes, { hashing, isSignUpOpen })
  const sessions = createSessionGate({
    db,
    changes,
    secret,
    onError: warn('the use of a session could not be noted'),
  })
  const accounts = createAccounts({ db, changes, library, hashing, limits, secret, failures })
  const { smtpUrl, publicUrl } = config
  const mail =
    smtpUrl === undefined
      ? undefined
      : createMail({
          smtpUrl,
          from: config.mailFrom,
          onError: (error) => logger.error({ err: error }, 'a mail could not be sent'),
        })
  if (mail !== undefined) stops.onStop('mails', mail.stop)
  const mailRequests = createMailRequests({
    db,
    links,
    limits,
    mail,
    publicUrl,
    isSignUpOpen,
    onError: (error) => logger.error({ err: error }, 'a link for a visitor could not be made'),
  })
  const oidc = config.oidc && createOidc({ db, changes, windows }, libraryOptions, { ...config.oidc, isSignUpOpen })
  const cleanUp = (): Promise<void> => deleteExpired(db).catch(warn('expired sessions could not be deleted'))
  await cleanUp()
  const timer = setInterval(() => void cleanUp(), CLEAN_UP_MS)
  timer.unref()
  stops.onStop('expiry of sessions', () => clearInterval(timer))
  const firstOperatorFile = config.firstOperatorFile
  return {
    hashing,
    linkMail: createLinkMail(mail, publicUrl, limits),
    firstOperatorPath: await openFirstOperatorLink(db, links, firstOperatorFile),
    auth: {
      db,
      accounts,
      links,
      limits,
      mailRequests,
      oidc,
      sessions,
      secret,
      body: { maxBytes: BODY_BYTES, timeoutMs: config.bodyTimeoutMs },
      available: {
        oidc: oidc !== undefined,
        signUp: config.signUp,
        mail: mail !== undefined,
        mqtt: config.mqtt === undefined ? null : { port: config.mqtt.port, tls: config.mqtt.tls !== undefined },
      },
      onOperator: () => removeFirstOperatorLink(firstOperatorFile),
    },
  }
}
