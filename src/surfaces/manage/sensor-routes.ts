/** Routes for sensors, their keys, and assets. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { lastFour, makeKey, sha256Hex } from '../../access/keys/keys.ts'
import { invalidField } from '../../errors.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { getEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import * as assets from '../../stores/postgres/sensors/assets.ts'
import { createSensor } from '../../stores/postgres/sensors/create-sensor.ts'
import * as sensors from '../../stores/postgres/sensors/sensors.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import type { ManageDeps } from './deps.ts'
import { keyInputOf } from './key-input.ts'
import * as model from './request-schemas.ts'
import { ASSET, ENTERPRISE, SENSOR } from './subject-paths.ts'

function newSensorKey() {
  const key = makeKey('sensor')
  return { key, digest: { keySha256: sha256Hex(key), lastFour: lastFour(key) } }
}

function checkChannels(channels: readonly sensors.ChannelInput[] | undefined): void {
  const names = new Set<string>()
  for (const [i, { name }] of (channels ?? []).entries()) {
    if (names.has(name))
      throw invalidField(`body.channels.${i}.name`, 'unique', `must be unique; "${name}" occurs twice`)
    names.add(name)
  }
}

const sensorRecord = (id: string): RecordToChange => ({
  kind: 'sensor',
  id,
  read: (db) => sensors.getSensor(db, id),
})
const assetRecord = (id: string): RecordToChange => ({ kind: 'asset', id, read: (db) => assets.getAsset(db, id) })

export function sensorRoutes({ db, idempotency, changes, keyUse }: ManageDeps) {
  const { operation } = model
  const changed = (id: string, ownerId: string, deleted = false): Promise<void> =>
    changes.publish({ kind: 'sensor', id, ownerId, deleted })

  return new Elysia({ name: 'manage-sensors' })
    .post(
      `${ENTERPRISE}/sensors`,
      async ({ request, body }) => {
        checkChannels(body.channels)
        const { key, digest } = newSensorKey()
        return idempotency.kept(
          request,
          (tx) => createSensor(tx, callerOf(request), subjectOf(request), body, digest),
          (sensor) => succeed(request, { ...sensor, key }),
          (sensor) => changed(sensor.id, subjectOf(request)),
        )
      },
      operation(
        'Create a sensor',
        'Creates a sensor with a key. The key is shown only in this response. `assetName` names the asset of the sensor; `name` is by default the same.',
        { body: bodySchema(model.sensorInput) },
      ),
    )
    .get(
      `${ENTERPRISE}/sensors`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        const { tag, q } = query
        return succeed(request, await sensors.listSensors(db, subjectOf(request), { ...model.pageOf(query), tag, q }))
      },
      operation('List sensors of an enterprise', 'In the order of their ids; only those that match every filter.', {
        query: model.sensorQuery,
      }),
    )
    .get(
      SENSOR,
      async ({ request }) => succeedWithTag(request, await sensors.getSensor(db, subjectOf(request))),
      operation('Get a sensor'),
    )
    .patch(
      SENSOR,
      async ({ request, body }) => {
        checkChannels(body.channels)
        const sensor = await changeSeen(request, db, sensorRecord(subjectOf(request)), (tx) =>
          sensors.updateSensor(tx, callerOf(request), subjectOf(request), body),
        )
        await changed(sensor.id, sensor.enterpriseId)
        return succeedWithTag(request, sensor)
      },
      operation(
        'Update a sensor',
        'Changes the sent fields. Switch the sensor on or off with `enabled`, put it on hold with `held`. `channels` replaces the list of channels; values already stored are kept.',
        { body: bodySchema(model.sensorChange) },
      ),
    )
    .delete(
      SENSOR,
      async ({ request }) => {
        const enterpriseId = await changeSeen(request, db, sensorRecord(subjectOf(request)), (tx) =>
          sensors.deleteSensor(tx, callerOf(request), subjectOf(request)),
        )
        await changed(subjectOf(request), enterpriseId, true)
        return succeed(request, { id: subjectOf(request) })
      },
      operation('Delete a sensor', 'Deletes the sensor, its keys and, in the background, its readings.'),
    )
    .post(
      `${SENSOR}/keys`,
      async ({ request, body }) => {
        const { key, digest } = newSensorKey()
        const input = keyInputOf(body)
        return idempotency.kept(
          request,
          (tx) => sensors.addSensorKey(tx, callerOf(request), subjectOf(request), digest, input),
          (record) => succeed(request, { ...record, keyId: record.id, key }),
          async () => changed(subjectOf(request), (await sensors.getSensor(db, subjectOf(request))).enterpriseId),
        )
      },
      operation(
        'Add a key to a sensor',
        'The key is shown only in this response. Existing keys stay valid until they are revoked.',
        { body: bodySchema(Type.Optional(model.keyInput)) },
      ),
    )
    .get(
      `${SENSOR}/keys`,
      async ({ request }) => {
        await keyUse.flush('sensor-key')
        const { keys } = await sensors.getSensor(db, subjectOf(request))
        return succeed(request, { items: keys, nextCursor: null })
      },
      operation('List keys of a sensor', 'Keys are not returned, only their last four characters.'),
    )
    .delete(
      `${SENSOR}/keys/:keyId`,
      async ({ request, params }) => {
        await sensors.revokeSensorKey(db, callerOf(request), subjectOf(request), params.keyId)
        await changed(subjectOf(request), (await sensors.getSensor(db, subjectOf(request))).enterpriseId)
        return succeed(request, { id: params.keyId })
      },
      operation('Revoke a key of a sensor', 'The key stops working at once.'),
    )
    .post(
      `${ENTERPRISE}/assets`,
      async ({ request, body }) => {
        await getEnterprise(db, subjectOf(request))
        return idempotency.kept(
          request,
          (tx) => assets.createAsset(tx, callerOf(request), subjectOf(request), body.name),
          (asset) => succeed(request, asset),
        )
      },
      { body: bodySchema(model.assetInput), ...operation('Create an asset') },
    )
    .get(
      `${ENTERPRISE}/assets`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        return succeed(request, await assets.listAssets(db, subjectOf(request), model.pageOf(query)))
      },
      { query: model.pageQuery, ...operation('List assets of an enterprise') },
    )
    .get(
      ASSET,
      async ({ request }) => succeedWithTag(request, await assets.getAsset(db, subjectOf(request))),
      operation('Get an asset'),
    )
    .patch(
      ASSET,
      async ({ request, body }) => {
        const asset = await changeSeen(request, db, assetRecord(subjectOf(request)), (tx) =>
          assets.renameAsset(tx, callerOf(request), subjectOf(request), body.name),
        )
        await changes.publish({ kind: 'asset', id: asset.id, ownerId: asset.enterpriseId })
        return succeedWithTag(request, asset)
      },
      { body: bodySchema(model.assetInput), ...operation('Rename an asset') },
    )
    .delete(
      ASSET,
      async ({ request }) => {
        await changeSeen(request, db, assetRecord(subjectOf(request)), (tx) =>
          assets.deleteAsset(tx, callerOf(request), subjectOf(request)),
        )
        return succeed(request, { id: subjectOf(request) })
      },
      operation('Delete an asset', 'Fails with `CONFLICT` while the asset has sensors.'),
    )
}
