/** Destinations of events (sql/postgres/0049-destinations.sql). */
import { and, count, eq, sql } from 'drizzle-orm'
import { boolean, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { AppError, invalidField } from '../../../errors.ts'
import { recordChange } from '../accounts/audit.ts'
import { SEVERITIES, zoneRules } from '../alerts/rule-schema.ts'
import { requireOwn } from '../alerts/silences.ts'
import type { Database } from '../client.ts'
import { createdAt, updatedAt } from '../columns.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { enterprises } from '../schema.ts'
import { failPending } from './delivery-queue.ts'
import { FORMATS } from './formats.ts'

export const DISABLED_REASONS = ['gone', 'failing', 'owner'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

const destinations = pgTable('destinations', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  kind: text('kind', { enum: ['webhook'] }).notNull(),
  name: text('name').notNull(),
  url: text('url').notNull(),
  format: text('format', { enum: FORMATS }).notNull(),
  events: text('events').array().notNull(),
  minSeverity: text('min_severity', { enum: SEVERITIES }),
  ruleIds: text('rule_ids').array().notNull(),
  tags: text('tags').array().notNull(),
  groupSeconds: integer('group_seconds').notNull(),
  repeatSeconds: integer('repeat_seconds'),
  repeatsSince: timestamp('repeats_since', { withTimezone: true }).notNull().defaultNow(),
  headerNames: text('header_names').array().notNull(),
  publicKey: text('public_key').notNull(),
  sealedSecrets: text('sealed_secrets').notNull(),
  enabled: boolean('enabled').notNull().default(true),
  disabledReason: text('disabled_reason', { enum: DISABLED_REASONS }),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export type Destination = typeof destinations.$inferSelect
export type NewDestination = Omit<
  Destination,
  'enabled' | 'disabledReason' | 'repeatsSince' | 'createdAt' | 'updatedAt'
>
export type DestinationChange = Partial<
  Pick<
    Destination,
    | 'name'
    | 'url'
    | 'events'
    | 'minSeverity'
    | 'ruleIds'
    | 'tags'
    | 'groupSeconds'
    | 'repeatSeconds'
    | 'headerNames'
    | 'sealedSecrets'
    | 'enabled'
  >
>

const MAX_DESTINATIONS = 50

/** As the API and the audit log show it. */
export const destinationToJson = ({ sealedSecrets: _, repeatsSince: _since, ...destination }: Destination) =>
  destination

/** Without what every change of it would repeat, and with its enterprise. */
const logged = ({ createdAt: _created, updatedAt: _updated, ...destination }: ReturnType<typeof destinationToJson>) =>
  destination

const ofEnterprise = (enterpriseId: string, id: string) =>
  and(eq(destinations.id, id), eq(destinations.enterpriseId, enterpriseId))

export async function isDestination(db: Database, enterpriseId: string, id: string): Promise<boolean> {
  return (await db.$count(destinations, ofEnterprise(enterpriseId, id))) > 0
}

/** @throws AppError NOT_FOUND, also for a destination of another enterprise */
export async function getDestination(db: Database, enterpriseId: string, id: string): Promise<Destination> {
  const [found] = await db.select().from(destinations).where(ofEnterprise(enterpriseId, id))
  return required(found)
}

function required(found: Destination | undefined): Destination {
  if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such destination.' })
  return found
}

export const listDestinations = (db: Database, enterpriseId: string, query: PageQuery): Promise<Page<Destination>> =>
  pageOfTable(db, destinations, eq(destinations.enterpriseId, enterpriseId), query)

/** @throws AppError VALIDATION_FAILED for rules of another enterprise and for too many destinations */
export async function createDestination(tx: Database, actor: string, input: NewDestination): Promise<Destination> {
  const { enterpriseId, ruleIds } = input
  // serializes new destinations of an enterprise
  await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
  await requireOwn(tx, zoneRules, enterpriseId, ruleIds, 'body.ruleIds', 'rule')
  const [existing] = await tx
    .select({ rows: count() })
    .from(destinations)
    .where(eq(destinations.enterpriseId, enterpriseId))
  if ((existing?.rows ?? 0) >= MAX_DESTINATIONS)
    throw invalidField('body', 'maxItems', `an enterprise has at most ${MAX_DESTINATIONS} destinations`)
  const [made] = await tx.insert(destinations).values(input).returning()
  const destination = required(made)
  const after = logged(destinationToJson(destination))
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
    const before = required(found)
    const values = change(before)
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
    const after = required(changed)
    await recordChange(tx, {
      actor,
      action: 'update',
      kind: 'destination',
      id,
      before: logged(destinationToJson(before)),
      after: logged(destinationToJson(after)),
    })
    return after
  })
}

/** @throws AppError NOT_FOUND */
export function deleteDestination(db: Database, actor: string, enterpriseId: string, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [gone] = await tx.delete(destinations).where(ofEnterprise(enterpriseId, id)).returning()
    const before = logged(destinationToJson(required(gone)))
    await recordChange(tx, { actor, action: 'delete', kind: 'destination', id, before, after: null })
  })
}
