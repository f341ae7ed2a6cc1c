/**
 * Events to destinations that group them, by webhook and by mail, and firing alerts that are repeated, all to receivers that
 * fail; and a comparison of what arrived with what was recorded and with the log. An arrival is a message that a receiver took.
 */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { attachEmbeddedPostgres, type Database } from '../../../src/stores/postgres/client.ts'
import { repeatAlerts } from '../../../src/stores/postgres/destinations/alert-repeats.ts'
import { rowsOf } from '../../../src/stores/postgres/rows.ts'
import type { Random } from '../random.ts'
import type { Instance, Organization } from '../server/instance.ts'
import { until } from '../until.ts'
import { endLeases, eventIdOf, recordOnce, untilStored } from './delivery-run.ts'
import { openReceiver } from './failing-receiver.ts'
import { type MailServer, textOf } from './mail-server.ts'

export type GroupedPlan = {
  instance: Instance
  organization: Organization
  smtp: MailServer
  /** Of a member. */
  email: string
  events: number
  perSecond: number
  randomOf(loop: string): Random
}

type Event = { id: string; to: string; subject: string; number: number; isState: boolean }
type Message = { to: string; id: string; body: string; events: { id: string; ruleId?: string }[]; count: number }
type LogRow = {
  to: string
  id: string
  type: string
  status: string
  attempts: number
  statusCode: number | null
  replacedBy: string | null
}

/** What went wrong, with the events concerned; all empty if nothing did. */
export type GroupedFaults = Record<
  | 'lost'
  | 'notEnded'
  | 'deliveredWithoutArrival'
  | 'wrongStatus'
  | 'moreThanAttempts'
  | 'tooOften'
  | 'unknown'
  | 'otherBytes'
  | 'wrongGroup'
  | 'outOfOrder'
  | 'newestNotLast'
  | 'wrongRepeats',
  string[]
>

/** The last one is for mails. */
const RULES = ['rule a', 'rule b', 'rule mail']
const SUBJECTS_OF_RULE = 5
const ALERTS = 6
const REPEATED = 'rule repeated'
/** Of the mails, those whose address is busy, and those that are refused after their content. */
const [BUSY, UNWANTED] = [0.1, 0.1]
const NAMED_IN_MAIL = 100
const HASTE_MS = 300

/** Every fifth subject of a rule has events of which none is replaced. */
function eventOf(number: number) {
  const rule = RULES[number % RULES.length] as string
  const turn = Math.floor(number / RULES.length)
  const of = turn % SUBJECTS_OF_RULE
  const isState = of !== 0
  const isEnd = Math.floor(turn / SUBJECTS_OF_RULE) % 2 === 1
  const type = isState ? (isEnd ? 'alert.resolved' : 'alert.firing') : 'zone.entered'
  const key = `grouped ${number}`
  const subject = `${rule} ${of}`
  return { id: eventIdOf(type, key), to: rule, subject, number, isState, type, key, rule }
}

