/**
 * Creates a sensor in one statement. Enterprises create them by the thousands, and as a transaction of nine statements
 * building and sending the statements took most of the server's CPU.
 */

import { sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { KeyDigest } from '../accounts/issued-keys.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { rowsOf } from '../rows.ts'
import { throwOnUniqueViolation } from '../unique-violation.ts'
import type { Sensor, SensorInput } from './sensors.ts'

type Created = { number: number; asset_id: string; created_at: Date }

// as text first: the driver would encode a parameter of type jsonb a second time
const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`

/**
 * Creates a sensor with its channels and first key, and records it in the audit trail. An asset with the given name is
 * created unless the enterprise has one. The sensor is named after the asset, or the asset after the sensor; without
 * either name, both are named after the sensor's id.
 * @param digest of its first key; without it, the sensor has no key
 * @throws AppError NOT_FOUND if there is no such enterprise, CONFLICT if it has a sensor with the external id
 */
export async function createSensor(
  db: Database,
  actor: string,
  enterpriseId: string,
  input: SensorInput,
  digest?: KeyDigest,
): Promise<Sensor> {
  const id = newId('sen')
  const assetName = input.assetName ?? input.name ?? id
  const { name = assetName, tags = [], externalId = null } = input
  const channels = input.channels.map(({ name, measurement, unit = null }, i) => ({
    number: i + 1,
    name,
    measurement,
    unit,
    active: true,
  }))
  const key = digest && {
    id: newId('key'),
    name: 'Key',
    lastFour: digest.lastFour,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
  }
  const state = { enabled: true, held: false, heldReason: null, lastEvent: null }
  const fixed = { id, enterpriseId, externalId, name, tags, ...state, assetName, channels }
  const made = await throwOnUniqueViolation('body.externalId', () =>
    db.execute(sql`
      WITH enterprise AS (
        SELECT id, now() AS at, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS iso
        FROM enterprises WHERE id = ${enterpriseId}
      ), known_asset AS (
        SELECT id FROM assets WHERE enterprise_id = ${enterpriseId} AND name = ${assetName} ORDER BY id LIMIT 1
      ), new_asset AS (
        INSERT INTO assets (id, enterprise_id, name, created_at, updated_at)
        SELECT ${newId('ass')}, id, ${assetName}, at, at FROM enterprise WHERE NOT EXISTS (SELECT FROM known_asset)
        RETURNING *
      ), asset AS (
        SELECT id FROM known_asset UNION ALL SELECT id FROM new_asset
      ), sensor AS (
        INSERT INTO sensors (id, enterprise_id, asset_id, external_id, name, tags, created_at, updated_at)
        SELECT ${id}, enterprise.id, asset.id, ${externalId}::text, ${name}, ARRAY(SELECT jsonb_array_elements_text(${json(tags)})), at, at FROM enterprise, asset
        RETURNING *
      ), channel AS (
        INSERT INTO channels (sensor_id, number, name, measurement, unit, active)
        SELECT sensor.id, input.*
        FROM sensor, jsonb_to_recordset(${json(channels)})
          AS input(number integer, name text, measurement text, unit text, active boolean)
      ), sensor_key AS (
        INSERT INTO sensor_keys (id, sensor_id, key_sha256, last_four, created_at)
        SELECT ${key?.id ?? null}::text, id, ${digest?.keySha256 ?? null}::text, ${key?.lastFour ?? null}::text, created_at
        FROM sensor WHERE ${key !== undefined}::boolean
      ), change AS (
        INSERT INTO audit (id, actor, action, subject_kind, subject_id, after, owner_id)
        SELECT ${newId('aud')}, ${actor}, 'create', 'asset', new_asset.id, jsonb_build_object(
          'id', new_asset.id, 'enterpriseId', enterprise_id, 'name', name, 'createdAt', iso, 'updatedAt', iso), enterprise.id
        FROM new_asset, enterprise
        UNION ALL
        SELECT ${newId('aud')}, ${actor}, 'create', 'sensor', sensor.id, ${json(fixed)} || jsonb_build_object(
          'number', number, 'assetId', asset_id, 'createdAt', iso, 'updatedAt', iso,
          'keys', CASE WHEN ${key !== undefined}::boolean
            THEN jsonb_build_array(${json(key ?? null)} || jsonb_build_object('createdAt', iso)) ELSE '[]'::jsonb END), enterprise.id
        FROM sensor, enterprise
      )
      SELECT number, asset_id, created_at FROM sensor`),
  )
  const [created] = rowsOf<Created>(made)
  if (created === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchEnterprise') })
  const { number, asset_id: assetId, created_at: createdAt } = created
  return { ...fixed, number, assetId, createdAt, updatedAt: createdAt, keys: key ? [{ ...key, createdAt }] : [] }
}
