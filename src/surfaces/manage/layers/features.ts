/** Routes that write features of map layers. Bodies are large, so worker processes parse them. */

import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS } from '../../../access/authorization.ts'
import { mediaTypeOf, requireMediaType, saveBody } from '../../../http/body/body.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import { succeedWithTag } from '../../../http/entity-tags.ts'
import { JSON_TYPE, succeed } from '../../../http/envelope.ts'
import { idempotencyKeyOf } from '../../../http/idempotency.ts'
import { type Json, ref } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { longRunning } from '../../../http/route-options.ts'
import intake from '../../../intake/features.ts'
import { findGivenInputs, keyIsGone } from '../../../runs/given-inputs.ts'
import { STORAGE_KEY } from '../../../stores/files/client.ts'
import { getOwner } from '../../../stores/postgres/accounts/owners.ts'
import { findGivenFiles } from '../../../stores/postgres/files/given-files.ts'
import { newId } from '../../../stores/postgres/ids.ts'
import * as layers from '../../../stores/postgres/layers/layers.ts'
import { changeSeen } from '../changes.ts'
import type { ManageDeps } from '../deps.ts'
import { operation } from '../operation.ts'
import { closed, name } from '../request-schemas.ts'
import { OWNER } from '../subject-paths.ts'
import { featureRecord, layerRecord } from './layers.ts'

/** RFC 7946; worker processes check the rest. */
const GEOJSON = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  additionalProperties: true,
}

const file = Type.String({
  pattern: STORAGE_KEY,
  description: 'Key of a stored GeoJSON file of the owner: a result of a tool, an upload, a file or a version of one',
})
const fromFile = Type.Object({ name, file }, closed)
const versionFromFile = Type.Object({ file }, closed)

/** A body or a stored file as parsed by a worker process. */
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

/**
 * Parses the features of a file in a worker process, and passes them to `use`. `put` writes the file, or returns the
 * answer to an earlier request.
 */
function createReceiver({ disk, storage, engine, scratchDir, limits, idempotency }: ManageDeps) {
  return async function receive(
    request: Request,
    ownerId: string,
    input: Omit<IntakeInput, 'path'>,
    put: (path: string) => Promise<Response | undefined>,
    use: (received: Received) => Promise<Response>,
  ): Promise<Response> {
    await disk.require()
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const source = join(scratch, 'body.json')
      const first = await put(source)
      if (first !== undefined) return first
      const { data, files } = await engine.run(
        intake,
        { ...input, path: source },
        {
          scratch,
          deadlineMs: limits.toolTimeoutMs,
          plan: 'max',
          tenant: ownerId,
          ...(!idempotency.isHeld(request) && { signal: request.signal }),
        },
      )
      const path = files?.[0]?.path as string
      const received = { ...(data as Omit<Received, 'features'>), features: linesOf(path) }
      // slightly more than the size of the features in the database: their geometries are base64 here
      return await storage.within(ownerId, Bun.file(path).size, () => use(received))
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }
}

/** Creates a layer, or its next version, from a stored file, without another download and upload. */
export function layerFromFileRoutes(deps: ManageDeps) {
  const { db, changes, idempotency, fileStore, limits } = deps
  const receiveFile = createReceiver(deps)
  const field = 'body.file'

  async function receive(
    request: Request,
    ownerId: string,
    key: string,
    use: (received: Received) => Promise<Response>,
  ): Promise<Response> {
    const scope = { ownerId }
    const [given] = await findGivenInputs(db, scope, [{ field, key, maxBytes: limits.layerBody.maxBytes }])
    const fetchFile = async (path: string): Promise<undefined> => {
      try {
        await fileStore.fetch(given?.storageKey as string, path)
        return undefined
      } catch (error) {
        if ((await findGivenFiles(db, scope, [key])).size === 0) throw keyIsGone(field)
        throw error
      }
    }
    return receiveFile(request, ownerId, { form: 'file' }, fetchFile, use)
  }

  return new Elysia({ name: 'manage-layer-from-file' })
    .post(
      `${OWNER}/layers/from-file`,
      async ({ request, body: { name, file: key } }) => {
        const owner = await getOwner(db, subjectOf(request))
        const create = ({ fields, features }: Received): Promise<Response> =>
          idempotency.kept(
            request,
            (tx) => layers.createLayer(tx, callerOf(request), owner, { name, fields }, features),
            (layer) => succeed(request, layers.layerToJson(layer)),
          )
        return receive(request, owner.id, key, create)
      },
      {
        beforeHandle: longRunning,
        ...operation({
          summary: 'Create a map layer from a stored file',
          description:
            'Creates a layer from a GeoJSON file that is stored already, for example what `/validate-convert` made of another format. Coordinates are converted to WGS 84. The file stays.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          body: bodySchema(fromFile),
          result: ref('Layer'),
        }),
      },
    )
    .post(
      `${OWNER}/layers/:id/versions/from-file`,
      async ({ request, params: { id }, body }) => {
        const ownerId = subjectOf(request)
        await layers.getLayer(db, ownerId, id)
        const replace = ({ fields, features }: Received): Promise<Response> =>
          idempotency.kept(
            request,
            (tx) =>
              changeSeen(request, tx, layerRecord({ ownerId, id }), (locked) =>
                layers.replaceFeatures(locked, callerOf(request), ownerId, id, fields, features),
              ),
            (layer) => succeedWithTag(request, layers.layerToJson(layer)),
            () => changes.publish({ kind: 'layer', id, deleted: false }),
          )
        return receive(request, ownerId, body.file, replace)
      },
      {
        beforeHandle: longRunning,
        ...operation({
          summary: 'Make the next version of a map layer from a stored file',
          description: 'Replaces all features of the layer with the features of a GeoJSON file that is stored already.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          body: bodySchema(versionFromFile),
          result: ref('Layer'),
        }),
      },
    )
}

