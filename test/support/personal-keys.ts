/** People with personal API keys, and their calls. */

import type { Instance } from './server/instance.ts'
import { type Answer, callAs, nextEmail } from './sessions.ts'

export type PersonalKey = {
  id: string
  keyId: string
  key: string
  name: string
  lastFour: string
  expiresAt: string | null
  lastUsedAt: string | null
}
export type Person = { id: string; email: string }

export const personOn = async (instance: Instance, plan = 'pro'): Promise<Person> =>
  instance.manage('POST', '/people', { email: nextEmail('person'), plan })

export const keyOf = (instance: Instance, { id }: Pick<Person, 'id'>, more: object = {}): Promise<PersonalKey> =>
  instance.manage('POST', `/people/${id}/api-keys`, { name: 'Script', ...more })

export const callWithKey = <T = Record<string, unknown>>(
  instance: Pick<Instance, 'url'>,
  { key }: { key: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> =>
  callAs<T>(instance.url(), undefined, method, path, { body, headers: { authorization: `Bearer ${key}`, ...headers } })