/** The server needs `WEBHOOK_ALLOW` for 127.0.0.1, and `SMTP_URL`. */
export async function startGroupedRun({ instance, organization, smtp, email, ...plan }: GroupedPlan) {
  const postgres = attachEmbeddedPostgres(join(instance.dir, 'run/postgres'))
  const { db } = postgres
  const messages: Message[] = []
  const destinations = new Map<string, string>()

  async function add(rule: string, more: object): Promise<void> {
    const events = ['alert.firing', 'alert.resolved', 'zone.entered']
    const { id } = await instance.manage<{ id: string }>('POST', `/enterprises/${organization.id}/destinations`, {
      name: rule,
      events,
      ...more,
    })
    await db.execute(sql`UPDATE destinations SET rule_ids = ARRAY[${rule}::text] WHERE id = ${id}`)
    destinations.set(id, rule)
  }
  const receivers: ReturnType<typeof openReceiver>[] = []
  for (const rule of [...RULES.slice(0, -1), REPEATED]) {
    const receiver = openReceiver(plan.randomOf(rule), 1_000, (id, body) =>
      messages.push({ to: rule, id, body, ...contentOf(id, body) }),
    )
    receivers.push(receiver)
    const url = `http://127.0.0.1:${await receiver.open()}/`
    const more = rule === REPEATED ? { repeatSeconds: 60 } : { groupSeconds: 1 }
    await add(rule, { kind: 'webhook', url, ...more })
  }
  await add(RULES.at(-1) as string, { kind: 'email', to: email, groupSeconds: 1 })
  const mailRandom = plan.randomOf('mails')
  smtp.refuse = () => (mailRandom() < BUSY ? 451 : undefined)
  smtp.refuseContent = () => (mailRandom() < UNWANTED ? 451 : undefined)

  await db.execute(sql`
    INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, severity, started_at, fired_at, changed_at)
    SELECT 'alr_' || n || ${organization.id}, ${organization.id}, ${REPEATED}, 'sensor ' || n, 'warning', now(), now(),
      now() - interval '1 hour'
    FROM generate_series(1, ${ALERTS}::integer) n`)

  /** The minute between mails and the pause before a repetition are over soon. A failing address keeps its pauses. */
  async function hurry(): Promise<void> {
    await db.execute(sql`UPDATE destination_addresses SET next_mail_at = now()
      WHERE enterprise_id = ${organization.id} AND attempts = 0 AND next_mail_at > now()`)
    await db.execute(
      sql`UPDATE destinations SET repeats_since = now() - interval '1 hour' WHERE repeat_seconds IS NOT NULL`,
    )
    await db.execute(
      sql`UPDATE alert_repeats SET repeated_at = now() - interval '1 hour' WHERE repeated_at < now() - interval '1 second'`,
    )
    // as another instance looks: this one is killed before most of its looks
    await repeatAlerts(db, organization.id)
  }
  const stop = new AbortController()
  const { signal } = stop
  const hurrying = (async () => {
    // PostgreSQL may be away
    for (; !signal.aborted; await Bun.sleep(HASTE_MS)) await hurry().catch(() => undefined)
  })()
  const startedMs = performance.now()
  const recording = (async () => {
    for (let number = 0; number < plan.events; number++) {
      await Bun.sleep(Math.max(0, startedMs + (number * 1000) / plan.perSecond - performance.now()))
      const { type, key, subject, rule } = eventOf(number)
      // the name is in the title of the event in a mail
      await recordOnce(db, organization.id, {
        type,
        key,
        subject,
        rule,
        data: { ruleId: rule, sensorName: nameOf(number) },
      })
    }
  })()

  const pending = async (): Promise<number> => {
    const rows = await db.execute(sql`SELECT count(*)::integer AS count FROM deliveries WHERE status = 'pending'`)
    return rowsOf<{ count: number }>(rows)[0]?.count as number
  }
  return {
    /** The leases of a server that was killed at that time are over, as after some minutes. */
    async endLeases(killedMs: number): Promise<void> {
      await endLeases(db, killedMs)
      await db.execute(sql`UPDATE destination_addresses SET leased_until = now()
        WHERE leased_until > now() AND leased_until <= to_timestamp(${killedMs}::float8 / 1000) + interval '5 minutes'`)
    },
    /** Somebody acknowledges the alerts; waits until nothing is pending, and a while longer, and compares. */
    async finish(kills: number, patienceMs: number) {
      await recording
      const acknowledge = sql`UPDATE alerts SET acknowledged_at = now(), acknowledged_by = 'somebody' WHERE rule_id = ${REPEATED}`
      await untilStored(() => db.execute(acknowledge))
      await until(async () => (await pending()) === 0, 'delivering what was recorded', patienceMs)
      const mails = () => mailsOf(smtp, email)
      const before = messages.length + mails().length
      // longer than from one look for repetitions to the next
      await Bun.sleep(6_000)
      const sentAfterwards = messages.length + mails().length - before
      stop.abort()
      await hurrying
      for (const receiver of receivers) receiver.close()
      const log = await logOf(db, organization.id, destinations)
      const repeats = await repeatsOf(db, organization.id)
      await postgres.close()
      const all = [...messages, ...mails()]
      const expected = new Map<string, Event>(
        [...Array.from({ length: plan.events }, (_, number) => eventOf(number)), ...repeats.events].map((event) => [
          event.id,
          event,
        ]),
      )
      const counts = {
        groups: messages.filter(({ events }) => events.length > 1).length,
        mails: mails().length,
        repeats: repeats.events.length,
        replaced: log.filter(({ status }) => status === 'replaced').length,
        sentAfterwards,
      }
      return { faults: { ...faultsOf(expected, all, log, kills), wrongRepeats: repeats.wrong }, counts }
    },
  }
}

const nameOf = (number: number): string => `Sensor ${number}.`

function contentOf(id: string, body: string): Pick<Message, 'events' | 'count'> {
  const { type, data } = JSON.parse(body) as { type: string; data: { count?: number; ruleId?: string; events?: [] } }
  if (type !== 'group') return { events: [{ id }], count: 1 }
  const events = (data.events ?? []) as { id: string; data: { ruleId: string } }[]
  return { events: events.map((one) => ({ id: one.id, ruleId: one.data.ruleId })), count: data.count ?? 0 }
}

/**
 * A mail names its first 100 events by the names of their sensors, in their order; its subject counts all. Those that follow
 * are the next ones of the rule.
 */
function mailsOf(smtp: MailServer, email: string): Message[] {
  return smtp.mails
    .filter(({ to, subject }) => to.includes(email) && !subject.startsWith('Invitation'))
    .map((mail, i) => {
      const names = textOf(mail, 'text/plain').matchAll(/Sensor (\d+)\./g)
      const numbers = [...new Set(Array.from(names, ([, number]) => Number(number)))]
      const count = Number(/^(\d+) events/.exec(mail.subject)?.[1] ?? 1)
      for (let more = NAMED_IN_MAIL; more < count; more++) numbers.push((numbers.at(-1) as number) + RULES.length)
      const events = numbers.map((number) => ({ id: eventOf(number).id }))
      return { to: RULES.at(-1) as string, id: `mail ${i}`, body: mail.raw, events, count }
    })
}

