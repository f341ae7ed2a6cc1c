/**
 * Events to receivers that fail, and a comparison of what arrived with what was recorded and with the log. An arrival is a
 * request to which a receiver answered 200.
 */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { attachEmbeddedPostgres, type Database } from '../../../src/stores/postgres/client.ts'
import { recordEvents } from '../../../src/stores/postgres/events/events.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import type { Random } from '../random.ts'
import type { Instance, Organization } from '../server/instance.ts'
import { until } from '../until.ts'
import { openReceiver } from './failing-receiver.ts'

export type DeliveryPlan = {
  instance: Instance
  organization: Organization
  receivers: number
  subjects: number
  events: number
  perSecond: number
  /** How long a receiver disappears. */
  awayMs: number
  randomOf(loop: string): Random
}

type Arrival = { id: string; subject: string; number: number; body: string }
type Event = { id: string; subject: string; number: number; isState: boolean }

/** What went wrong, with the events concerned; all empty if nothing did. */
export type DeliveryFaults = Record<
  'lost' | 'deliveredWithoutArrival' | 'unknown' | 'otherBytes' | 'outOfOrder' | 'newestNotLast',
  string[]
>

const TYPES = ['alert.firing', 'alert.resolved', 'job.finished'] as const
/** Of four subjects three have states, of which newer ones replace older ones, and one has events that are all delivered. */
function eventOf(number: number, subjects: number): Event & { type: string; key: string } {
  const of = number % subjects
  const isState = of % 4 !== 3
  const type = TYPES[isState ? Math.floor(number / subjects) % 2 : 2] as string
  const key = `run ${number}`
  return { id: eventIdOf(type, key), subject: `subject ${of}`, number, isState, type, key }
}

export type RecordedEvent = { type: string; key: string; subject: string; rule: string; data: object }

/** The id of an event, made as the server makes it. */
export const eventIdOf = (type: string, key: string): string =>
  `evt_${new Bun.CryptoHasher('sha256').update(`${type} ${key}`).digest('hex').slice(0, 32)}`

/** Tries until it succeeds, since PostgreSQL may be killed meanwhile. */
export async function untilStored<T>(store: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await store()
    } catch {
      await Bun.sleep(50)
    }
}

/** An event that is there already is left out. */
export function recordOnce(db: Database, enterpriseId: string, event: RecordedEvent): Promise<void> {
  const { type, key, subject, rule, data } = event
  const source = sql`SELECT ${enterpriseId}::text AS enterprise_id, ${type}::text AS type, ${key}::text AS key,
    ${subject}::text AS subject, NULL::text AS severity, ${rule}::text AS rule_id, NULL::text AS sensor_id,
    1 AS ordinal, ${JSON.stringify(data)}::text::jsonb AS data`
  return untilStored(() => db.transaction((tx) => recordEvents(tx, [enterpriseId], source)))
}

/** The leases of attempts of a server that was killed at that time are over, as after half a minute. */
export async function endLeases(db: Database, killedMs: number): Promise<void> {
  await db.execute(sql`UPDATE deliveries SET leased_until = now()
    WHERE leased_until > now() AND leased_until <= to_timestamp(${killedMs}::float8 / 1000) + interval '30 seconds'`)
}

/** Destinations of the receivers: each gets the events of a rule. */
async function addDestinations(
  db: Database,
  { instance, organization }: DeliveryPlan,
  ports: readonly number[],
): Promise<void> {
  for (const [i, port] of ports.entries()) {
    const path = `/enterprises/${organization.id}/destinations`
    const url = `http://127.0.0.1:${port}/`
    const { id } = await instance.manage<{ id: string }>('POST', path, {
      kind: 'webhook',
      name: `Receiver ${i}`,
      url,
      events: TYPES,
    })
    await db.execute(sql`UPDATE destinations SET rule_ids = ARRAY[${`rule ${i}`}::text] WHERE id = ${id}`)
  }
}

