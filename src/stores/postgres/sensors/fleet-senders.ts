/** What the fleet gate reads and writes: keys, sensors by external id, devices that wait for approval, refusals. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { rowsOf } from '../rows.ts'
import type { FleetTemplate } from './fleet-keys.ts'

/** A secret and its fleet key. */
export type FleetSecret = {
  secret: { id: string; keySha256: string; lastFour: string; expiresAt: Date | null; lastUsedAt: Date | null }
  /** Why it opens nothing, whatever its expiry says. */
  isRevoked: boolean
  /** Whether the fleet key has a newer secret. */
  isRotated: boolean
  fleetKeyId: string
  enterpriseId: string
  assetsHeld: boolean
  enterpriseActive: boolean
  tags: string[]
  template: FleetTemplate | null
  autoCreate: 'off' | 'pending' | 'on'
  sensorTag: string | null
  sensor: string | null
  channelNames: 'field' | 'measurement.field'
  channelTags: string[]
  unknownChannels: 'refuse' | 'ignore'
}

type SecretRow = Omit<FleetSecret, 'secret'> & {
  id: string
  keySha256: string
  lastFour: string
  expiresAt: Date | string | null
  lastUsedAt: Date | string | null
}

const dateOf = (value: Date | string | null): Date | null => (value === null ? null : new Date(value))

export async function findFleetSecret(db: Database, keySha256: string): Promise<FleetSecret | undefined> {
  const [row] = rowsOf<SecretRow>(
    await db.execute(sql`
      SELECT secrets.id, key_sha256 AS "keySha256", last_four AS "lastFour", expires_at AS "expiresAt",
        last_used_at AS "lastUsedAt", secrets.revoked_at IS NOT NULL AS "isRevoked",
        EXISTS (SELECT FROM fleet_key_secrets AS newer
          WHERE newer.fleet_key_id = secrets.fleet_key_id AND newer.id > secrets.id) AS "isRotated",
        keys.id AS "fleetKeyId", enterprise_id AS "enterpriseId", assets_held AS "assetsHeld",
        status = 'active' AS "enterpriseActive", tags, template, auto_create AS "autoCreate", sensor_tag AS "sensorTag",
        sensor, channel_names AS "channelNames", channel_tags AS "channelTags", unknown_channels AS "unknownChannels"
      FROM fleet_key_secrets AS secrets
      JOIN fleet_keys AS keys ON keys.id = secrets.fleet_key_id
      JOIN enterprises ON enterprises.id = keys.enterprise_id
      WHERE key_sha256 = ${keySha256}`),
  )
  if (row === undefined) return undefined
  const { id, lastFour, expiresAt, lastUsedAt, ...facts } = row
  const secret = { id, keySha256, lastFour, expiresAt: dateOf(expiresAt), lastUsedAt: dateOf(lastUsedAt) }
  return { ...facts, secret }
}

/** A sensor's external id in an enterprise; `anyCase` finds it in any case of letters. */
export type ExternalName = { enterpriseId: string; name: string; anyCase: boolean }

/** Ids of sensors, in the order of the names. Of several that differ in case only, the one that was made first. */
export async function findByExternalId(db: Database, names: readonly ExternalName[]): Promise<(string | undefined)[]> {
  const wanted = sql`unnest(
    ${sql.param(names.map(({ enterpriseId }) => enterpriseId))}::text[],
    ${sql.param(names.map(({ name }) => name))}::text[],
    ${sql.param(names.map(({ anyCase }) => String(anyCase)))}::boolean[])
    WITH ORDINALITY AS wanted (enterprise_id, name, any_case, position)`
  const rows = rowsOf<{ position: string | number; id: string | null }>(
    await db.execute(sql`
      SELECT wanted.position, CASE WHEN wanted.any_case
        THEN (SELECT min(id) FROM sensors
          WHERE enterprise_id = wanted.enterprise_id AND lower(external_id) = lower(wanted.name))
        ELSE (SELECT id FROM sensors
          WHERE enterprise_id = wanted.enterprise_id AND external_id = wanted.name) END AS id
      FROM ${wanted}`),
  )
  const found: (string | undefined)[] = Array.from({ length: names.length })
  for (const { position, id } of rows) found[Number(position) - 1] = id ?? undefined
  return found
}

/** Devices of a fleet key that wait for approval, by external id. */
export async function pendingNames(db: Database, fleetKeyId: string): Promise<string[]> {
  const rows = rowsOf<{ external_id: string }>(
    await db.execute(sql`SELECT external_id FROM pending_sensors WHERE fleet_key_id = ${fleetKeyId}`),
  )
  return rows.map(({ external_id }) => external_id)
}

export type NewPending = { externalId: string; sent: unknown }

/**
 * Adds devices to those that wait, up to a limit for the key.
 * @returns those that wait now
 */
