/** Ends of many attempts at once, and what the attempts of a delivery send. */
import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { type AttemptEnd, endAttempts } from '../../../src/stores/postgres/destinations/attempt-ends.ts'
import { type DueDelivery, takeDeliveries } from '../../../src/stores/postgres/destinations/delivery-queue.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import { migratedPostgres } from '../../support/stores/migrated-postgres.ts'

const { postgres } = await migratedPostgres()
const { db } = postgres

beforeEach(() =>
  postgres.script(`
    DELETE FROM enterprises;
    INSERT INTO enterprises (id, name, tier) VALUES ('ent_1', 'One', 'scale'), ('ent_2', 'Two', 'scale');
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets)
    VALUES ('dst_1', 'ent_1', 'webhook', 'd', 'https://example.org', 'standard', '{alert.firing}', '', '')`),
)

const options = { limit: 100, timeScale: 1, publicUrl: 'https://example.org' }
const facts = { statusCode: 200, failure: null, answer: '', durationMs: 1 }
const delivered: AttemptEnd = { ...facts, status: 'delivered' }
const failed = (inMs: number): AttemptEnd => ({
  ...facts,
  statusCode: 500,
  status: 'failed',
  next: new Date(Date.now() + inMs),
  notBefore: undefined,
  isGone: false,
  giveUpAfterMs: 72 * 3_600_000,
})

test('all attempts send the bytes of the first one', async () => {
  await postgres.script(`
    INSERT INTO events (id, enterprise_id, type, subject, sequence, data) VALUES ('evt_1', 'ent_1', 'alert.firing', 's', 1, '{}');
    INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject)
    VALUES ('dlv_1', 'dst_1', 'ent_1', 'evt_1', 1, 'alert.firing', 's')`)
  const bodies: string[] = []
  for (const [text, inMs] of [
    ['first', -1_000],
    ['second', 0],
  ] as const) {
    const { deliveries } = await takeDeliveries(db, {
      ...options,
      bodyOf: () => new TextEncoder().encode(`{"é":"${text}\\"}`),
    })
    bodies.push(...deliveries.map(({ body }) => new TextDecoder().decode(body as Uint8Array)))
    expect(await endAttempts(db, [{ delivery: deliveries[0] as DueDelivery, end: failed(inMs) }])).toEqual([])
  }
  expect(bodies).toEqual(['{"é":"first\\"}', '{"é":"first\\"}'])
})

test('ends of many attempts are stored together', async () => {
  await postgres.script(`
    INSERT INTO destinations (id, enterprise_id, kind, name, url, format, events, public_key, sealed_secrets, failing_since)
    SELECT 'dst_' || n, 'ent_' || (1 + n % 2), 'webhook', 'd' || n, 'https://example.org', 'standard', '{alert.firing}', '', '',
      CASE WHEN n > 4 THEN now() - interval '80 hours' END
    FROM generate_series(2, 7) n;
    INSERT INTO events (id, enterprise_id, type, subject, sequence, data)
    SELECT 'evt_' || n, 'ent_' || (1 + n % 2), 'alert.firing', 's' || n, 1, '{}' FROM generate_series(2, 7) n;
    INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject)
    SELECT 'dlv_' || n || k, 'dst_' || n, 'ent_' || (1 + n % 2), 'evt_' || n, 1, 'alert.firing', k
    FROM generate_series(2, 7) n, unnest('{a,b}'::text[]) k`)
  const taken = new Map(
    (await takeDeliveries(db, { ...options, bodyOf: () => null })).deliveries.map((delivery) => [
      delivery.id,
      delivery,
    ]),
  )
  const gone = { ...failed(0), next: undefined, isGone: true } as AttemptEnd
  const ends: Record<string, [AttemptEnd, AttemptEnd]> = {
    '2': [failed(60_000), delivered],
    '3': [delivered, failed(60_000)],
    // whatever else it answers
    '4': [gone, delivered],
    // without a success for too long
    '5': [failed(60_000), failed(60_000)],
    '6': [failed(60_000), delivered],
    '7': [failed(60_000), failed(60_000)],
  }
  const attempts = Object.entries(ends).flatMap(([n, both]) =>
    both.map((end, i) => ({ delivery: taken.get(`dlv_${n}${'ab'[i]}`) as DueDelivery, end })),
  )
  await postgres.db.transaction(async (tx) => {
    await tx.execute(sql`SELECT FROM destinations WHERE id = 'dst_7' FOR UPDATE`)
    // the transaction has one connection, and the call another one
    expect(await endAttempts(db, attempts)).toEqual(attempts.slice(-2))
  })
  const found = await db.execute(sql`
    SELECT substr(id, 5) AS id, failing_since IS NOT NULL AS failing, coalesce(disabled_reason, '') AS reason, (
      SELECT string_agg(status || coalesce(' ' || left(lease, 0), ''), ', ' ORDER BY id) FROM deliveries l WHERE l.destination_id = d.id) AS log
    FROM destinations d WHERE id <> 'dst_1' ORDER BY id`)
  expect(rowsOf<Record<string, unknown>>(found).map((row) => Object.values(row).join('|'))).toEqual([
    '2|false||pending, delivered',
    '3|true||delivered, pending',
    '4|false|gone|failed, delivered',
    '5|false|failing|failed, failed',
    '6|false||pending, delivered',
    '7|true||pending , pending ',
  ])
  const events = await db.execute(
    sql`SELECT enterprise_id AS owner, data ->> 'destinationId' AS id FROM events WHERE type = 'destination.disabled' ORDER BY 2`,
  )
  expect(rowsOf<object>(events).map((row) => ({ ...row }))).toEqual([
    { owner: 'ent_1', id: 'dst_4' },
    { owner: 'ent_2', id: 'dst_5' },
  ])
})
