/** Routes for fleet keys, for devices that wait for approval, and for refusals that belong to no sensor. */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../../access/authorization.ts'
import { channelsOf } from '../../../access/fleet/first-reading.ts'
import { newKey } from '../../../access/keys/keys.ts'
import { refusalTexts } from '../../../analytics/fleet/refusals.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import { succeedWithTag } from '../../../http/entity-tags.ts'
import { succeed } from '../../../http/envelope.ts'
import { both, list, object, oneOf, page, ref, string } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { MAX_CHANNELS } from '../../../ingest/batch.ts'
import { FAULTS_ARABIC } from '../../../ingest/line-protocol/faults-arabic.ts'
import { getEnterprise } from '../../../stores/postgres/accounts/enterprises.ts'
import * as fleetKeys from '../../../stores/postgres/sensors/fleet-keys.ts'
import {
  approvePending,
  dismissPending,
  listFleetRefusals,
  listPending,
} from '../../../stores/postgres/sensors/pending-sensors.ts'
import { changeSeen, type RecordToChange } from '../changes.ts'
import type { ManageDeps } from '../deps.ts'
import { keyInput, keyInputOf } from '../key-input.ts'
import { operation } from '../operation.ts'
import { closed, name, orNull, pageOf, pageQuery } from '../request-schemas.ts'
import { deleted, secretKey, withNewKey } from '../response-schemas.ts'
import { ENTERPRISE, FLEET_KEY } from '../subject-paths.ts'
import { channels, checkChannels, tags } from './sensor-fields.ts'

const template = Type.Partial(Type.Object({ channels, tags }), closed)
const tagName = { minLength: 1, maxLength: 100 }
const settings = {
  name,
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'The key sends only for sensors with one of these tags; without tags, for all sensors',
  }),
  autoCreate: Type.Union([Type.Literal('off'), Type.Literal('pending'), Type.Literal('on')], {
    description:
      'What happens to a sensor that the enterprise does not have: it is refused, it is listed for approval (at most 1,000 for a key), or it is made (at most 10,000 by a key on a UTC day)',
  }),
  template: Type.Union([template, Type.Null()], {
    description: 'Channels and tags of sensors that are made; without `channels`, they come from the first reading',
  }),
  sensorTag: orNull(
    Type.String({
      ...tagName,
      description:
        'Line protocol: the tag that names the sensor; by default the first of `sensor`, `device` and `host` that is present. Not together with `sensor`.',
    }),
  ),
  sensor: orNull(
    Type.String({
      minLength: 3,
      maxLength: 200,
      pattern: '^[^{}]*(\\{[^{}]+\\}[^{}]*)+$',
      description: "Line protocol: the sensor's name, made of tags and the measurement, such as `{host}.{measurement}`",
    }),
  ),
  channelNames: Type.Union([Type.Literal('field'), Type.Literal('measurement.field')], {
    description: 'Line protocol: how a channel is named',
  }),
  channelTags: Type.Array(Type.String(tagName), {
    maxItems: 10,
    uniqueItems: true,
    description: 'Line protocol: tags whose values stand before the field in the name of a channel: `cpu0.usage_idle`',
  }),
  unknownChannels: Type.Union([Type.Literal('refuse'), Type.Literal('ignore')], {
    description: 'Whether a channel that the sensor does not have refuses the reading, or is left out',
  }),
}
const { name: _, ...rest } = settings
const change = Type.Partial(Type.Object(settings), closed)
const input = Type.Object(
  { name, ...Type.Partial(Type.Object(rest)).properties, ...Type.Pick(keyInput, ['expiresAt']).properties },
  closed,
)
const externalIds = Type.Array(Type.String({ minLength: 1, maxLength: 400 }), { minItems: 1, maxItems: 1_000 })
const approval = Type.Object({ externalIds, template: Type.Optional(template) }, closed)
const dismissal = Type.Object({ externalIds }, closed)
const pendingQuery = Type.Object(
  { ...pageQuery.properties, fleetKeyId: Type.Optional(Type.String({ maxLength: 64 })) },
  closed,
)

/** Its cursor holds a name. */
const sortedQuery = Type.Object(
  { ...pageQuery.properties, cursor: Type.Optional(Type.String({ maxLength: 2_000 })) },
  closed,
)

const checkTemplate = (sent: Static<typeof template> | null | undefined): void =>
  checkChannels(sent?.channels, 'body.template.channels')

