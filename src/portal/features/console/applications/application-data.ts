/** Shared by the pages of applications. */
import type { components } from '../../../api/schema.d.ts'

export type Application = components['schemas']['Application']
export type ApplicationKey = Application['keys'][number]

export const isInForce = ({ revokedAt, expiresAt }: ApplicationKey, nowMs: number): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > nowMs)

/** Without a choice, an application that may run every tool may read sensors too. */
export const readsSensors = ({ assets, tools }: Pick<Application, 'assets' | 'tools'>): boolean =>
  assets ?? tools === 'all'

/** The last use of any of its keys; null when none was ever used. */
export const lastUse = ({ keys }: Application): string | null =>
  keys.reduce<string | null>(
    (last, { lastUsedAt }) => (lastUsedAt !== null && (last === null || lastUsedAt > last) ? lastUsedAt : last),
    null,
  )