export function featureRoutes(deps: ManageDeps) {
  const { db, idempotency, placeOf, changes, limits } = deps
  const receiveFile = createReceiver(deps)
  const bodyOf = (schema: Json): Json => ({ required: true, content: { [JSON_TYPE]: { schema } } })
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'layer', id, deleted: false })

  function receive(
    request: Request,
    ownerId: string,
    input: Omit<IntakeInput, 'path'>,
    use: (received: Received) => Promise<Response>,
  ): Promise<Response> {
    requireMediaType(mediaTypeOf(request.headers.get('content-type')), JSON_TYPE, 'application/geo+json')
    const isKeyed = request.method === 'POST' && idempotencyKeyOf(request) !== undefined
    const put = async (path: string): Promise<Response | undefined> => {
      const { sha256: content } = await saveBody(request, path, limits.layerBody, { digest: isKeyed })
      return isKeyed ? idempotency.begin(request, async () => ({ ...(await placeOf(request)), content })) : undefined
    }
    return receiveFile(request, ownerId, input, put, use)
  }

  return new Elysia({ name: 'manage-features' })
    .post(
      `${OWNER}/layers`,
      async ({ request }) => {
        const owner = await getOwner(db, subjectOf(request))
        return receive(request, subjectOf(request), { form: 'layer' }, ({ name = '', fields, features }) =>
          idempotency.kept(
            request,
            (tx) => layers.createLayer(tx, callerOf(request), owner, { name, fields }, features),
            (layer) => succeed(request, layers.layerToJson(layer)),
          ),
        )
      },
      {
        parse: 'none',
        ...operation({
          summary: 'Create a map layer',
          description:
            'Creates a layer from GeoJSON. Coordinates are converted to WGS 84. Features without an id get one.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          requestBody: bodyOf({
            type: 'object',
            required: ['name', 'geojson'],
            properties: {
              name: { type: 'string', minLength: 1, maxLength: 200 },
              geojson: { ...GEOJSON, description: 'A FeatureCollection, a Feature or a geometry' },
            },
          }),
          result: ref('Layer'),
        }),
      },
    )
    .put(
      `${OWNER}/layers/:id/features`,
      async ({ request, params }) => {
        const ownerId = subjectOf(request)
        const { id } = params
        await layers.getLayer(db, ownerId, id)
        const replace = async ({ fields, features }: Received): Promise<Response> => {
          const layer = await changeSeen(request, db, layerRecord({ ownerId, id }), (tx) =>
            layers.replaceFeatures(tx, callerOf(request), ownerId, id, fields, features),
          )
          await changed(id)
          return succeedWithTag(request, layers.layerToJson(layer))
        }
        return receive(request, subjectOf(request), { form: 'collection' }, replace)
      },
      {
        parse: 'none',
        ...operation({
          summary: 'Replace the features of a map layer',
          description: 'Replaces all features of the layer with the sent features.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          requestBody: bodyOf({
            ...GEOJSON,
            description: 'A FeatureCollection',
          }),
          result: ref('Layer'),
        }),
      },
    )
    .patch(
      `${OWNER}/layers/:id/features`,
      async ({ request, params }) => {
        const ownerId = subjectOf(request)
        const { id } = params
        await layers.getLayer(db, ownerId, id)
        return receive(
          request,
          subjectOf(request),
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
        ...operation({
          summary: 'Change features of a map layer',
          description:
            'Adds features, replaces features that have the same id, and deletes features. All changes take effect together and make one version.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          requestBody: bodyOf({
            type: 'object',
            properties: {
              upsert: { type: 'array', items: GEOJSON, description: 'Features to add or replace' },
              delete: { type: 'array', items: { type: 'string' }, description: 'Ids of features to delete' },
              fields: {
                type: 'array',
                items: { type: 'string' },
                description:
                  'The columns of the layer in their order, when some are renamed or removed. Other properties of the features to add follow.',
              },
            },
          }),
          result: ref('Layer'),
        }),
      },
    )
    .put(
      `${OWNER}/layers/:id/features/:featureId`,
      async ({ request, params }) => {
        const ownerId = subjectOf(request)
        const { id, featureId } = params
        await layers.getLayer(db, ownerId, id)
        return receive(request, subjectOf(request), { form: 'feature', featureId }, async ({ fields, features }) => {
          const layer = await changeSeen(request, db, featureRecord({ id, featureId }), (tx) =>
            layers.changeFeatures(tx, callerOf(request), ownerId, id, { fields, upsert: features, remove: [] }),
          )
          await changed(id)
          return succeed(request, layers.layerToJson(layer))
        })
      },
      {
        parse: 'none',
        ...operation({
          summary: 'Create or replace a feature',
          description: 'Adds the feature under the id in the path, or replaces the feature that has this id.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          requestBody: bodyOf({ ...GEOJSON, description: 'A Feature' }),
          result: ref('Layer'),
        }),
      },
    )
}
