/** Routes for the versions of map layers: list, read, compare, restore, forget. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS, READERS } from '../../../access/authorization.ts'
import { invalidField } from '../../../errors.ts'
import { TextInTurns } from '../../../event-loop-yield.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { succeedWithTag } from '../../../http/entity-tags.ts'
import { JSON_TYPE, respond, succeed, successAround } from '../../../http/envelope.ts'
import { page, ref } from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { longRunning } from '../../../http/route-options.ts'
import { featureText } from '../../../intake/feature-text.ts'
import * as versions from '../../../stores/postgres/layers/layer-versions.ts'
import * as layers from '../../../stores/postgres/layers/layers.ts'
import { changeSeen } from '../changes.ts'
import type { ManageDeps } from '../deps.ts'
import { operation } from '../operation.ts'
import { pageOf, pageQuery, versionParams } from '../request-schemas.ts'
import { OWNER } from '../subject-paths.ts'
import { answerSequence, wantsSequence } from './feature-sequence.ts'
import { layerRecord } from './layers.ts'

const number = (description: string) => Type.Number({ minimum: 1, maximum: 2_147_483_647, multipleOf: 1, description })
const compareQuery = Type.Object(
  {
    limit: pageQuery.properties.limit,
    // an id of a feature
    cursor: Type.Optional(Type.String({ maxLength: 1024, description: 'nextCursor of the previous page' })),
    from: number('The version that is the state before'),
    to: number('The version that is the state after'),
  },
  { additionalProperties: false },
)

/** Names of properties whose values differ, including properties that only one of the states has. */
function attributesOf(before: string, after: string): { name: string; before?: unknown; after?: unknown }[] {
  const [old, now] = [JSON.parse(before), JSON.parse(after)] as [Record<string, unknown>, Record<string, unknown>]
  const names = [...Object.keys(old), ...Object.keys(now).filter((name) => !Object.hasOwn(old, name))]
  return names
    .filter((name) => JSON.stringify(ownOf(old, name)) !== JSON.stringify(ownOf(now, name)))
    .map((name) => ({ name, ...sideOf('before', old, name), ...sideOf('after', now, name) }))
}
const ownOf = (values: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined
const sideOf = (side: string, values: Record<string, unknown>, name: string): object =>
  Object.hasOwn(values, name) ? { [side]: values[name] } : {}

const sameBytes = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)

function differenceText({ featureId, before, after }: versions.Difference): string {
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  const isBoth = before !== undefined && after !== undefined
  const facts = {
    featureId,
    change,
    geometryChanged: isBoth && !sameBytes(before.geometry, after.geometry),
    attributes: isBoth ? attributesOf(before.properties, after.properties) : [],
  }
  const text = (state: typeof before): string => (state === undefined ? 'null' : featureText({ featureId, ...state }))
  return `${JSON.stringify(facts).slice(0, -1)},"before":${text(before)},"after":${text(after)}}`
}

/** A page whose items are written in turns, since features may be long. */
async function answerPage<T>(
  request: Request,
  { items, nextCursor }: { items: T[]; nextCursor: string | null },
  textOf: (item: T) => string,
): Promise<Response> {
  const [head, tail] = successAround(request)
  const text = new TextInTurns()
  text.add(`${head}{"items":[`)
  await text.addList(items.length, (i) => textOf(items[i] as T))
  text.add(`],"nextCursor":${JSON.stringify(nextCursor)}}${tail}`)
  return respond(request, Buffer.concat(text.end()), JSON_TYPE)
}

export function layerVersionRoutes(
  { db, idempotency, changes, storage }: ManageDeps,
  onExportError: (error: unknown) => void,
) {
  const at = `${OWNER}/layers/:id/versions` as const
  return new Elysia({ name: 'manage-layer-versions' })
    .get(
      at,
      async ({ request, params, query }) => {
        const { id } = await layers.getLayer(db, subjectOf(request), params.id)
        return succeed(request, await versions.listVersions(db, id, pageOf(query)))
      },
      operation({
        summary: 'List versions of a map layer',
        description:
          'Returns the kept versions, newest first, with their authors and the numbers of added, changed and removed features. At most 100 versions are kept, with at most 256 MB of replaced features; the oldest are deleted first.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        query: pageQuery,
        result: page(ref('LayerVersion')),
      }),
    )
    .delete(
      at,
      async ({ request, params }) => {
        const ownerId = subjectOf(request)
        const { id } = params
        const layer = await changeSeen(request, db, layerRecord({ ownerId, id }), (tx) =>
          versions.forgetVersions(tx, callerOf(request), ownerId, id),
        )
        return succeedWithTag(request, layers.layerToJson(layer))
      },
      {
        beforeHandle: longRunning,
        ...operation({
          summary: 'Delete earlier versions of a map layer',
          description: 'Keeps the current version only, which frees storage.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          result: ref('Layer'),
        }),
      },
    )
    .get(
      `${at}/compare`,
      async ({ request, params, query }) => {
        const { id } = await layers.getLayer(db, subjectOf(request), params.id)
        const { from, to } = query
        if (from === to) throw invalidField('query.to', 'differs', fieldText('differentVersions'))
        for (const version of [from, to]) await versions.getVersion(db, id, version)
        const page = await versions.compareVersions(db, id, { from, to }, pageOf(query))
        return answerPage(request, page, differenceText)
      },
      operation({
        summary: 'Compare two versions of a map layer',
        description:
          'Returns the features that were added, changed or removed between two versions, ordered by id, each with its state before and after and the attributes that differ.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        query: compareQuery,
        result: page(ref('FeatureDifference')),
      }),
    )
    .get(
      `${at}/:version/features`,
      async ({ request, params, query }) => {
        const { id } = await layers.getLayer(db, subjectOf(request), params.id)
        await versions.getVersion(db, id, params.version)
        if (wantsSequence(request)) return answerSequence(request, db, { id, version: params.version }, onExportError)
        return answerPage(request, await versions.listFeaturesOf(db, id, params.version, pageOf(query)), featureText)
      },
      operation({
        summary: 'List features of a version of a map layer',
        description:
          'Returns GeoJSON Features as they were in that version, in the order that they had. With `Accept: application/geo+json-seq` it streams all of them as a GeoJSON text sequence (RFC 8142), without pages.',
        rights: { of: 'owner', for: READERS, personalKeys: true },
        params: versionParams,
        query: pageQuery,
        result: page(ref('Feature')),
      }),
    )
    .post(
      `${at}/:version/restore`,
      async ({ request, params }) => {
        const ownerId = subjectOf(request)
        const { id, version } = params
        const { historyBytes } = await layers.getLayer(db, ownerId, id)
        await versions.getVersion(db, id, version)
        const restore = () =>
          idempotency.kept(
            request,
            (db) =>
              changeSeen(request, db, layerRecord({ ownerId, id }), (tx) =>
                versions.restoreVersion(tx, callerOf(request), ownerId, id, version),
              ),
            (layer) => succeedWithTag(request, layers.layerToJson(layer)),
            () => changes.publish({ kind: 'layer', id, deleted: false }),
          )
        // the restored features are part of the history, whose size bounds theirs
        return storage.within(ownerId, historyBytes, restore)
      },
      {
        beforeHandle: longRunning,
        ...operation({
          summary: 'Bring back a version of a map layer',
          description: 'Makes a new version with the features of an earlier one. The versions between them stay.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          params: versionParams,
          result: ref('Layer'),
        }),
      },
    )
}