/** The server needs `WEBHOOK_ALLOW` for 127.0.0.1. */
export async function startDeliveryRun(plan: DeliveryPlan) {
  const { instance, organization, subjects, events } = plan
  const postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
  const { db } = postgres
  const arrivals: Arrival[] = []
  const receivers = Array.from({ length: plan.receivers }, (_, i) =>
    openReceiver(plan.randomOf(`receiver ${i}`), plan.awayMs, (id, body) => {
      const { subject, number } = (JSON.parse(body) as { data: { subject: string; number: number } }).data
      arrivals.push({ id, subject, number, body })
    }),
  )
  const ports = await Promise.all(receivers.map((receiver) => receiver.open()))
  await addDestinations(db, plan, ports)

  async function record(number: number): Promise<void> {
    const { type, key, subject } = eventOf(number, subjects)
    const rule = `rule ${(number % subjects) % plan.receivers}`
    await recordOnce(db, organization.id, { type, key, subject, rule, data: { subject, number } })
  }
  const startedMs = performance.now()
  const recording = (async () => {
    for (let number = 0; number < events; number++) {
      await Bun.sleep(Math.max(0, startedMs + (number * 1000) / plan.perSecond - performance.now()))
      await record(number)
    }
  })()

  const pending = async (): Promise<number> => {
    const rows = await db.execute(sql`SELECT count(*)::integer AS count FROM deliveries WHERE status = 'pending'`)
    return rowsOf<{ count: number }>(rows)[0]?.count as number
  }
  return {
    arrivals: () => arrivals.length,
    recorded: recording,
    endLeases: (killedMs: number) => endLeases(db, killedMs),
    /** Waits until nothing is pending, and compares. */
    async finish(patienceMs: number): Promise<{ faults: DeliveryFaults; counts: Record<string, number> }> {
      await recording
      await until(async () => (await pending()) === 0, 'delivering what was recorded', patienceMs)
      const log = rowsOf<{ id: string; status: string; replacedBy: string | null }>(
        await db.execute(
          sql`SELECT event_id AS id, status, replaced_by AS "replacedBy" FROM deliveries WHERE enterprise_id = ${organization.id}`,
        ),
      )
      for (const receiver of receivers) receiver.close()
      await postgres.close()
      const expected = new Map(
        Array.from({ length: events }, (_, number) => eventOf(number, subjects)).map((event) => [event.id, event]),
      )
      const statuses = Map.groupBy(log, ({ status }) => status)
      const counts = Object.fromEntries([...statuses].map(([status, rows]) => [status, rows.length]))
      return { faults: faultsOf(expected, arrivals, log), counts: { ...counts, arrivals: arrivals.length } }
    },
  }
}

function faultsOf(
  expected: ReadonlyMap<string, Event>,
  arrivals: readonly Arrival[],
  log: readonly { id: string; status: string; replacedBy: string | null }[],
): DeliveryFaults {
  const byId = Map.groupBy(arrivals, ({ id }) => id)
  const logOf = new Map(log.map((row) => [row.id, row]))
  const isReplaced = ({ id, subject, number, isState }: Event): boolean => {
    const newer = expected.get(logOf.get(id)?.replacedBy ?? '')
    return isState && newer !== undefined && newer.subject === subject && newer.number > number
  }
  const ids = (list: Iterable<{ id: string }>): string[] => Array.from(list, ({ id }) => id)
  const subjects = [...Map.groupBy(expected.values(), ({ subject }) => subject)]
  const arrived = Map.groupBy(arrivals, ({ subject }) => subject)
  return {
    lost: ids([...expected.values()].filter((event) => !byId.has(event.id) && !isReplaced(event))),
    deliveredWithoutArrival: ids(log.filter(({ id, status }) => status === 'delivered' && !byId.has(id))),
    unknown: ids(arrivals.filter(({ id, number }) => expected.get(id)?.number !== number)),
    otherBytes: [...byId].filter(([, same]) => new Set(same.map(({ body }) => body)).size > 1).map(([id]) => id),
    outOfOrder: [...arrived.values()].flatMap((own) =>
      ids(own.filter(({ number }, i) => i > 0 && number < (own[i - 1] as Arrival).number)),
    ),
    newestNotLast: subjects
      .filter(([subject, own]) => arrived.get(subject)?.at(-1)?.number !== own.at(-1)?.number)
      .map(([subject]) => subject),
  }
}
