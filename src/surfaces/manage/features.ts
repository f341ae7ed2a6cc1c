/** Routes that write features of map layers. Bodies are large, so worker processes parse them. */
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { mediaTypeOf, requireMediaType, saveBody } from '../../http/body.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { JSON_TYPE, succeed } from '../../http/envelope.ts'
import { callerOf } from '../../http/request-context.ts'
import intake from '../../intake/features.ts'
import { newId } from '../../stores/postgres/ids.ts'
import * as layers from '../../stores/postgres/layers.ts'
import { getOwner } from '../../stores/postgres/owners.ts'
import { changeSeen } from './changes.ts'
import type { ManageDeps } from './deps.ts'
import { featureRecord, layerRecord } from './layers.ts'
import * as model from './model.ts'

/** RFC 7946; worker processes check the rest. */
const GEOJSON = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  additionalProperties: true,
}

/** A body as parsed by a worker process. */
type Received = {
  name?: string
  fields: string[]
  columns?: string[]
  remove?: string[]
  features: layers.FeatureChunks
}
type IntakeInput = Parameters<typeof intake.run>[0]

/** Opens the file on the first read, because the edit may be rejected before. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path)
  try {
    for await (const line of file.readLines()) yield line
  } finally {
    await file.close()
  }
}

export function featureRoutes({ db, changes, disk, storage, engine, scratchDir, limits }: ManageDeps) {
  const operation = (summary: string, description: string, schema: object) => ({
    ...model.operation(summary, description),
    requestBody: { required: true, content: { [JSON_TYPE]: { schema } } },
  })
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'layer', id, deleted: false })

  async function receive<T>(
    request: Request,
    ownerId: string,
    input: Omit<IntakeInput, 'path'>,
    use: (received: Received) => Promise<T>,
  ): Promise<T> {
    requireMediaType(mediaTypeOf(request.headers.get('content-type')), JSON_TYPE, 'application/geo+json')
    await disk.require()
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const bodyPath = join(scratch, 'body.json')
      await saveBody(request, bodyPath, limits.layerBody)
      const { data, files } = await engine.run(
        intake,
        { ...input, path: bodyPath },
        { scratch, deadlineMs: limits.toolTimeoutMs, signal: request.signal, plan: 'max', tenant: ownerId },
      )
      const path = files?.[0]?.path as string
      const received = { ...(data as Omit<Received, 'features'>), features: linesOf(path) }
      // a little more than the features take in the database: their geometries are base64 here
      return await storage.within(ownerId, Bun.file(path).size, () => use(received))
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  return new Elysia({ name: 'manage-features' })
    .post(
      '/owners/:ownerId/layers',
      async ({ request, params }) => {
        const owner = await getOwner(db, params.ownerId)
        return receive(request, params.ownerId, { form: 'layer' }, async ({ name = '', fields, features }) =>
          succeed(
            request,
            layers.layerToJson(await layers.createLayer(db, callerOf(request), owner, { name, fields }, features)),
          ),
        )
      },
      {
        parse: 'none',
        detail: operation(
          'Create a map layer',
          'Creates a layer from GeoJSON. Coordinates are converted to WGS 84. Features without an id get one.',
          {
            ...{ type: 'object', required: ['name', 'geojson'] },
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 200 },
              geojson: { ...GEOJSON, description: 'A FeatureCollection, a Feature or a geometry' },
            },
          },
        ),
      },
    )
    .put(
      '/owners/:ownerId/layers/:id/features',
      async ({ request, params }) => {
        const { ownerId, id } = params
        await layers.getLayer(db, ownerId, id)
        const replace = async ({ fields, features }: Received): Promise<Response> => {
          const layer = await changeSeen(request, db, layerRecord({ ownerId, id }), (tx) =>
            layers.replaceFeatures(tx, callerOf(request), ownerId, id, fields, features),
          )
          await changed(id)
          return succeedWithTag(request, layers.layerToJson(layer))
        }
        return receive(request, params.ownerId, { form: 'collection' }, replace)
      },
      {
        parse: 'none',
        detail: operation(
          'Replace the features of a map layer',
          'Replaces all features of the layer with those sent.',
          { ...GEOJSON, description: 'A FeatureCollection' },
        ),
      },
    )
    .patch(
      '/owners/:ownerId/layers/:id/features',
      async ({ request, params }) => {
        const { ownerId, id } = params
        await layers.getLayer(db, ownerId, id)
        return receive(
          request,
          params.ownerId,
          { form: 'changes' },
          async ({ fields, columns, features, remove = [] }) => {
            const changes = { fields, columns, upsert: features, remove }
            const layer = await changeSeen(request, db, layerRecord({ ownerId, id }), (tx) =>
              layers.changeFeatures(tx, callerOf(request), ownerId, id, changes),
            )
            await changed(id)
            return succeedWithTag(request, layers.layerToJson(layer))
          },
        )
      },
      {
        parse: 'none',
        detail: operation(
          'Change features of a map layer',
          'Adds features, replaces features that have the same id, and deletes features. All changes take effect together and make one version.',
          {
            type: 'object',
            properties: {
              upsert: { type: 'array', items: GEOJSON, description: 'Features to add or replace' },
              delete: { type: 'array', items: { type: 'string' }, description: 'Ids of features to delete' },
              fields: {
                ...{ type: 'array', items: { type: 'string' } },
                description:
                  'The columns of the layer in their order, when some are renamed or removed. Other properties of the features to add follow.',
              },
            },
          },
        ),
      },
    )
    .put(
      '/owners/:ownerId/layers/:id/features/:featureId',
      async ({ request, params }) => {
        const { ownerId, id, featureId } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, params.ownerId, { form: 'feature', featureId }, async ({ fields, features }) => {
          const layer = await changeSeen(request, db, featureRecord({ id, featureId }), (tx) =>
            layers.changeFeatures(tx, callerOf(request), ownerId, id, { fields, upsert: features, remove: [] }),
          )
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      {
        parse: 'none',
        detail: operation(
          'Create or replace a feature',
          'Adds the feature under the id in the path, or replaces the feature that has this id.',
          { ...GEOJSON, description: 'A Feature' },
        ),
      },
    )
}
