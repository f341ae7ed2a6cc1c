/** Variables of the portal and its accounts; part of variables.ts. */
import { type Variables, whole } from './variable.ts'

export const portal = {
  MAP_PMTILES: {
    kind: 'text',
    default: '',
    meaning:
      'Base map of the portal: path of a PMTiles file, which this server serves, or the `https://` URL of one, which browsers then read from its host. Without it, the map shows the bundled outline of the world.',
  },
  PUBLIC_URL: {
    kind: 'url',
    protocols: ['http:', 'https:'],
    unset: 'the address that the server listens on',
    meaning: 'Address at which browsers reach this server, for example `https://gis.example.org`; used in links.',
  },
  PORTAL_SECRET: {
    kind: 'text',
    secret: true,
    default: '',
    meaning:
      'Secret of at least 32 characters that signs the cookies of sessions; the same for all instances. If unset, the first start makes one: in `portal.secret` in `DATA_DIR`, or in the database if `POSTGRES_URL` is set. Another secret ends all sessions.',
  },
  SIGN_UP: {
    kind: 'choice',
    default: 'closed',
    allowed: ['closed', 'open'],
    meaning:
      'With `open`, anybody can create an account, as a person on the plan free; it needs `SMTP_URL`, since a link is sent to the address.',
  },
  SMTP_URL: {
    kind: 'url',
    secret: true,
    protocols: ['smtp:', 'smtps:'],
    unset: 'no mail; links are only shown to whoever makes them',
    meaning:
      '`smtps://user:password@host:465` or `smtp://user:password@host:587` of a mail server; needs `PUBLIC_URL`. With `smtp:` and a password, a server on another machine must offer STARTTLS.',
  },
  MAIL_FROM: {
    kind: 'text',
    default: '',
    meaning:
      'Sender of mails, for example `Groundwave <no-reply@example.org>`; by default `no-reply@` the host of `PUBLIC_URL`.',
  },
  OIDC_ISSUER: {
    kind: 'url',
    protocols: ['https:', 'http:'],
    unset: 'only passwords',
    meaning:
      'Issuer of OpenID Connect through which people sign in, beside passwords; needs `PUBLIC_URL`. Register `PUBLIC_URL/auth/callback/oidc` there.',
  },
  OIDC_CLIENT_ID: { kind: 'text', default: '', meaning: 'Id of this server at `OIDC_ISSUER`.' },
  OIDC_CLIENT_SECRET: { kind: 'text', secret: true, default: '', meaning: 'Secret of this server at `OIDC_ISSUER`.' },
  SIGN_INS_PER_ADDRESS: whole(
    { default: 100, min: 1, max: 1_000_000_000 },
    'Attempts to sign in or to use a one-time link that one address may make in ten minutes.',
  ),
  SIGN_INS_PER_ACCOUNT: whole(
    { default: 10, min: 1, max: 1_000_000_000 },
    'Attempts to sign in to one account in ten minutes.',
  ),
} as const satisfies Variables
