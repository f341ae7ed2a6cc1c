/** How mails end when PostgreSQL is away after they were sent. */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { Mail } from '../../../src/access/mail/mail.ts'
import { startMailer } from '../../../src/destinations/mail/mailer.ts'
import type { ClickHouse } from '../../../src/stores/clickhouse/client.ts'
import type { Database } from '../../../src/stores/postgres/client.ts'
import { listDeliveries } from '../../../src/stores/postgres/destinations/deliveries.ts'
import { recordEvents } from '../../../src/stores/postgres/events/events.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'
import { until } from '../../support/until.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres

test('a mail that was sent is not sent again because its end could not be stored at once', async () => {
  await postgres.script(`
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale');
    INSERT INTO destinations (id, enterprise_id, kind, name, language, events)
      VALUES ('dst_1', 'ent_1', 'email', 'Night', 'en', '{job.finished}');
    INSERT INTO destination_addresses (id, destination_id, enterprise_id, email, state)
      VALUES ('dad_1', 'dst_1', 'ent_1', 'a@example.org', 'confirmed')`)
  await db.transaction((tx) =>
    recordEvents(
      tx,
      ['ent_1'],
      sql`SELECT 'ent_1' AS enterprise_id, 'job.finished' AS type, 'a' AS key, 'a' AS subject, NULL::text AS severity,
        NULL::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal, '{}'::jsonb AS data`,
    ),
  )
  const sent: string[] = []
  const errors: unknown[] = []
  let isAway = false
  const mail = {
    deliver: async ({ to }: { to: string }) => {
      sent.push(to)
      isAway = true
      return '250 ok'
    },
  } as unknown as Mail
  const seen = new Proxy(db, {
    get(target, name) {
      if (name === 'transaction' && isAway) return () => Promise.reject(new Error('the server is away'))
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Database
  const mailer = startMailer({
    db: seen,
    clickhouse: {} as ClickHouse,
    mail,
    secret: 'x'.repeat(32),
    timeScale: 1,
    publicUrl: 'https://example.org',
    onAttempt: () => undefined,
    onError: (error) => errors.push(error),
  })
  await until(() => errors.length > 0, 'the failure')
  isAway = false
  const status = async () => (await listDeliveries(db, 'dst_1', { limit: 1, cursor: undefined })).items[0]?.status
  await until(async () => (await status()) === 'delivered', 'the end')
  await mailer.stop()
  expect(sent).toEqual(['a@example.org'])
})
