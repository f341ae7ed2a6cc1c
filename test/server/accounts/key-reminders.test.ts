/** Keys that expire soon, are old or unused: which are listed, why, and in which order. */
import { afterAll, expect, test } from 'bun:test'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { connectTo } from '../../support/stores/with-sql.ts'

type Reminder = { kind: string; id: string; name: string; holderId: string | null; reasons: string[] }
type Page = { items: Reminder[]; nextCursor: string | null }

const DAY_MS = 86_400_000
const instance = await sharedInstance()
const organization = await instance.organization()
const database = connectTo(instance)
// as if the use of keys had been noted for years
await database`UPDATE migrations SET applied_at = now() - interval '1000 days'`
afterAll(() => database.close())

const after = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()
const list = (query = ''): Promise<Page> => instance.manage('GET', `/owners/${organization.id}/key-reminders${query}`)

test('each key of an owner is listed with its reasons, by expiry, and other keys are not', async () => {
  const { id: sensor } = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  const application = organization.applicationId
  const toolApi = await instance.manage<{ id: string }>('POST', `/owners/${organization.id}/tool-apis`, {
    tool: 'vector.centroids',
    name: 'Centroids',
  })
  expect((await list()).items).toEqual([])
  const add = async (holder: string, name: string, expiresAt?: string): Promise<string> => {
    const body = { name, ...(expiresAt && { expiresAt }) }
    const { id } = await instance.manage<{ id: string }>('POST', `/${holder}/keys`, body)
    return id
  }
  const soon = await add(`sensors/${sensor}`, 'soon', after(13))
  await add(`sensors/${sensor}`, 'later', after(15))
  const old = await add(`applications/${application}`, 'old')
  const unused = await add(`tool-apis/${toolApi.id}`, 'unused', after(300))
  const ended = await add(`sensors/${sensor}`, 'ended', after(1))
  const endedLongAgo = await add(`sensors/${sensor}`, 'ended long ago', after(1))
  const revoked = await add(`sensors/${sensor}`, 'revoked', after(1))
  await database`UPDATE application_keys SET created_at = now() - interval '366 days', last_used_at = now() WHERE id = ${old}`
  await database`UPDATE tool_api_keys SET created_at = now() - interval '200 days', last_used_at = now() - interval '91 days' WHERE id = ${unused}`
  await database`UPDATE sensor_keys SET expires_at = now() - interval '13 days', created_at = now() - interval '900 days' WHERE id = ${ended}`
  await database`UPDATE sensor_keys SET expires_at = now() - interval '15 days' WHERE id = ${endedLongAgo}`
  await instance.manage('DELETE', `/sensors/${sensor}/keys/${revoked}`)
  const fleetKey = await instance.manage<{ id: string; keys: { id: string }[] }>(
    'POST',
    `/enterprises/${organization.id}/fleet-keys`,
    { name: 'Gateway', expiresAt: after(12) },
  )
  // the rotated one ends as it should, and needs no second rotation
  const rotated = await instance.manage<{ id: string }>('POST', `/enterprises/${organization.id}/fleet-keys`, {
    name: 'Rotated',
  })
  await instance.manage('POST', `/fleet-keys/${rotated.id}/keys`)

  const ofFleet = fleetKey.keys[0]?.id ?? ''
  const { items, nextCursor } = await list()
  expect(items.map(({ kind, id, holderId, reasons }) => [kind, id, holderId, reasons])).toEqual([
    ['sensor-key', ended, sensor, ['expired']],
    ['fleet-key-secret', ofFleet, fleetKey.id, ['expiring']],
    ['sensor-key', soon, sensor, ['expiring']],
    ['tool-api-key', unused, toolApi.id, ['unused']],
    ['application-key', old, application, ['old']],
  ])
  expect(nextCursor).toBeNull()
  // grouped by key
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const page = await list(`?limit=1${cursor}`)
    found.push(...page.items.map(({ id }) => id))
    if (page.nextCursor === null) break
    cursor = `&cursor=${page.nextCursor}`
  }
  expect(found).toEqual([ended, ofFleet, soon, unused, old])
  expect((await list('?olderThanDays=400')).items.map(({ id }) => id)).toEqual([ended, ofFleet, soon, unused])
  expect((await list('?olderThanDays=199')).items.find(({ id }) => id === unused)?.reasons).toEqual(['old', 'unused'])
  // keys from before their use was noted do not count as unused
  await database`UPDATE migrations SET applied_at = now() - interval '10 days'`
  await database`UPDATE tool_api_keys SET last_used_at = NULL WHERE id = ${unused}`
  expect((await list()).items.map(({ id }) => id)).toEqual([ended, ofFleet, soon, old])
  const other = await instance.organization()
  expect((await instance.manage<Page>('GET', `/owners/${other.id}/key-reminders`)).items).toEqual([])
}, 60_000)

test('tokens of operators', async () => {
  const make = (name: string, expiresAt?: string) =>
    instance.manage<{ id: string }>('POST', '/operators/tokens', { name, ...(expiresAt && { expiresAt }) })
  const [soon, old] = [await make('soon', after(2)), await make('old')]
  await make('fresh')
  await database`UPDATE operator_tokens SET created_at = now() - interval '400 days' WHERE id = ${old.id}`
  const { items } = await instance.manage<Page>('GET', '/operators/token-reminders')
  expect(items.map(({ kind, id, reasons }) => [kind, id, reasons])).toEqual([
    ['operator-token', soon.id, ['expiring']],
    ['operator-token', old.id, ['old', 'unused']],
  ])
}, 60_000)

test.each(['?olderThanDays=0', '?olderThanDays=x', '?limit=1001', '?cursor=x', '?nope=1'])(
  '%s is refused',
  async (query) => {
    const response = await fetch(`${instance.url()}/manage/v1/owners/${organization.id}/key-reminders${query}`, {
      headers: { authorization: `Bearer ${instance.operatorToken()}` },
    })
    const { code, errors } = (await response.json()) as Envelope
    expect([response.status, code]).toEqual([422, 'VALIDATION_FAILED'])
    expect(errors?.[0]?.field).toBe(`query.${query.slice(1).split('=')[0]}`)
  },
)
