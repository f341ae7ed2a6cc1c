/** Routes for the map layers of owners and for reading their features. */
import { Elysia } from 'elysia'
import { JSON_TYPE, respond, succeed, successAround } from '../../http/envelope.ts'
import { callerOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import { featureText } from '../../intake/feature-text.ts'
import { getFeature, listFeatures } from '../../stores/postgres/layer-features.ts'
import * as layers from '../../stores/postgres/layers.ts'
import { getOwner } from '../../stores/postgres/owners.ts'
import { bytesOf } from '../../stores/postgres/stored-files.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './model.ts'

export function layerRoutes({ db, changes, storage }: ManageDeps) {
  const detail = model.operation
  const changed = (id: string, deleted = false): Promise<void> => changes.publish({ kind: 'layer', id, deleted })

  const answerFeatures = async (request: Request, layerId: string, page: ReturnType<typeof model.pageOf>) => {
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
      '/owners/:ownerId/layers',
      async ({ request, params, query }) => {
        await getOwner(db, params.ownerId)
        const page = await layers.listLayers(db, params.ownerId, model.pageOf(query))
        return succeed(request, { ...page, items: page.items.map(layers.layerToJson) })
      },
      { query: model.pageQuery, detail: detail('List map layers of an owner') },
    )
    .get(
      '/owners/:ownerId/layers/:id',
      async ({ request, params }) =>
        succeed(request, layers.layerToJson(await layers.getLayer(db, params.ownerId, params.id))),
      { detail: detail('Get a map layer', 'Returns the layer without its features.') },
    )
    .patch(
      '/owners/:ownerId/layers/:id',
      async ({ request, params, body: { name, ownerId } }) => {
        const owner = ownerId === undefined ? undefined : await model.ownerInBody(db, ownerId)
        const update = () => layers.updateLayer(db, callerOf(request), params.ownerId, params.id, { name, owner })
        const { id } = await layers.getLayer(db, params.ownerId, params.id)
        const layer =
          owner === undefined || owner.id === params.ownerId
            ? await update()
            : await storage.within(owner.id, await bytesOf(db, 'layer', id), update)
        await changed(layer.id)
        return succeed(request, layers.layerToJson(layer))
      },
      {
        body: model.ownedChange,
        detail: detail('Update a map layer', 'Renames the layer or transfers it to another owner.'),
      },
    )
    .delete(
      '/owners/:ownerId/layers/:id',
      async ({ request, params }) => {
        await layers.deleteLayer(db, callerOf(request), params.ownerId, params.id)
        await changed(params.id, true)
        return succeed(request, { id: params.id })
      },
      { beforeHandle: longRunning, detail: detail('Delete a map layer') },
    )
    .get(
      '/owners/:ownerId/layers/:id/features',
      async ({ request, params, query }) => {
        const layer = await layers.getLayer(db, params.ownerId, params.id)
        return answerFeatures(request, layer.id, model.pageOf(query))
      },
      {
        query: model.pageQuery,
        detail: detail('List features of a map layer', 'Returns GeoJSON Features in the order of the layer.'),
      },
    )
    .get(
      '/owners/:ownerId/layers/:id/features/:featureId',
      async ({ request, params }) => {
        const layer = await layers.getLayer(db, params.ownerId, params.id)
        const feature = featureText(await getFeature(db, layer.id, params.featureId))
        return succeed(request, JSON.parse(feature))
      },
      { detail: detail('Get a feature') },
    )
    .delete(
      '/owners/:ownerId/layers/:id/features/:featureId',
      async ({ request, params }) => {
        const { ownerId, id, featureId } = params
        const layer = await layers.getLayer(db, ownerId, id)
        await getFeature(db, layer.id, featureId)
        const none = async function* (): AsyncGenerator<string> {}
        const change = { fields: [], upsert: none(), remove: [featureId] }
        const edited = await layers.changeFeatures(db, callerOf(request), ownerId, id, change)
        await changed(id)
        return succeed(request, layers.layerToJson(edited))
      },
      { detail: detail('Delete a feature') },
    )
}
