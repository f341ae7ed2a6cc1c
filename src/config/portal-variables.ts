/** Variables of the portal and its accounts; part of variables.ts. */
import { choice, text, url, type Variables, whole } from './variable.ts'

export const portal = {
  MAP_PMTILES: text(
    'Base map of the portal: path of a PMTiles file, which this server serves, or the `https://` URL of one, which browsers then read from its host. Without it, the map shows the bundled outline of the world.',
  ),
  PUBLIC_URL: url(
    ['http:', 'https:'],
    'the address that the server listens on',
    'Address at which browsers reach this server, for example `https://gis.example.org`; used in links.',
  ),
  PORTAL_SECRET: {
    ...text(
      'Secret of at least 32 characters that signs the cookies of sessions; the same for all instances. If unset, the first start makes one: in `portal.secret` in `DATA_DIR`, or in the database if `POSTGRES_URL` is set. Another secret ends all sessions, and makes secrets of destinations unreadable.',
    ),
    secret: true,
  },
  SIGN_UP: choice(
    'closed',
    ['closed', 'open'],
    'With `open`, anybody can create an account, as a person on the plan free; it needs `SMTP_URL`, since a link is sent to the address.',
  ),
  SMTP_URL: {
    ...url(
      ['smtp:', 'smtps:'],
      'no mail; a link is only shown to the person who makes it, and destinations cannot be of the kind `email`',
      '`smtps://user:password@host:465` or `smtp://user:password@host:587` of a mail server; needs `PUBLIC_URL`. With `smtp:` and a password, a server on another machine must offer STARTTLS.',
    ),
    secret: true,
  },
  MAIL_FROM: text(
    'Sender of mails, for example `Groundwave <no-reply@example.org>`; by default `no-reply@` the host of `PUBLIC_URL`.',
  ),
  WEBHOOK_ALLOW: text(
    'Hosts, addresses and CIDR ranges, separated by commas, that destinations of events may have although they are not public, also with `http:` and other ports; for example `hooks.internal,10.1.0.0/16`. By default, only public addresses with `https:`.',
  ),
  DELIVERY_TIME_SCALE: whole(
    { default: 1, min: 1, max: 1_000_000 },
    'Divides the pauses between attempts to deliver an event, and the times after which an event is replaced or a destination is disabled; for tests.',
  ),
  OIDC_ISSUER: url(
    ['https:', 'http:'],
    'only passwords',
    'Issuer of OpenID Connect through which people sign in, beside passwords; needs `PUBLIC_URL`. Register `PUBLIC_URL/auth/callback/oidc` there.',
  ),
  OIDC_CLIENT_ID: text('Id of this server at `OIDC_ISSUER`.'),
  OIDC_CLIENT_SECRET: { ...text('Secret of this server at `OIDC_ISSUER`.'), secret: true },
  SIGN_INS_PER_ADDRESS: whole(
    { default: 100, min: 1, max: 1_000_000_000 },
    'Attempts to sign in or to use a one-time link that one address may make in ten minutes; a sign-in through OpenID Connect is two.',
  ),
  SIGN_INS_PER_ACCOUNT: whole(
    { default: 10, min: 1, max: 1_000_000_000 },
    'Attempts to sign in to one account that one address may make in ten minutes. A browser in which somebody has signed in to the account before is counted apart.',
  ),
} as const satisfies Variables
