/** Routes that write features of map layers. Bodies are large, so worker processes parse them. */
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { AppError } from '../../errors.ts'
import { readBody } from '../../http/body.ts'
import { JSON_TYPE, succeed } from '../../http/envelope.ts'
import intake from '../../intake/features.ts'
import { newId } from '../../stores/postgres/ids.ts'
import * as layers from '../../stores/postgres/layers.ts'
import { getOwner } from '../../stores/postgres/owners.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './model.ts'

const ACTOR = 'operator'

/** A body as parsed by a worker process. */
type Received = { name?: string; fields: string[]; remove?: string[]; features: layers.FeatureChunks }
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

export function featureRoutes({ db, changes, engine, scratchDir, limits }: ManageDeps) {
  const operation = (summary: string, description: string, body: string) => ({
    ...model.operation(summary, description),
    requestBody: {
      ...{ required: true, description: body },
      content: { [JSON_TYPE]: { schema: { type: 'object' as const } } },
    },
  })
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'layer', id, deleted: false })

  async function receive<T>(
    request: Request,
    ownerId: string,
    input: Omit<IntakeInput, 'path'>,
    use: (received: Received) => Promise<T>,
  ): Promise<T> {
    const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
    if (type !== JSON_TYPE && type !== 'application/geo+json') {
      const message = 'must be application/json or application/geo+json'
      const errors = [{ field: 'Content-Type', rule: 'enum', message }]
      throw new AppError('MEDIA_TYPE_UNSUPPORTED', { message: `Content-Type: ${message}`, errors })
    }
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const path = join(scratch, 'body.json')
      await Bun.write(path, await readBody(request, limits.layerBody))
      const { data, files } = await engine.run(
        intake,
        { ...input, path },
        { scratch, deadlineMs: limits.toolTimeoutMs, signal: request.signal, plan: 'max', tenant: ownerId },
      )
      const features = linesOf(files?.[0]?.path as string)
      return await use({ ...(data as Omit<Received, 'features'>), features })
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
          succeed(request, layers.layerToJson(await layers.createLayer(db, ACTOR, owner, { name, fields }, features))),
        )
      },
      {
        parse: 'none',
        detail: operation(
          'Create a map layer',
          'Creates a layer from GeoJSON. Coordinates are converted to WGS 84. Features without an id get one.',
          '`name`, and `geojson`: a FeatureCollection, a Feature or a geometry.',
        ),
      },
    )
    .put(
      '/owners/:ownerId/layers/:id/features',
      async ({ request, params }) => {
        const { ownerId, id } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, params.ownerId, { form: 'collection' }, async ({ fields, features }) => {
          const layer = await layers.replaceFeatures(db, ACTOR, ownerId, id, fields, features)
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      {
        parse: 'none',
        detail: operation(
          'Replace the features of a map layer',
          'Replaces all features of the layer with those sent.',
          'A GeoJSON FeatureCollection.',
        ),
      },
    )
    .patch(
      '/owners/:ownerId/layers/:id/features',
      async ({ request, params }) => {
        const { ownerId, id } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, params.ownerId, { form: 'changes' }, async ({ fields, features, remove = [] }) => {
          const layer = await layers.changeFeatures(db, ACTOR, ownerId, id, { fields, upsert: features, remove })
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      {
        parse: 'none',
        detail: operation(
          'Change features of a map layer',
          'Adds features, replaces features that have the same id, and deletes features. All changes take effect together.',
          '`upsert`: a list of GeoJSON Features; `delete`: a list of feature ids. Both are optional.',
        ),
      },
    )
    .put(
      '/owners/:ownerId/layers/:id/features/:featureId',
      async ({ request, params }) => {
        const { ownerId, id, featureId } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, params.ownerId, { form: 'feature', featureId }, async ({ fields, features }) => {
          const layer = await layers.changeFeatures(db, ACTOR, ownerId, id, { fields, upsert: features, remove: [] })
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      {
        parse: 'none',
        detail: operation(
          'Create or replace a feature',
          'Adds the feature under the id in the path, or replaces the feature that has this id.',
          'A GeoJSON Feature.',
        ),
      },
    )
}
