/** Destinations of events (sql/postgres/0049-destinations.sql). */
import { and, count, eq, sql } from 'drizzle-orm'
import { boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import { SEVERITIES, zoneRules } from '../alerts/rule-schema.ts'
import { requireOwn } from '../alerts/silences.ts'
import type { Database } from '../client.ts'
import { createdAt, timestampColumn, updatedAt } from '../columns.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { enterprises } from '../schema.ts'
import { type Address, addressesOf, LANGUAGES, setAddresses } from './addresses.ts'
import { failPending } from './destination-health.ts'
import { FORMATS } from './formats.ts'

export const DISABLED_REASONS = ['gone', 'failing', 'owner'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export const KINDS = ['webhook', 'email'] as const

const destinations = pgTable('destinations', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  kind: text('kind', { enum: KINDS }).notNull(),
  name: text('name').notNull(),
  /** Of a webhook, as its format, public key and secrets. */
  url: text('url'),
  format: text('format', { enum: FORMATS }),
  /** Of mails. */
  language: text('language', { enum: LANGUAGES }),
  events: text('events').array().notNull(),
  minSeverity: text('min_severity', { enum: SEVERITIES }),
  ruleIds: text('rule_ids').array().notNull(),
  tags: text('tags').array().notNull(),
  groupSeconds: integer('group_seconds').notNull(),
  repeatSeconds: integer('repeat_seconds'),
  repeatsSince: timestamp('repeats_since', { withTimezone: true }).notNull().defaultNow(),
  headerNames: text('header_names').array().notNull(),
  publicKey: text('public_key'),
  sealedSecrets: text('sealed_secrets'),
  enabled: boolean('enabled').notNull().default(true),
  disabledReason: text('disabled_reason', { enum: DISABLED_REASONS }),
  failingSince: timestampColumn('failing_since'),
  lastSuccessAt: timestampColumn('last_success_at'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

type Row = typeof destinations.$inferSelect
/** The addresses of a destination of mails, also those that left. */
export type Destination = Row & { addresses: Address[] }
type MadeByServer =
  | 'enabled'
  | 'disabledReason'
  | 'repeatsSince'
  | 'failingSince'
  | 'lastSuccessAt'
  | 'createdAt'
  | 'updatedAt'
export type NewDestination = Omit<Row, MadeByServer> & { to: readonly string[] }
type Changeable =
  | 'name'
  | 'url'
  | 'language'
  | 'events'
  | 'minSeverity'
  | 'ruleIds'
  | 'tags'
  | 'groupSeconds'
  | 'repeatSeconds'
  | 'headerNames'
  | 'sealedSecrets'
  | 'enabled'
export type DestinationChange = Partial<Pick<Row, Changeable>> & { to?: readonly string[] | undefined }

const MAX_DESTINATIONS = 50

/** As the API shows it. */
export function destinationToJson(destination: Destination) {
  const { sealedSecrets: _, repeatsSince: _since, failingSince, lastSuccessAt, ...shown } = destination
  const listed = shown.addresses.filter(({ state }) => state !== 'unsubscribed')
  return { ...shown, to: listed.map(({ email }) => email), health: { failingSince, lastSuccessAt } }
}

/** As the audit log has it: without what every change would repeat. */
function logged(destination: Destination) {
  const { createdAt: _created, updatedAt: _updated, health: _health, ...shown } = destinationToJson(destination)
  return shown
}

const ofEnterprise = (enterpriseId: string, id: string) =>
  and(eq(destinations.id, id), eq(destinations.enterpriseId, enterpriseId))

export async function isDestination(db: Database, enterpriseId: string, id: string): Promise<boolean> {
  return (await db.$count(destinations, ofEnterprise(enterpriseId, id))) > 0
}

/** @throws AppError NOT_FOUND, also for a destination of another enterprise */
export async function getDestination(db: Database, enterpriseId: string, id: string): Promise<Destination> {
  const [found] = await db.select().from(destinations).where(ofEnterprise(enterpriseId, id))
  return withAddresses(db, required(found))
}

async function withAddresses(db: Database, row: Row): Promise<Destination> {
  const addresses = await addressesOf(db, [row.id])
  return { ...row, addresses: addresses.get(row.id) ?? [] }
}

function required(found: Row | undefined): Row {
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchDestination') })
  return found
}

export async function listDestinations(
  db: Database,
  enterpriseId: string,
  query: PageQuery,
): Promise<Page<Destination>> {
  const listed = await pageOfTable(db, destinations, eq(destinations.enterpriseId, enterpriseId), query)
  const addresses = await addressesOf(
    db,
    listed.items.map(({ id }) => id),
  )
  return { ...listed, items: listed.items.map((row) => ({ ...row, addresses: addresses.get(row.id) ?? [] })) }
}

/** @throws AppError VALIDATION_FAILED for rules of another enterprise and for too many destinations */
export async function createDestination(
  tx: Database,
  actor: string,
  { to, ...input }: NewDestination,
): Promise<Destination> {
  const { enterpriseId, ruleIds } = input
  // serializes new destinations of an enterprise
  await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
  await requireOwn(tx, zoneRules, enterpriseId, ruleIds, 'body.ruleIds', 'rule')
  const [existing] = await tx
    .select({ rows: count() })
    .from(destinations)
    .where(eq(destinations.enterpriseId, enterpriseId))
  if ((existing?.rows ?? 0) >= MAX_DESTINATIONS)
    throw invalidField('body', 'maxItems', fieldText('documentsAtMost', { most: MAX_DESTINATIONS }))
  const [made] = await tx.insert(destinations).values(input).returning()
  if (to.length > 0) await setAddresses(tx, input, to)
  const destination = await withAddresses(tx, required(made))
  const after = logged(destination)
  await recordChange(tx, { actor, action: 'create', kind: 'destination', id: input.id, before: null, after })
  return destination
}

/**
 * A destination that is switched off gets nothing of what was pending or happens meanwhile.
 * @throws AppError NOT_FOUND, VALIDATION_FAILED for rules of another enterprise
 */
export function updateDestination(
  db: Database,
  actor: string,
  { enterpriseId, id }: { enterpriseId: string; id: string },
  change: (before: Destination) => DestinationChange,
): Promise<Destination> {
  return db.transaction(async (tx) => {
    const [found] = await tx.select().from(destinations).where(ofEnterprise(enterpriseId, id)).for('update')
    const before = await withAddresses(tx, required(found))
    const { to, ...values } = change(before)
    await requireOwn(tx, zoneRules, enterpriseId, values.ruleIds ?? [], 'body.ruleIds', 'rule')
    const switches = values.enabled !== undefined && values.enabled !== before.enabled
    const repeatsDiffer = values.repeatSeconds !== undefined && values.repeatSeconds !== before.repeatSeconds
    const [changed] = await tx
      .update(destinations)
      .set({
        ...values,
        ...((switches || repeatsDiffer) && { repeatsSince: sql`now()` }),
        ...(switches && { disabledReason: values.enabled ? null : 'owner' }),
        updatedAt: sql`now()`,
      })
      .where(ofEnterprise(enterpriseId, id))
      .returning()
    if (switches) await failPending(tx, id)
    if (to !== undefined) await setAddresses(tx, { id, enterpriseId }, to)
    const after = await withAddresses(tx, required(changed))
    await recordChange(tx, {
      actor,
      action: 'update',
      kind: 'destination',
      id,
      before: logged(before),
      after: logged(after),
    })
    return after
  })
}

/** @throws AppError NOT_FOUND */
export function deleteDestination(db: Database, actor: string, enterpriseId: string, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const before = logged(await getDestination(tx, enterpriseId, id))
    await tx.delete(destinations).where(ofEnterprise(enterpriseId, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'destination', id, before, after: null })
  })
}
