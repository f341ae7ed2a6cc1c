/** Routes for Tool APIs, their keys and their usage. */
import { Elysia } from 'elysia'
import { lastFour, makeKey, sha256Hex } from '../../access/keys.ts'
import { apiRequestsPerDay } from '../../access/plans.ts'
import { invalidField } from '../../errors.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { callerOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import { MS_PER_DAY } from '../../ingest/timestamp.ts'
import {
  dayOf,
  requestsUsed,
  type ToolApiDay,
  toolApiDaysBetween,
  toolApiIdsOf,
} from '../../stores/postgres/api-requests.ts'
import { getOwner } from '../../stores/postgres/owners.ts'
import * as toolApis from '../../stores/postgres/tool-apis.ts'
import { checkSaved } from '../../tool-apis/saved-tools.ts'
import { returnsSecondFields, settingsSchema } from '../../tools/saved.ts'
import type { Tool } from '../../tools/tool.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import type { ManageDeps } from './deps.ts'
import * as model from './model.ts'

const DEFAULT_DAYS = 30

function newKey() {
  const key = makeKey('toolApi')
  return { key, digest: { keySha256: sha256Hex(key), lastFour: lastFour(key) } }
}

const toolApiToJson = ({ toolId, ...api }: toolApis.ToolApi) => ({
  ...api,
  tool: toolId,
  path: `/tool-apis/${api.id}/run`,
})
const toolApiRecord = (id: string): RecordToChange => ({
  ...{ kind: 'tool-api', id },
  read: async (db) => toolApiToJson(await toolApis.getToolApi(db, id)),
})

