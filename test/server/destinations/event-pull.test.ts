/** Pulling events over HTTP. */
import { expect, test } from 'bun:test'
import { lacksArabic } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { callAs, memberAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'

const instance = await sharedInstance()
const organization = await instance.organization('scale')
const home = organization.id
const member = await memberAccount(instance, home, 'member')

type Pulled = { items: { id: string; type: string; data: Record<string, unknown> }[]; nextCursor: string | null }
const pull = (query: string) =>
  callAs<Pulled>(instance.url(), member, 'GET', `/enterprise/v1/events${query}`, { enterprise: home })
let made = 0
async function put(count: number, type = 'job.finished'): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `evt_${process.pid}_${++made}`)
  await withSql(instance, async (sql) => {
    for (const id of ids)
      await sql`INSERT INTO events (id, enterprise_id, type, subject, sequence, data)
        VALUES (${id}, ${home}, ${type}, ${id}, 1, '{}')`
  })
  return ids
}
const idsOf = ({ items }: Pulled): string[] => items.map(({ id }) => id)

test('events are pulled page by page, and again from any of them', async () => {
  const ids = await put(5)
  const first = (await pull('?limit=2')).data
  expect([idsOf(first), first.nextCursor]).toEqual([ids.slice(0, 2), ids[1] as string])
  const second = (await pull(`?limit=3&after=${ids[1]}`)).data
  expect([idsOf(second), second.nextCursor]).toEqual([ids.slice(2), null])
  const [firing] = await put(1, 'alert.firing')
  expect(idsOf((await pull('?types=alert.firing,alert.resolved')).data)).toEqual([firing as string])
})

test('an unknown event and a wrong type are refused', async () => {
  const other = await instance.organization('scale')
  const [ofOther] = [`evt_${process.pid}_other`]
  await withSql(
    instance,
    (sql) =>
      sql`INSERT INTO events (id, enterprise_id, type, subject, sequence, data)
        VALUES (${ofOther as string}, ${other.id}, 'job.finished', 'a', 1, '{}')`,
  )
  for (const query of ['?after=evt_gone', `?after=${ofOther}`, '?types=alert.fired', '?wait=31', '?limit=1001']) {
    const { status, errors = [] } = await pull(query)
    expect([query, status, errors.filter(lacksArabic)]).toEqual([query, 422, []])
  }
})

test('an answer is held until there is an event, and ends without one after the wait', async () => {
  const [last] = (await put(1)).slice(-1)
  const held = pull(`?after=${last}&wait=30`)
  const [next] = await put(1)
  const startedMs = performance.now()
  expect(idsOf((await held).data)).toEqual([next as string])
  expect(performance.now() - startedMs).toBeLessThan(5_000)
  const emptyMs = performance.now()
  expect((await pull(`?after=${next}&wait=1`)).data).toEqual({ items: [], nextCursor: null })
  expect(performance.now() - emptyMs).toBeGreaterThan(900)
})