const recordOf = (id: string): RecordToChange => ({
  kind: 'fleet-key',
  id,
  read: async (db) => fleetKeys.settingsOf(await fleetKeys.getFleetKey(db, id)),
})

/** Devices that send do not change the tag. */
const withTag = (request: Request, key: fleetKeys.FleetKey): Response =>
  succeedWithTag(request, fleetKeys.settingsOf(key), key)

export function fleetKeyRoutes({ db, idempotency, changes, keyUse, fleetNotes }: ManageDeps) {
  const changed = (id: string, ownerId: string): Promise<void> => changes.publish({ kind: 'fleet-key', id, ownerId })
  const writeCounts = async (): Promise<void> => {
    await Promise.all([keyUse.flush('fleet-key-secret'), fleetNotes.flush()])
  }

  return new Elysia({ name: 'manage-fleet-keys' })
    .post(
      `${ENTERPRISE}/fleet-keys`,
      async ({ request, body }) => {
        const enterpriseId = subjectOf(request)
        await getEnterprise(db, enterpriseId)
        checkTemplate(body.template)
        const { expiresAt, ...given } = body
        const secret = keyInputOf(expiresAt === undefined ? {} : { expiresAt })
        const { key, digest } = newKey('fleet')
        return idempotency.kept(
          request,
          (tx) => fleetKeys.createFleetKey(tx, callerOf(request), enterpriseId, given, digest, secret),
          (made) => succeed(request, { ...made, key }),
        )
      },
      operation({
        summary: 'Create a fleet key',
        description:
          'A fleet key sends readings for many sensors of the enterprise. The key is shown only in this response. An enterprise has at most 100.',
        rights: { of: 'owner', for: MANAGERS },
        body: bodySchema(input),
        result: both(ref('FleetKey'), secretKey),
      }),
    )
    .get(
      `${ENTERPRISE}/fleet-keys`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        await writeCounts()
        return succeed(request, await fleetKeys.listFleetKeys(db, subjectOf(request), pageOf(query)))
      },
      operation({
        summary: 'List fleet keys of an enterprise',
        description: 'Also those that were revoked, because devices may still use them.',
        rights: { of: 'owner', for: STAFF },
        query: pageQuery,
        result: page(ref('FleetKey')),
      }),
    )
    .get(
      FLEET_KEY,
      async ({ request }) => {
        await writeCounts()
        return withTag(request, await fleetKeys.getFleetKey(db, subjectOf(request)))
      },
      operation({
        summary: 'Get a fleet key',
        description:
          '`calls` and `refused` count since the key was made; `pending` is the number of its devices that wait for approval.',
        rights: { of: 'fleet-key', for: STAFF },
        result: ref('FleetKey'),
      }),
    )
    .patch(
      FLEET_KEY,
      async ({ request, body }) => {
        checkTemplate(body.template)
        const key = await changeSeen(request, db, recordOf(subjectOf(request)), (tx) =>
          fleetKeys.updateFleetKey(tx, callerOf(request), subjectOf(request), body),
        )
        await changed(key.id, key.enterpriseId)
        return withTag(request, key)
      },
      operation({
        summary: 'Update a fleet key',
        description: 'Changes the sent fields, from the next call of the key on.',
        rights: { of: 'fleet-key', for: MANAGERS },
        body: bodySchema(change),
        result: ref('FleetKey'),
      }),
    )
    .delete(
      FLEET_KEY,
      async ({ request }) => {
        const id = subjectOf(request)
        const enterpriseId = await changeSeen(request, db, recordOf(id), (tx) =>
          fleetKeys.revokeFleetKey(tx, callerOf(request), id),
        )
        await changed(id, enterpriseId)
        return succeed(request, { id })
      },
      operation({
        summary: 'Revoke a fleet key',
        description:
          'The key stops working at once, and its devices that wait for approval are forgotten. Its record and its refusals stay.',
        rights: { of: 'fleet-key', for: MANAGERS },
        result: deleted,
      }),
    )
    .post(
      `${FLEET_KEY}/keys`,
      async ({ request, body }) => {
        const { key, digest } = newKey('fleet')
        const secret = keyInputOf(body)
        return idempotency.kept(
          request,
          (tx) => fleetKeys.rotateFleetKey(tx, callerOf(request), subjectOf(request), digest, secret),
          (record) => succeed(request, { ...record, keyId: record.id, key }),
          async () => changed(subjectOf(request), (await fleetKeys.getFleetKey(db, subjectOf(request))).enterpriseId),
        )
      },
      operation({
        summary: 'Rotate a fleet key',
        description:
          'Makes a new key, which is shown only in this response. The earlier ones stay valid for 24 hours, or until they expire.',
        rights: { of: 'fleet-key', for: MANAGERS },
        body: bodySchema(Type.Optional(keyInput)),
        result: withNewKey(secretKey, ref('StoredKey')),
      }),
    )
    .get(
      `${FLEET_KEY}/refusals`,
      async ({ request, query }) => {
        await fleetNotes.flush()
        const page = await listFleetRefusals(db, subjectOf(request), pageOf(query))
        const items = page.items.map((one) => {
          const { en, ar } = refusalTexts(one.reason)
          const detailAr = (FAULTS_ARABIC as Record<string, string>)[one.detail ?? ''] ?? one.detail
          return { ...one, detailAr, message: en, messageAr: ar }
        })
        return succeed(request, { ...page, items })
      },
      operation({
        summary: 'List refusals of a fleet key',
        description:
          'Refusals that belong to no sensor: unknown sensors, unreadable lines, keys that have ended. The newest 1,000, newest first; equal ones are counted.',
        rights: { of: 'fleet-key', for: STAFF },
        query: sortedQuery,
        result: page(ref('FleetRefusal')),
      }),
    )
    .get(
      `${ENTERPRISE}/pending-sensors`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        await fleetNotes.flush()
        return succeed(request, await listPending(db, subjectOf(request), pageOf(query), query.fleetKeyId))
      },
      operation({
        summary: 'List devices that wait for approval',
        description:
          'Devices that fleet keys with `autoCreate` `pending` have named. They store nothing. `sent` is a part of the first reading.',
        rights: { of: 'owner', for: STAFF },
        query: pendingQuery,
        result: page(ref('PendingSensor')),
      }),
    )
    .post(
      `${ENTERPRISE}/pending-sensors/approve`,
      async ({ request, body: { externalIds, template } }) => {
        const enterpriseId = subjectOf(request)
        await getEnterprise(db, enterpriseId)
        checkTemplate(template)
        return idempotency.kept(
          request,
          (tx) =>
            approvePending(tx, callerOf(request), enterpriseId, externalIds, template, (sent) =>
              channelsOf(sent, MAX_CHANNELS),
            ),
          ({ approved, refused }) => succeed(request, { approved, refused }),
          async ({ approved, fleetKeyIds }) => {
            await Promise.all([
              ...fleetKeyIds.map((id) => changed(id, enterpriseId)),
              ...approved.map(({ sensorId: id }) =>
                changes.publish({ kind: 'sensor', id, ownerId: enterpriseId, deleted: false }),
              ),
            ])
          },
        )
      },
      operation({
        summary: 'Approve devices',
        description:
          'Makes sensors of devices that wait, with the tags of their fleet keys. `template` takes the place of the template of the fleet key. Refused are external ids that do not wait (`missing`), and those that a sensor has already (`exists`).',
        rights: { of: 'owner', for: MANAGERS },
        body: bodySchema(approval),
        result: object({
          approved: list(object({ externalId: string, sensorId: string })),
          refused: list(object({ externalId: string, reason: oneOf('missing', 'exists') })),
        }),
      }),
    )
    .post(
      `${ENTERPRISE}/pending-sensors/dismiss`,
      async ({ request, body: { externalIds } }) => {
        const enterpriseId = subjectOf(request)
        await getEnterprise(db, enterpriseId)
        return idempotency.kept(
          request,
          (tx) => dismissPending(tx, callerOf(request), enterpriseId, externalIds),
          ({ dismissed, refused }) => succeed(request, { dismissed, refused }),
          async ({ fleetKeyIds }) => {
            await Promise.all(fleetKeyIds.map((id) => changed(id, enterpriseId)))
          },
        )
      },
      operation({
        summary: 'Dismiss devices',
        description:
          'Takes devices that wait off the lists of all fleet keys of the enterprise, which makes room for others. A device is listed again when it sends again. Refused are external ids that do not wait (`missing`).',
        rights: { of: 'owner', for: MANAGERS },
        body: bodySchema(dismissal),
        result: object({
          dismissed: list(string),
          refused: list(object({ externalId: string, reason: oneOf('missing') })),
        }),
      }),
    )
}