async function logOf(db: Database, enterpriseId: string, destinations: ReadonlyMap<string, string>): Promise<LogRow[]> {
  const rows = await db.execute(sql`
    SELECT destination_id AS to, event_id AS id, type, status, attempts, status_code AS "statusCode", replaced_by AS "replacedBy"
    FROM deliveries WHERE enterprise_id = ${enterpriseId}`)
  return rowsOf<LogRow>(rows).map((row) => ({ ...row, to: destinations.get(row.to) as string }))
}

/** The repetitions of an alert are numbered from 1 on. */
async function repeatsOf(db: Database, enterpriseId: string): Promise<{ events: Event[]; wrong: string[] }> {
  const rows = rowsOf<{ id: string; subject: string; number: number }>(
    await db.execute(sql`SELECT id, subject, (data ->> 'repeat')::integer AS number FROM events
      WHERE enterprise_id = ${enterpriseId} AND rule_id = ${REPEATED} ORDER BY number`),
  )
  const wrong = [...Map.groupBy(rows, ({ subject }) => subject).values()].flatMap((own) =>
    own.filter(({ number }, i) => number !== i + 1).map(({ id }) => id),
  )
  return { events: rows.map((row) => ({ ...row, to: REPEATED, isState: true })), wrong }
}

function faultsOf(
  expected: ReadonlyMap<string, Event>,
  messages: readonly Message[],
  log: readonly LogRow[],
  kills: number,
): Omit<GroupedFaults, 'wrongRepeats'> {
  const arrivals = new Map<string, number>()
  for (const { to, events } of messages)
    for (const { id } of events) arrivals.set(`${to} ${id}`, (arrivals.get(`${to} ${id}`) ?? 0) + 1)
  const arrivalsOf = ({ to, id }: { to: string; id: string }): number => arrivals.get(`${to} ${id}`) ?? 0
  const ids = (list: Iterable<{ id: string }>): string[] => Array.from(list, ({ id }) => id)
  const all = [...expected.values()]
  const ofEvents = log.filter(({ type }) => type !== 'group')
  const rowOf = new Map(ofEvents.map((row) => [row.id, row]))
  function isReplaced(event: Event): boolean {
    const { status, replacedBy } = rowOf.get(event.id) ?? {}
    const newer = expected.get(replacedBy ?? '')
    return status === 'replaced' && event.isState && newer?.subject === event.subject && newer.number > event.number
  }
  const bySubject = Map.groupBy(
    messages.flatMap((message) => message.events.map(({ id }) => ({ message, event: expected.get(id) }))),
    ({ event }) => event?.subject,
  )
  const outOfOrder: string[] = []
  for (const own of bySubject.values()) {
    // a message that is sent again says what has been said
    const first = [...new Map(own.map(({ event }) => [event?.id, event])).values()]
    outOfOrder.push(...first.flatMap((event, i) => (i > 0 && isBefore(event, first[i - 1]) ? [event?.id ?? ''] : [])))
  }
  const byId = Map.groupBy(messages, ({ id }) => id)
  return {
    lost: ids(all.filter((event) => arrivalsOf(event) === 0 && !isReplaced(event))),
    notEnded: ids(all.filter(({ id }) => !rowOf.has(id))),
    deliveredWithoutArrival: ids(ofEvents.filter((row) => row.status === 'delivered' && arrivalsOf(row) === 0)),
    wrongStatus: ids(
      log.filter(
        ({ status, statusCode }) =>
          status === 'failed' || (status === 'delivered' && ![200, 250].includes(statusCode ?? 0)),
      ),
    ),
    moreThanAttempts: ids(ofEvents.filter((row) => row.status === 'delivered' && arrivalsOf(row) > row.attempts)),
    tooOften: ids(all.filter((event) => arrivalsOf(event) > 1 + kills)),
    unknown: messages.flatMap(({ to, events }) => ids(events.filter(({ id }) => expected.get(id)?.to !== to))),
    otherBytes: [...byId].filter(([, same]) => new Set(same.map(({ body }) => body)).size > 1).map(([id]) => id),
    wrongGroup: ids(
      messages.filter(
        ({ to, events, count }) => events.length !== count || events.some(({ ruleId = to }) => ruleId !== to),
      ),
    ),
    outOfOrder,
    newestNotLast: [...bySubject].flatMap(([subject, own]) => {
      const newest = all.filter((event) => event.subject === subject).at(-1)
      return own.at(-1)?.event?.id === newest?.id ? [] : [subject ?? '']
    }),
  }
}

const isBefore = (event: Event | undefined, other: Event | undefined): boolean =>
  event !== undefined && other !== undefined && event.number < other.number