export async function addPending(
  db: Database,
  { fleetKeyId, enterpriseId }: { fleetKeyId: string; enterpriseId: string },
  devices: readonly NewPending[],
  limit: number,
  nowMs: number,
): Promise<string[]> {
  return db.transaction(async (tx) => {
    // serializes new devices of a key
    const [key] = rowsOf<{ waiting: string | number }>(
      await tx.execute(sql`
        SELECT (SELECT count(*) FROM pending_sensors WHERE fleet_key_id = ${fleetKeyId}) AS waiting
        FROM fleet_keys WHERE id = ${fleetKeyId} AND revoked_at IS NULL FOR UPDATE`),
    )
    if (key === undefined) return []
    const at = new Date(nowMs).toISOString()
    const given = devices.map(({ externalId, sent }) => ({ id: newId('pen'), externalId, sent }))
    const names = sql.param(devices.map(({ externalId }) => externalId))
    await tx.execute(sql`
      INSERT INTO pending_sensors (id, enterprise_id, fleet_key_id, external_id, first_at, last_at, sent)
      SELECT given.id, ${enterpriseId}, ${fleetKeyId}, given."externalId", ${at}::timestamptz, ${at}::timestamptz, given.sent
      FROM jsonb_to_recordset(${JSON.stringify(given)}::text::jsonb) AS given (id text, "externalId" text, sent jsonb)
      WHERE NOT EXISTS (SELECT FROM pending_sensors AS known
        WHERE known.fleet_key_id = ${fleetKeyId} AND known.external_id = given."externalId")
      LIMIT ${Math.max(0, limit - Number(key.waiting))}
      ON CONFLICT (fleet_key_id, external_id) DO NOTHING`)
    const rows = rowsOf<{ external_id: string }>(
      await tx.execute(sql`
        SELECT external_id FROM pending_sensors
        WHERE fleet_key_id = ${fleetKeyId} AND external_id = ANY(${names}::text[])`),
    )
    return rows.map(({ external_id }) => external_id)
  })
}

/**
 * Counts sensors that a key is about to make on a UTC day.
 * @param count negative to give back what was not made
 * @returns how many of them the limit allows
 */
export async function countMade(
  db: Database,
  fleetKeyId: string,
  count: number,
  limit: number,
  day: string,
): Promise<number> {
  const [row] = rowsOf<{ allowed: number }>(
    await db.execute(sql`
      WITH before AS (
        SELECT id, CASE WHEN made_on = ${day}::date THEN made ELSE 0 END AS made
        FROM fleet_keys WHERE id = ${fleetKeyId} AND revoked_at IS NULL FOR UPDATE
      )
      UPDATE fleet_keys SET made_on = ${day}::date, made = greatest(0, least(before.made + ${count}::integer, ${limit}::integer))
      FROM before WHERE fleet_keys.id = before.id
      RETURNING fleet_keys.made - before.made AS allowed`),
  )
  return row?.allowed ?? 0
}

/** What was counted since the last write. */
export type FleetCounts = {
  calls: ReadonlyMap<string, number>
  refusals: readonly {
    fleetKeyId: string
    reason: string
    name: string
    count: number
    firstMs: number
    lastMs: number
    line?: number | undefined
    detail?: string | undefined
  }[]
  /** When devices that wait for approval sent again. */
  pending: readonly { fleetKeyId: string; externalId: string; lastMs: number }[]
}

/** Refusals of a key that are kept. */
const MAX_REFUSALS = 1_000

export async function writeFleetCounts(db: Database, { calls, refusals, pending }: FleetCounts): Promise<void> {
  const refusedOf = new Map<string, number>()
  for (const { fleetKeyId, count } of refusals) refusedOf.set(fleetKeyId, (refusedOf.get(fleetKeyId) ?? 0) + count)
  const keys = [...new Set([...calls.keys(), ...refusedOf.keys()])].map((id) => ({
    id,
    calls: calls.get(id) ?? 0,
    refused: refusedOf.get(id) ?? 0,
  }))
  const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`
  await db.transaction(async (tx) => {
    if (keys.length > 0)
      await tx.execute(sql`
        UPDATE fleet_keys SET calls = fleet_keys.calls + counted.calls, refused = fleet_keys.refused + counted.refused
        FROM jsonb_to_recordset(${json(keys)}) AS counted (id text, calls bigint, refused bigint)
        WHERE fleet_keys.id = counted.id`)
    if (refusals.length > 0)
      await tx.execute(sql`
        INSERT INTO fleet_refusals (fleet_key_id, reason, name, count, first_at, last_at, line, detail)
        SELECT given."fleetKeyId", reason, name, count, to_timestamp("firstMs" / 1000), to_timestamp("lastMs" / 1000), line, detail
        FROM jsonb_to_recordset(${json(refusals)}) AS given ("fleetKeyId" text, reason text, name text, count bigint,
          "firstMs" float8, "lastMs" float8, line integer, detail text)
        WHERE EXISTS (SELECT FROM fleet_keys WHERE id = given."fleetKeyId")
        ORDER BY 1, 2, 3
        ON CONFLICT (fleet_key_id, reason, name) DO UPDATE SET count = fleet_refusals.count + excluded.count,
          last_at = greatest(fleet_refusals.last_at, excluded.last_at), line = excluded.line, detail = excluded.detail`)
    for (const fleetKeyId of refusedOf.keys())
      await tx.execute(sql`
        DELETE FROM fleet_refusals WHERE fleet_key_id = ${fleetKeyId} AND (reason, name) IN (
          SELECT reason, name FROM fleet_refusals WHERE fleet_key_id = ${fleetKeyId}
          ORDER BY last_at DESC, reason, name OFFSET ${MAX_REFUSALS})`)
    if (pending.length > 0)
      // in the order of approval and dismissal, which lock many devices as well
      await tx.execute(sql`
        UPDATE pending_sensors SET last_at = greatest(last_at, to_timestamp(seen."lastMs" / 1000))
        FROM (SELECT waiting.id, "lastMs"
          FROM jsonb_to_recordset(${json(pending)}) AS sent ("fleetKeyId" text, "externalId" text, "lastMs" float8)
          JOIN pending_sensors AS waiting ON fleet_key_id = "fleetKeyId" AND external_id = "externalId"
          ORDER BY waiting.id FOR UPDATE OF waiting) AS seen
        WHERE pending_sensors.id = seen.id`)
  })
}
