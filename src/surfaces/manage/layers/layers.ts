/** Routes for the map layers of owners and for reading their features. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS, READERS } from '../../../access/authorization.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import { succeedWithTag } from '../../../http/entity-tags.ts'
import { JSON_TYPE, respond, succeed, successAround } from '../../../http/envelope.ts'
import { both, page, ref } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { longRunning } from '../../../http/route-options.ts'
import { featureText } from '../../../intake/feature-text.ts'
import { getOwner } from '../../../stores/postgres/accounts/owners.ts'
import { bytesOf } from '../../../stores/postgres/files/stored-files.ts'
import { getFeature, listFeatures } from '../../../stores/postgres/layers/layer-features.ts'
import * as layers from '../../../stores/postgres/layers/layers.ts'
import { countUses, listUses } from '../../../stores/postgres/layers/uses.ts'
import { changeSeen, type RecordToChange } from '../changes.ts'
import type { ManageDeps } from '../deps.ts'
import { listQuery } from '../list-query.ts'
import { operation } from '../operation.ts'
import { closed, name, ownerId, ownerInBody, pageOf, pageQuery } from '../request-schemas.ts'
import { deleted, usedBy } from '../response-schemas.ts'
import { OWNER } from '../subject-paths.ts'

const ownedChange = Type.Partial(Type.Object({ name, ownerId }), closed)

/** A layer; its tag changes with its features too. */
export const layerRecord = ({ ownerId, id }: { ownerId: string; id: string }): RecordToChange => ({
  kind: 'layer',
  id,
  read: async (db) => layers.layerToJson(await layers.getLayer(db, ownerId, id)),
})
export const featureRecord = ({ id, featureId }: { id: string; featureId: string }): RecordToChange => ({
  kind: 'layer',
  id,
  read: async (db) => JSON.parse(featureText(await getFeature(db, id, featureId))) as object,
})

export function layerRoutes({ db, changes, storage }: ManageDeps) {
  const changed = (id: string, deleted = false): Promise<void> => changes.publish({ kind: 'layer', id, deleted })

  const answerFeatures = async (request: Request, layerId: string, page: ReturnType<typeof pageOf>) => {
    const { items, nextCursor } = await listFeatures(db, layerId, page)
    const [head, tail] = successAround(request)
    const features = items.map(featureText).join(',')
    return respond(
      request,
      `${head}{"items":[${features}],"nextCursor":${JSON.stringify(nextCursor)}}${tail}`,
      JSON_TYPE,
    )
  }

  return new Elysia({ name: 'manage-layers' })
    .get(
      `${OWNER}/layers`,
      async ({ request, query }) => {
        await getOwner(db, subjectOf(request))
        const page = await layers.listLayers(db, subjectOf(request), { ...query, ...pageOf(query) })
        const uses = await countUses(
          db,
          page.items.map(({ id }) => id),
        )
        const items = page.items.map((layer) => ({ ...layers.layerToJson(layer), usedBy: uses.get(layer.id) }))
        return succeed(request, { ...page, items })
      },
      operation({
        summary: 'List map layers of an owner',
        description: 'Returns the layers with how many zone rules and Tool APIs use them.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        query: listQuery(layers.LAYER_SORTS),
        result: page(both(ref('Layer'), usedBy)),
      }),
    )
    .get(
      `${OWNER}/layers/:id`,
      async ({ request, params }) =>
        succeedWithTag(request, layers.layerToJson(await layers.getLayer(db, subjectOf(request), params.id))),
      operation({
        summary: 'Get a map layer',
        description: 'Returns the layer without its features.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        result: ref('Layer'),
      }),
    )
    .get(
      `${OWNER}/layers/:id/uses`,
      async ({ request, params }) => {
        const { id } = await layers.getLayer(db, subjectOf(request), params.id)
        return succeed(request, { items: await listUses(db, subjectOf(request), id), nextCursor: null })
      },
      operation({
        summary: 'List what uses a map layer',
        description: 'Returns the zone rules and Tool APIs that use the layer, at most 100.',
        rights: { of: 'owner', for: KEEPERS, personalKeys: true },
        result: page(ref('Use')),
      }),
    )
    .patch(
      `${OWNER}/layers/:id`,
      async ({ request, params, body: { name, ownerId } }) => {
        const owner = ownerId === undefined ? undefined : await ownerInBody(db, ownerId)
        const update = () =>
          changeSeen(request, db, layerRecord({ ownerId: subjectOf(request), id: params.id }), (tx) =>
            layers.updateLayer(tx, callerOf(request), subjectOf(request), params.id, { name, owner }),
          )
        const { id } = await layers.getLayer(db, subjectOf(request), params.id)
        const layer =
          owner === undefined || owner.id === subjectOf(request)
            ? await update()
            : await storage.within(owner.id, await bytesOf(db, 'layer', id), update)
        await changed(layer.id)
        return succeedWithTag(request, layers.layerToJson(layer))
      },
      operation({
        summary: 'Update a map layer',
        description: 'Renames the layer or transfers it to another owner.',
        rights: { of: 'owner', for: KEEPERS, personalKeys: true, transfers: true },
        body: bodySchema(ownedChange),
        result: ref('Layer'),
      }),
    )
    .delete(
      `${OWNER}/layers/:id`,
      async ({ request, params }) => {
        await changeSeen(request, db, layerRecord({ ownerId: subjectOf(request), id: params.id }), (tx) =>
          layers.deleteLayer(tx, callerOf(request), subjectOf(request), params.id),
        )
        await changed(params.id, true)
        return succeed(request, { id: params.id })
      },
      {
        beforeHandle: longRunning,
        ...operation({
          summary: 'Delete a map layer',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          result: deleted,
        }),
      },
    )
    .get(
      `${OWNER}/layers/:id/features`,
      async ({ request, params, query }) => {
        const layer = await layers.getLayer(db, subjectOf(request), params.id)
        return answerFeatures(request, layer.id, pageOf(query))
      },
      operation({
        summary: 'List features of a map layer',
        description: 'Returns GeoJSON Features in the order of the layer.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        query: pageQuery,
        result: page(ref('Feature')),
      }),
    )
    .get(
      `${OWNER}/layers/:id/features/:featureId`,
      async ({ request, params }) => {
        await layers.getLayer(db, subjectOf(request), params.id)
        return succeedWithTag(request, await featureRecord(params).read(db))
      },
      operation({
        summary: 'Get a feature',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        result: ref('Feature'),
      }),
    )
    .delete(
      `${OWNER}/layers/:id/features/:featureId`,
      async ({ request, params }) => {
        const ownerId = subjectOf(request)
        const { id, featureId } = params
        const layer = await layers.getLayer(db, ownerId, id)
        await getFeature(db, layer.id, featureId)
        const none = async function* (): AsyncGenerator<string> {}
        const change = { fields: [], upsert: none(), remove: [featureId] }
        const edited = await changeSeen(request, db, featureRecord(params), (tx) =>
          layers.changeFeatures(tx, callerOf(request), ownerId, id, change),
        )
        await changed(id)
        return succeed(request, layers.layerToJson(edited))
      },
      operation({
        summary: 'Delete a feature',
        rights: { of: 'owner', for: KEEPERS, personalKeys: true },
        result: ref('Layer'),
      }),
    )
}
