/**
 * Tables of accounts (sql/postgres/0013-accounts.sql). Where better-auth reads and writes a table, properties have the
 * names that it expects; the columns have ours.
 */
import { boolean, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, revokedAt, timestampColumn, updatedAt } from '../columns.ts'

/** An account's display preferences for the portal. */
export type Preferences = {
  language?: 'en' | 'ar'
  theme?: 'auto' | 'light' | 'dark'
  /** `arab`: ٠١٢٣. */
  digits?: 'latn' | 'arab'
  /** Time zone of displayed times: the device's, or UTC. */
  zone?: 'local' | 'utc'
}

export const accounts = pgTable('accounts', {
  id: text('id').primaryKey(),
  email: text('email').notNull(),
  name: text('name').notNull(),
  emailVerified: boolean('email_verified').notNull().default(false),
  isOperator: boolean('is_operator').notNull().default(false),
  image: text('image'),
  preferences: jsonb('preferences').$type<Preferences>().notNull().default({}),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const accountLogins = pgTable('account_logins', {
  id: text('id').primaryKey(),
  userId: text('account_id').notNull(),
  providerId: text('provider').notNull(),
  accountId: text('subject').notNull(),
  password: text('password_hash'),
  accessToken: text('access_token'),
  refreshToken: text('refresh_token'),
  idToken: text('id_token'),
  accessTokenExpiresAt: timestampColumn('access_token_expires_at'),
  refreshTokenExpiresAt: timestampColumn('refresh_token_expires_at'),
  scope: text('scope'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const sessions = pgTable('sessions', {
  id: text('id').primaryKey(),
  /** SHA-256 of the token in hex (access/sessions/session-tokens.ts). */
  token: text('token_sha256').notNull(),
  userId: text('account_id').notNull(),
  ipAddress: text('address'),
  userAgent: text('user_agent'),
  expiresAt: timestampColumn('expires_at').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const oneTimeLinks = pgTable('one_time_links', {
  id: text('id').primaryKey(),
  tokenSha256: text('token_sha256').notNull(),
  kind: text('kind', { enum: ['operator', 'invitation', 'person', 'sign-up', 'reset'] }).notNull(),
  email: text('email'),
  enterpriseId: text('enterprise_id'),
  role: text('role', { enum: ['owner', 'admin', 'member'] }),
  personId: text('person_id'),
  accountId: text('account_id'),
  mailedOnly: boolean('mailed_only').notNull().default(false),
  memberId: text('member_id'),
  createdBy: text('created_by').notNull(),
  makerRole: text('maker_role', { enum: ['server', 'operator', 'owner', 'admin', 'member', 'person'] }),
  makerId: text('maker_id'),
  makerTokenId: text('maker_token_id'),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at').notNull(),
  usedAt: timestampColumn('used_at'),
  revokedAt: revokedAt(),
})

export const portalSecret = pgTable('portal_secret', {
  isOnly: boolean('is_only').primaryKey().default(true),
  secret: text('secret').notNull(),
  createdAt: createdAt(),
})

export const operatorTokens = pgTable('operator_tokens', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  tokenSha256: text('token_sha256').notNull(),
  lastFour: text('last_four').notNull(),
  createdBy: text('created_by').notNull(),
  /** The account of the operator; null for a token that was made with the server's token. */
  makerId: text('maker_id'),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at'),
  lastUsedAt: timestampColumn('last_used_at'),
  revokedAt: revokedAt(),
})
