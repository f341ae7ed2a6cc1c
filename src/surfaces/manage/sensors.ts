/** Sensors, their keys and assets. */
import { Elysia } from 'elysia'
import { lastFour, makeKey, sha256Hex } from '../../access/keys.ts'
import { invalidField } from '../../errors.ts'
import { succeed } from '../../http/envelope.ts'
import * as assets from '../../stores/postgres/assets.ts'
import { getEnterprise } from '../../stores/postgres/enterprises.ts'
import * as sensors from '../../stores/postgres/sensors.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './model.ts'

const ACTOR = 'operator'

function newSensorKey() {
  const key = makeKey('sensor')
  return { key, digest: { keySha256: sha256Hex(key), lastFour: lastFour(key) } }
}

function checkChannels(channels: readonly sensors.ChannelInput[] | undefined): void {
  const names = new Set<string>()
  for (const [i, { name }] of (channels ?? []).entries()) {
    if (names.has(name)) throw invalidField(`body.channels.${i}.name`, 'unique', `"${name}" is named twice`)
    names.add(name)
  }
}

export function sensorRoutes({ db, changes }: ManageDeps) {
  const detail = (summary: string) => ({ tags: ['Manage'], summary, security: [{ operatorToken: [] }] })
  const changed = (id: string, deleted = false): Promise<void> => changes.publish({ kind: 'sensor', id, deleted })

  return new Elysia({ name: 'manage-sensors' })
    .post(
      '/enterprises/:id/sensors',
      async ({ request, params, body }) => {
        checkChannels(body.channels)
        await getEnterprise(db, params.id)
        const { key, digest } = newSensorKey()
        const sensor = await sensors.createSensor(db, ACTOR, params.id, body, digest)
        await changed(sensor.id)
        return succeed(request, { ...sensor, key })
      },
      { body: model.sensorInput, detail: detail('Make a sensor; its key is shown once') },
    )
    .get(
      '/enterprises/:id/sensors',
      async ({ request, params, query }) => {
        await getEnterprise(db, params.id)
        return succeed(request, await sensors.listSensors(db, params.id, model.pageOf(query)))
      },
      { query: model.pageQuery, detail: detail('Sensors of an enterprise') },
    )
    .get('/sensors/:id', async ({ request, params }) => succeed(request, await sensors.getSensor(db, params.id)), {
      detail: detail('A sensor'),
    })
    .patch(
      '/sensors/:id',
      async ({ request, params, body }) => {
        checkChannels(body.channels)
        const sensor = await sensors.updateSensor(db, ACTOR, params.id, body)
        await changed(sensor.id)
        return succeed(request, sensor)
      },
      { body: model.sensorChange, detail: detail('Change a sensor') },
    )
    .delete(
      '/sensors/:id',
      async ({ request, params }) => {
        await sensors.deleteSensor(db, ACTOR, params.id)
        await changed(params.id, true)
        return succeed(request, { id: params.id })
      },
      { detail: detail('Delete a sensor; its readings go when their retention ends') },
    )
    .post(
      '/sensors/:id/keys',
      async ({ request, params }) => {
        const { key, digest } = newSensorKey()
        const record = await sensors.addSensorKey(db, ACTOR, params.id, digest)
        await changed(params.id)
        return succeed(request, { ...record, keyId: record.id, key })
      },
      { detail: detail('Another key, shown once; the others go on working until they are revoked') },
    )
    .get(
      '/sensors/:id/keys',
      async ({ request, params }) => {
        const { keys } = await sensors.getSensor(db, params.id)
        return succeed(request, { items: keys, nextCursor: null })
      },
      { detail: detail('Keys of a sensor') },
    )
    .delete(
      '/sensors/:id/keys/:keyId',
      async ({ request, params }) => {
        await sensors.revokeSensorKey(db, ACTOR, params.id, params.keyId)
        await changed(params.id)
        return succeed(request, { id: params.keyId })
      },
      { detail: detail('Revoke a key') },
    )
    .post(
      '/enterprises/:id/assets',
      async ({ request, params, body }) => {
        await getEnterprise(db, params.id)
        return succeed(request, await assets.createAsset(db, ACTOR, params.id, body.name))
      },
      { body: model.assetInput, detail: detail('Make an asset') },
    )
    .get(
      '/enterprises/:id/assets',
      async ({ request, params, query }) => {
        await getEnterprise(db, params.id)
        return succeed(request, await assets.listAssets(db, params.id, model.pageOf(query)))
      },
      { query: model.pageQuery, detail: detail('Assets of an enterprise') },
    )
    .get('/assets/:id', async ({ request, params }) => succeed(request, await assets.getAsset(db, params.id)), {
      detail: detail('An asset'),
    })
    .patch(
      '/assets/:id',
      async ({ request, params, body }) => {
        const asset = await assets.renameAsset(db, ACTOR, params.id, body.name)
        await changes.publish({ kind: 'asset', id: asset.id })
        return succeed(request, asset)
      },
      { body: model.assetInput, detail: detail('Rename an asset') },
    )
    .delete(
      '/assets/:id',
      async ({ request, params }) => {
        await assets.deleteAsset(db, ACTOR, params.id)
        return succeed(request, { id: params.id })
      },
      { detail: detail('Delete an asset that has no sensors') },
    )
}
