/** Routes for sensors, their keys, and assets. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../access/authorization.ts'
import { newKey } from '../../access/keys/keys.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { both, page, ref } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { getEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import * as assets from '../../stores/postgres/sensors/assets.ts'
import { createSensor } from '../../stores/postgres/sensors/create-sensor.ts'
import * as sensors from '../../stores/postgres/sensors/sensors.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import type { ManageDeps } from './deps.ts'
import { keyInput, keyInputOf } from './key-input.ts'
import { operation } from './operation.ts'
import { closed, name, orNull, pageOf, pageQuery, reason } from './request-schemas.ts'
import { deleted, secretKey, withNewKey } from './response-schemas.ts'
import { channels, checkChannels, externalId, tags } from './sensors/sensor-fields.ts'
import { ASSET, ENTERPRISE, SENSOR } from './subject-paths.ts'

const sensorQuery = Type.Object(
  {
    ...pageQuery.properties,
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only sensors with this tag' })),
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "Part of the sensor's name, its asset's name, its id or its external id, in any case",
      }),
    ),
    externalId: Type.Optional(Type.String({ maxLength: 200, description: 'Only the sensor with this external id' })),
  },
  closed,
)
const assetInput = Type.Object({ name }, closed)
const sensorInput = Type.Object(
  {
    channels,
    externalId: Type.Optional(externalId),
    name: Type.Optional(name),
    assetName: Type.Optional(name),
    tags: Type.Optional(tags),
  },
  closed,
)
const sensorChange = Type.Partial(
  Type.Object({
    enabled: Type.Boolean(),
    held: Type.Boolean(),
    heldReason: reason,
    channels,
    externalId: orNull(externalId),
    name,
    assetName: name,
    tags,
  }),
  closed,
)

const sensorRecord = (id: string): RecordToChange => ({
  kind: 'sensor',
  id,
  read: (db) => sensors.getSensor(db, id),
})
const assetRecord = (id: string): RecordToChange => ({ kind: 'asset', id, read: (db) => assets.getAsset(db, id) })

export function sensorRoutes({ db, idempotency, changes, keyUse }: ManageDeps) {
  const changed = (id: string, ownerId: string, deleted = false): Promise<void> =>
    changes.publish({ kind: 'sensor', id, ownerId, deleted })

  return new Elysia({ name: 'manage-sensors' })
    .post(
      `${ENTERPRISE}/sensors`,
      async ({ request, body }) => {
        checkChannels(body.channels)
        const { key, digest } = newKey('sensor')
        return idempotency.kept(
          request,
          (tx) => createSensor(tx, callerOf(request), subjectOf(request), body, digest),
          (sensor) => succeed(request, { ...sensor, key }),
          (sensor) => changed(sensor.id, subjectOf(request)),
        )
      },
      operation({
        summary: 'Create a sensor',
        description:
          'Creates a sensor with a key. The key is shown only in this response. `assetName` names the asset of the sensor; `name` is by default the same.',
        rights: { of: 'owner', for: MANAGERS },
        body: bodySchema(sensorInput),
        result: both(ref('Sensor'), secretKey),
      }),
    )
    .get(
      `${ENTERPRISE}/sensors`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        const { tag, q, externalId } = query
        const filter = { ...pageOf(query), tag, q, externalId }
        return succeed(request, await sensors.listSensors(db, subjectOf(request), filter))
      },
      operation({
        summary: 'List sensors of an enterprise',
        description: 'In the order of their ids; only those that match every filter.',
        rights: { of: 'owner', for: STAFF },
        query: sensorQuery,
        result: page(ref('Sensor')),
      }),
    )
    .get(
      SENSOR,
      async ({ request }) => succeedWithTag(request, await sensors.getSensor(db, subjectOf(request))),
      operation({
        summary: 'Get a sensor',
        rights: { of: 'sensor', for: STAFF },
        result: ref('Sensor'),
      }),
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
      operation({
        summary: 'Update a sensor',
        description:
          'Changes the sent fields. Switch the sensor on or off with `enabled`, put it on hold with `held`. `channels` replaces the list of channels; values already stored are kept.',
        rights: { of: 'sensor', for: MANAGERS, operatorFields: ['held', 'heldReason'] },
        body: bodySchema(sensorChange),
        result: ref('Sensor'),
      }),
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
      operation({
        summary: 'Delete a sensor',
        description: 'Deletes the sensor, its keys and, in the background, its readings.',
        rights: { of: 'sensor', for: MANAGERS },
        result: deleted,
      }),
    )
    .post(
      `${SENSOR}/keys`,
      async ({ request, body }) => {
        const { key, digest } = newKey('sensor')
        const input = keyInputOf(body)
        return idempotency.kept(
          request,
          (tx) => sensors.addSensorKey(tx, callerOf(request), subjectOf(request), digest, input),
          (record) => succeed(request, { ...record, keyId: record.id, key }),
          async () => changed(subjectOf(request), (await sensors.getSensor(db, subjectOf(request))).enterpriseId),
        )
      },
      operation({
        summary: 'Add a key to a sensor',
        description: 'The key is shown only in this response. Existing keys stay valid until they are revoked.',
        rights: { of: 'sensor', for: MANAGERS },
        body: bodySchema(Type.Optional(keyInput)),
        result: withNewKey(secretKey, ref('StoredKey')),
      }),
    )
    .get(
      `${SENSOR}/keys`,
      async ({ request }) => {
        await keyUse.flush('sensor-key')
        const { keys } = await sensors.getSensor(db, subjectOf(request))
        return succeed(request, { items: keys, nextCursor: null })
      },
      operation({
        summary: 'List keys of a sensor',
        description: 'Keys are not returned, only their last four characters.',
        rights: { of: 'sensor', for: STAFF },
        result: page(ref('StoredKey')),
      }),
    )
    .delete(
      `${SENSOR}/keys/:keyId`,
      async ({ request, params }) => {
        await sensors.revokeSensorKey(db, callerOf(request), subjectOf(request), params.keyId)
        await changed(subjectOf(request), (await sensors.getSensor(db, subjectOf(request))).enterpriseId)
        return succeed(request, { id: params.keyId })
      },
      operation({
        summary: 'Revoke a key of a sensor',
        description: 'The key stops working at once.',
        rights: { of: 'sensor', for: MANAGERS },
        result: deleted,
      }),
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
      operation({
        summary: 'Create an asset',
        rights: { of: 'owner', for: MANAGERS },
        body: bodySchema(assetInput),
        result: ref('Asset'),
      }),
    )
    .get(
      `${ENTERPRISE}/assets`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        return succeed(request, await assets.listAssets(db, subjectOf(request), pageOf(query)))
      },
      operation({
        summary: 'List assets of an enterprise',
        rights: { of: 'owner', for: STAFF },
        query: pageQuery,
        result: page(ref('Asset')),
      }),
    )
    .get(
      ASSET,
      async ({ request }) => succeedWithTag(request, await assets.getAsset(db, subjectOf(request))),
      operation({
        summary: 'Get an asset',
        rights: { of: 'asset', for: STAFF },
        result: ref('Asset'),
      }),
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
      operation({
        summary: 'Rename an asset',
        rights: { of: 'asset', for: MANAGERS },
        body: bodySchema(assetInput),
        result: ref('Asset'),
      }),
    )
    .delete(
      ASSET,
      async ({ request }) => {
        await changeSeen(request, db, assetRecord(subjectOf(request)), (tx) =>
          assets.deleteAsset(tx, callerOf(request), subjectOf(request)),
        )
        return succeed(request, { id: subjectOf(request) })
      },
      operation({
        summary: 'Delete an asset',
        description: 'Fails with `CONFLICT` while the asset has sensors.',
        rights: { of: 'asset', for: MANAGERS },
        result: deleted,
      }),
    )
}
