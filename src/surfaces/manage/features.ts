/** Features of map layers on their way in. Bodies are large, so worker processes read them. */
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

const ACTOR = 'operator'

/** What a process made of a body. */
type Received = { name?: string; fields: string[]; remove?: string[]; features: layers.FeatureChunks }
type IntakeInput = Parameters<typeof intake.run>[0]

/** Opened when the first is asked for: an edit may be refused before. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await open(path)
  try {
    for await (const line of file.readLines()) yield line
  } finally {
    await file.close()
  }
}

export function featureRoutes({ db, changes, engine, scratchDir, limits }: ManageDeps) {
  const detail = (summary: string) => ({ tags: ['Manage'], summary, security: [{ operatorToken: [] }] })
  const body = (summary: string, description: string) => ({
    ...detail(summary),
    requestBody: { required: true, description, content: { [JSON_TYPE]: { schema: { type: 'object' as const } } } },
  })
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'layer', id, deleted: false })

  async function receive<T>(
    request: Request,
    input: Omit<IntakeInput, 'path'>,
    use: (received: Received) => Promise<T>,
  ): Promise<T> {
    const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase()
    if (type !== JSON_TYPE && type !== 'application/geo+json') {
      const message = 'must be application/json or application/geo+json'
      throw new AppError('MEDIA_TYPE_UNSUPPORTED', { errors: [{ field: 'Content-Type', rule: 'enum', message }] })
    }
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const path = join(scratch, 'body.json')
      await Bun.write(path, await readBody(request, limits.layerBody))
      const { data, files } = await engine.run(
        intake,
        { ...input, path },
        { scratch, deadlineMs: limits.toolTimeoutMs, signal: request.signal, plan: 'max' },
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
        return receive(request, { form: 'layer' }, async ({ name = '', fields, features }) =>
          succeed(request, layers.layerToJson(await layers.createLayer(db, ACTOR, owner, { name, fields }, features))),
        )
      },
      { parse: 'none', detail: body('Make a map layer', '{name, geojson}') },
    )
    .put(
      '/owners/:ownerId/layers/:id/features',
      async ({ request, params }) => {
        const { ownerId, id } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, { form: 'collection' }, async ({ fields, features }) => {
          const layer = await layers.replaceFeatures(db, ACTOR, ownerId, id, fields, features)
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      { parse: 'none', detail: body('Put other features in the place of all', 'A FeatureCollection') },
    )
    .patch(
      '/owners/:ownerId/layers/:id/features',
      async ({ request, params }) => {
        const { ownerId, id } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, { form: 'changes' }, async ({ fields, features, remove = [] }) => {
          const layer = await layers.changeFeatures(db, ACTOR, ownerId, id, { fields, upsert: features, remove })
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      { parse: 'none', detail: body('Put features in, change them by their ids, take them out', '{upsert, delete}') },
    )
    .put(
      '/owners/:ownerId/layers/:id/features/:featureId',
      async ({ request, params }) => {
        const { ownerId, id, featureId } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, { form: 'feature', featureId }, async ({ fields, features }) => {
          const layer = await layers.changeFeatures(db, ACTOR, ownerId, id, { fields, upsert: features, remove: [] })
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      { parse: 'none', detail: body('Put a feature in, or in the place of the one of this id', 'A Feature') },
    )
}
