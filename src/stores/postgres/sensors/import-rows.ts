/** Stores rows of an import of sensors. A row is stored whole or not at all, and a faulty one stops no other. */
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import { AppError, type FieldError, fieldError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { KeyDigest } from '../accounts/issued-keys.ts'
import type { Database } from '../client.ts'
import { sensors as sensorTable } from '../schema.ts'
import { createSensor } from './create-sensor.ts'
import { type ChannelInput, findSensors, type Sensor, type SensorChange, updateSensor } from './sensors.ts'

export type RowError = { line: number } & Pick<FieldError, 'field' | 'rule' | 'message' | 'messageAr'>

/** A row of the file; `error` if it cannot be used. What a row does not name stays as it is. */
export type ImportRow = { line: number; error?: FieldError; id?: string } & Pick<
  SensorChange,
  'name' | 'assetName' | 'tags' | 'channels' | 'enabled'
> & { externalId?: string }

export type ImportCounts = { created: number; updated: number; refused: number; errors: RowError[] }
export type NewKey = { line: number; id: string; externalId: string | null; keyId: string; key: string }
export type ImportResult = ImportCounts & { keys: NewKey[]; changedIds: string[] }

/**
 * @param tx a transaction
 * @param newKey makes the key of a new sensor; without it, new sensors have no key
 */
export async function importRows(
  tx: Database,
  actor: string,
  enterpriseId: string,
  rows: readonly ImportRow[],
  newKey?: () => { key: string; digest: KeyDigest },
): Promise<ImportResult> {
  const result: ImportResult = { created: 0, updated: 0, refused: 0, errors: [], keys: [], changedIds: [] }
  // rows of two calls that change the same sensors in another order would wait for each other
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`sensor imports ${enterpriseId}`}))`)
  const known = await findKnown(tx, enterpriseId, rows)

  function refuse(line: number, { field, rule, message, messageAr }: FieldError): void {
    result.refused++
    result.errors.push({ line, field, rule, message, messageAr })
  }

  async function create(row: ImportRow): Promise<void> {
    const { line, name, externalId, assetName, tags, channels = [], enabled = true } = row
    const made = newKey?.()
    const input = {
      channels,
      ...(name !== undefined && { name }),
      ...(externalId !== undefined && { externalId }),
      ...(assetName !== undefined && { assetName }),
      ...(tags !== undefined && { tags }),
    }
    // a savepoint: a row that is refused leaves nothing in the transaction
    const sensor = await tx.transaction(async (part) => {
      const created = await createSensor(part, actor, enterpriseId, input, made?.digest)
      return enabled ? created : updateSensor(part, actor, created.id, { enabled })
    })
    known.add(sensor)
    result.created++
    result.changedIds.push(sensor.id)
    const [stored] = sensor.keys
    if (made !== undefined && stored !== undefined)
      result.keys.push({ line, id: sensor.id, externalId: sensor.externalId, keyId: stored.id, key: made.key })
  }

  async function update(row: ImportRow, before: Sensor): Promise<void> {
    const change = changeOf(row, before)
    if (Object.keys(change).length > 0) {
      known.add(await tx.transaction((part) => updateSensor(part, actor, before.id, change)))
      result.changedIds.push(before.id)
    }
    result.updated++
  }

  for (const row of rows) {
    const { line, error, id, externalId } = row
    if (error !== undefined) {
      refuse(line, error)
      continue
    }
    const found = known.find(id, externalId)
    try {
      if (found !== undefined) await update(row, found)
      else if (id !== undefined) refuse(line, fieldError('id', 'exists', fieldText('sensorMissing')))
      else if (row.channels === undefined) refuse(line, fieldError('channels', 'required', fieldText('channelsOfNew')))
      else await create(row)
    } catch (thrown) {
      const [fault] = thrown instanceof AppError && thrown.status < 500 ? (thrown.errors ?? []) : []
      if (fault === undefined) throw thrown
      refuse(line, { ...fault, field: fault.field.replace(/^body\./, '') })
    }
  }
  return result
}

/** The sensors that rows name, by id and by external id. */
async function findKnown(tx: Database, enterpriseId: string, rows: readonly ImportRow[]) {
  const ids = rows.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const externalIds = rows.flatMap(({ externalId }) => (externalId === undefined ? [] : [externalId]))
  const named = await tx
    .select({ id: sensorTable.id })
    .from(sensorTable)
    .where(
      and(
        eq(sensorTable.enterpriseId, enterpriseId),
        or(inArray(sensorTable.id, ids), inArray(sensorTable.externalId, externalIds)),
      ),
    )
  const all = await findSensors(
    tx,
    enterpriseId,
    named.map(({ id }) => id),
    named.length,
  )
  const byId = new Map(all.map((sensor) => [sensor.id, sensor]))
  const idOf = new Map(all.flatMap(({ id, externalId }) => (externalId === null ? [] : [[externalId, id] as const])))
  return {
    find: (id: string | undefined, externalId: string | undefined): Sensor | undefined =>
      byId.get(id ?? idOf.get(externalId ?? '') ?? ''),
    /** Replaces an earlier state of the sensor too. */
    add(sensor: Sensor): void {
      const before = byId.get(sensor.id)?.externalId
      if (typeof before === 'string' && idOf.get(before) === sensor.id) idOf.delete(before)
      byId.set(sensor.id, sensor)
      if (sensor.externalId !== null) idOf.set(sensor.externalId, sensor.id)
    },
  }
}

/** What differs from the sensor: an update that changes nothing writes nothing. */
function changeOf({ name, externalId, assetName, tags, channels, enabled }: ImportRow, before: Sensor): SensorChange {
  const active = before.channels.filter(({ active }) => active)
  return {
    ...(name !== undefined && name !== before.name && { name }),
    ...(externalId !== undefined && externalId !== before.externalId && { externalId }),
    ...(assetName !== undefined && assetName !== before.assetName && { assetName }),
    ...(enabled !== undefined && enabled !== before.enabled && { enabled }),
    ...(tags !== undefined && textOf(tags) !== textOf(before.tags) && { tags }),
    ...(channels !== undefined && channelText(channels) !== channelText(active) && { channels }),
  }
}

const textOf = (value: unknown): string => JSON.stringify(value)
const channelText = (
  channels: readonly (Omit<ChannelInput, 'unit'> & { unit?: string | null | undefined })[],
): string => textOf(channels.map(({ name, measurement, unit }) => [name, measurement, unit || null]))