export function toolApiRoutes(deps: ManageDeps) {
  const { db, changes, registry, usage } = deps
  const detail = model.operation
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'tool-api', id })
  const eligible = registry.tools.filter(({ saved }) => saved !== undefined)

  function eligibleTool(id: string): Tool {
    const tool = eligible.find((candidate) => candidate.id === id)
    if (tool !== undefined) return tool
    const ids = eligible.map((candidate) => candidate.id).join(', ')
    throw invalidField('body.tool', 'enum', `must be one of ${ids}`)
  }

  function daysOf(query: { from?: string | undefined; to?: string | undefined }): { from: string; to: string } {
    const to = query.to ?? dayOf(Date.now())
    for (const [field, day] of Object.entries({ from: query.from, to }))
      if (day !== undefined && Number.isNaN(Date.parse(day)))
        throw invalidField(`query.${field}`, 'date', 'must be a calendar day')
    const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * MS_PER_DAY)
    if (from > to) throw invalidField('query.from', 'order', 'must not be later than query.to')
    return { from, to }
  }

  return new Elysia({ name: 'manage-tool-apis' })
    .get(
      '/tool-api-tools',
      ({ request }) =>
        succeed(request, {
          items: eligible.map((tool) => ({
            ...{ id: tool.id, version: tool.version, title: tool.title, description: tool.description },
            tier: tool.tier ?? null,
            secondInput: tool.saved?.second ?? null,
            tellsFields: returnsSecondFields(tool),
            settings: settingsSchema(tool),
          })),
        }),
      {
        detail: detail(
          'List tools for Tool APIs',
          'Lists the tools that can be saved as a Tool API, with the JSON Schema of their settings and their second input.',
        ),
      },
    )
    .post(
      '/owners/:ownerId/tool-apis',
      async ({ request, params, body }) => {
        const owner = await getOwner(db, params.ownerId)
        const tool = eligibleTool(body.tool)
        const checked = await checkSaved(deps, owner, tool, body)
        const { key, digest } = newKey()
        const input = { ...checked, name: body.name, toolId: tool.id }
        const api = await toolApis.createToolApi(db, callerOf(request), owner, input, digest)
        return succeed(request, { ...toolApiToJson(api), key })
      },
      {
        body: model.toolApiInput,
        beforeHandle: longRunning,
        detail: detail(
          'Create a Tool API',
          'Saves a tool with its settings, and its second input bound to a layer or file of the owner. The key is shown only in this response.',
        ),
      },
    )
    .get(
      '/owners/:ownerId/tool-apis',
      async ({ request, params, query }) => {
        await getOwner(db, params.ownerId)
        const page = await toolApis.listToolApis(db, params.ownerId, model.pageOf(query))
        return succeed(request, { ...page, items: page.items.map(toolApiToJson) })
      },
      { query: model.pageQuery, detail: detail('List Tool APIs of an owner') },
    )
    .get(
      '/owners/:ownerId/usage',
      async ({ request, params, query }) => {
        const owner = await getOwner(db, params.ownerId)
        const { from, to } = daysOf(query)
        await usage.flush()
        const today = dayOf(Date.now())
        const days = await toolApiDaysBetween(db, await toolApiIdsOf(db, owner.id), from, to)
        const used = await requestsUsed(db, owner.id, today)
        const requests = { day: today, used, allowance: apiRequestsPerDay(owner) }
        return succeed(request, { from, to, requests, ...sumsOf(days), days: days.map(dayToJson) })
      },
      {
        query: model.usageQuery,
        detail: detail(
          'Get API usage of an owner',
          "Returns the API requests used today and the daily allowance, and the calls, failures and durations of the owner's Tool APIs by day. The range defaults to the last 30 days.",
        ),
      },
    )
    .get(
      '/tool-apis/:id',
      async ({ request, params }) => succeedWithTag(request, toolApiToJson(await toolApis.getToolApi(db, params.id))),
      {
        detail: detail('Get a Tool API'),
      },
    )
    .patch(
      '/tool-apis/:id',
      async ({ request, params, body }) => {
        const before = await toolApis.getToolApi(db, params.id)
        const { settings, binding, rule, referenceFields, ...switches } = body
        const sent = { settings, binding, rule, referenceFields }
        const changesSettings = Object.values(sent).some((value) => value !== undefined)
        const settingsChange = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
        const checked = changesSettings
          ? await checkSaved(deps, await getOwner(db, before.ownerId), eligibleTool(before.toolId), {
              ...before,
              ...settingsChange,
            })
          : {}
        const api = await changeSeen(request, db, toolApiRecord(params.id), (tx) =>
          toolApis.updateToolApi(tx, callerOf(request), params.id, { ...switches, ...checked }),
        )
        await changed(api.id)
        return succeedWithTag(request, toolApiToJson(api))
      },
      {
        body: model.toolApiChange,
        beforeHandle: longRunning,
        detail: detail(
          'Update a Tool API',
          'Changes the sent fields. Switch the Tool API on or off with `enabled`, put it on hold with `held`.',
        ),
      },
    )
    .delete(
      '/tool-apis/:id',
      async ({ request, params }) => {
        await changeSeen(request, db, toolApiRecord(params.id), (tx) =>
          toolApis.deleteToolApi(tx, callerOf(request), params.id),
        )
        await changed(params.id)
        return succeed(request, { id: params.id })
      },
      { detail: detail('Delete a Tool API', 'Deletes the Tool API and its keys.') },
    )
    .get(
      '/tool-apis/:id/usage',
      async ({ request, params, query }) => {
        const api = await toolApis.getToolApi(db, params.id)
        const { from, to } = daysOf(query)
        await usage.flush()
        const days = await toolApiDaysBetween(db, [api.id], from, to)
        return succeed(request, { from, to, ...sumsOf(days), days: days.map(dayToJson) })
      },
      {
        query: model.usageQuery,
        detail: detail(
          'Get usage of a Tool API',
          'Returns calls, failures and durations by day. The range defaults to the last 30 days.',
        ),
      },
    )
    .post(
      '/tool-apis/:id/keys',
      async ({ request, params }) => {
        const { key, digest } = newKey()
        const record = await toolApis.addToolApiKey(db, callerOf(request), params.id, digest)
        await changed(params.id)
        return succeed(request, { ...record, keyId: record.id, key })
      },
      {
        detail: detail(
          'Add a key to a Tool API',
          'The key is shown only in this response. Existing keys stay valid until they are revoked.',
        ),
      },
    )
    .get(
      '/tool-apis/:id/keys',
      async ({ request, params }) => {
        const { keys } = await toolApis.getToolApi(db, params.id)
        return succeed(request, { items: keys, nextCursor: null })
      },
      { detail: detail('List keys of a Tool API', 'Keys are not returned, only their last four characters.') },
    )
    .delete(
      '/tool-apis/:id/keys/:keyId',
      async ({ request, params }) => {
        await toolApis.revokeToolApiKey(db, callerOf(request), params.id, params.keyId)
        await changed(params.id)
        return succeed(request, { id: params.keyId })
      },
      { detail: detail('Revoke a key of a Tool API', 'The key stops working at once.') },
    )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Durations in milliseconds. */
function sumsOf(days: readonly ToolApiDay[]) {
  const calls = sum(days.map((day) => day.calls))
  const durationMs = sum(days.map((day) => day.durationMs))
  return {
    calls,
    failures: sum(days.map((day) => day.failures)),
    durationMs,
    meanDurationMs: calls === 0 ? null : durationMs / calls,
  }
}

const dayToJson = (day: ToolApiDay) => ({ ...day, meanDurationMs: day.durationMs / day.calls })
