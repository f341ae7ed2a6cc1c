/** Routes for Tool APIs and their keys. */

import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS, READERS } from '../../../access/authorization.ts'
import { newKey } from '../../../access/keys/keys.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import { succeedWithTag } from '../../../http/entity-tags.ts'
import { succeed } from '../../../http/envelope.ts'
import {
  anyObject,
  boolean,
  both,
  integer,
  list,
  nullable,
  object,
  page,
  ref,
  string,
} from '../../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../../http/request-context.ts'
import { longRunning } from '../../../http/route-options.ts'
import { getOwner, type Owner } from '../../../stores/postgres/accounts/owners.ts'
import * as toolApis from '../../../stores/postgres/runs/tool-apis.ts'
import { activityOf, type ToolFacts } from '../../../tool-apis/activity.ts'
import { pageOfToolApis, TOOL_API_SORTS, TOOL_API_STATES } from '../../../tool-apis/list.ts'
import { checkSaved, eligibleTool } from '../../../tool-apis/saved-tools.ts'
import { returnsSecondFields, settingsSchema } from '../../../tools/saved.ts'
import { changeSeen, type RecordToChange } from '../changes.ts'
import type { ManageDeps } from '../deps.ts'
import { keyInput, keyInputOf } from '../key-input.ts'
import { operation } from '../operation.ts'
import { closed, pageOf, pageQuery, reason } from '../request-schemas.ts'
import { deleted, secretKey, withNewKey } from '../response-schemas.ts'
import { OWNER, TOOL_API } from '../subject-paths.ts'
import { savedTool } from './saved-tool.ts'

const toolApiInput = Type.Object(
  { tool: Type.String({ maxLength: 100, description: 'Process id, for example vector.clip' }), ...savedTool },
  closed,
)
const toolApiChange = Type.Partial(
  Type.Object({ ...savedTool, enabled: Type.Boolean(), held: Type.Boolean(), heldReason: reason }),
  closed,
)
const toolApiQuery = Type.Object(
  {
    ...pageQuery.properties,
    offset: Type.Optional(
      // a number with multipleOf: Elysia converts query text to numbers only
      Type.Number({
        multipleOf: 1,
        minimum: 0,
        maximum: 1e9,
        description: 'How many Tool APIs to skip, instead of a cursor',
      }),
    ),
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Part of the name, the tool, the bound item or the id, in any case' }),
    ),
    state: Type.Optional(
      Type.String({
        maxLength: 64,
        description: `Only those in one of these states, separated by commas: ${TOOL_API_STATES.join(', ')}`,
      }),
    ),
    tool: Type.Optional(Type.String({ maxLength: 100, description: 'Return only Tool APIs of this tool' })),
    sort: Type.Optional(
      Type.Union(
        TOOL_API_SORTS.map((sort) => Type.Literal(sort)),
        { description: 'state (default; refused first); calls, refused, p95 and lastCall are values of today' },
      ),
    ),
    order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    lang: Type.Optional(
      Type.Union([Type.Literal('en'), Type.Literal('ar')], { description: 'Language in which names are sorted' }),
    ),
  },
  closed,
)

/** Members of lists in the OpenAPI document. */
const toolApiFacts = {
  total: integer,
  states: object(Object.fromEntries(TOOL_API_STATES.map((state) => [state, integer]))),
  tools: list(string),
}

const bothLanguages = object({ en: string, ar: string })
const toolOfToolApi = object({
  id: string,
  version: string,
  title: bothLanguages,
  description: bothLanguages,
  tier: nullable(string),
  secondInput: nullable({}),
  tellsFields: boolean,
  settings: anyObject,
})

const ACTIVITY =
  '`activity` contains the state of calls (`on`, `off`, `held` or `refused`), the code that the next call would get, the name of the bound item, the calls of today (UTC) and the time of the last call.'

const toolApiToJson = ({ toolId, ...api }: toolApis.ToolApi) => ({
  ...api,
  tool: toolId,
  path: `/tool-apis/${api.id}/run`,
})
const toolApiRecord = (id: string): RecordToChange => ({
  kind: 'tool-api',
  id,
  read: async (db) => toolApiToJson(await toolApis.getToolApi(db, id)),
})

/** Whether the list is searched or sorted; otherwise it is in the order of ids. */
const isSearched = ({ limit: _, cursor: __, ...query }: Static<typeof toolApiQuery>): boolean =>
  Object.values(query).some((value) => value !== undefined)

export function toolApiRoutes(deps: ManageDeps) {
  const { db, idempotency, changes, keyUse, registry, usage } = deps
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'tool-api', id })
  const eligible = registry.tools.filter(({ saved }) => saved !== undefined)

  const factsOfTool: ToolFacts = (id) => {
    const tool = eligible.find((candidate) => candidate.id === id)
    return tool && { tier: tool.tier, second: tool.saved?.second }
  }

  const titlesOf = (id: string) => eligible.find((candidate) => candidate.id === id)?.title

  async function activityOfAll(owner: Owner, apis: readonly toolApis.ToolApi[]) {
    await usage.flush()
    return activityOf(db, factsOfTool, owner, apis, Date.now())
  }
  async function withActivity(request: Request, api: toolApis.ToolApi): Promise<Response> {
    const activity = await activityOfAll(await getOwner(db, api.ownerId), [api])
    const record = toolApiToJson(api)
    return succeedWithTag(request, record, { ...record, activity: activity.get(api.id) })
  }

  return new Elysia({ name: 'manage-tool-apis' })
    .get(
      '/tool-api-tools',
      ({ request }) =>
        succeed(request, {
          items: eligible.map((tool) => ({
            id: tool.id,
            version: tool.version,
            title: tool.title,
            description: tool.description,
            tier: tool.tier ?? null,
            secondInput: tool.saved?.second ?? null,
            tellsFields: returnsSecondFields(tool),
            settings: settingsSchema(tool),
          })),
        }),
      operation({
        summary: 'List tools for Tool APIs',
        description:
          'Lists the tools that can be saved as a Tool API, with the JSON Schema of their settings and their second input.',
        rights: { of: 'server', for: READERS, personalKeys: true },
        result: object({ items: list(toolOfToolApi) }),
      }),
    )
    .post(
      `${OWNER}/tool-apis`,
      async ({ request, body }) => {
        const owner = await getOwner(db, subjectOf(request))
        const tool = eligibleTool(registry, body.tool)
        const checked = await checkSaved(deps, owner, tool, body)
        const { key, digest } = newKey('toolApi')
        const input = { ...checked, name: body.name, toolId: tool.id }
        return idempotency.kept(
          request,
          (tx) => toolApis.createToolApi(tx, callerOf(request), owner, input, digest),
          (api) => succeed(request, { ...toolApiToJson(api), key }),
        )
      },
      {
        beforeHandle: longRunning,
        ...operation({
          summary: 'Create a Tool API',
          description:
            'Saves a tool with its settings, and its second input bound to a layer or file of the owner. The key is shown only in this response.',
          rights: { of: 'owner', for: KEEPERS, personalKeys: true },
          body: bodySchema(toolApiInput),
          result: both(ref('ToolApi'), secretKey),
        }),
      },
    )
    .get(
      `${OWNER}/tool-apis`,
      async ({ request, query }) => {
        const owner = await getOwner(db, subjectOf(request))
        if (isSearched(query)) {
          await usage.flush()
          const asked = { ...query, limit: query.limit ?? 100 }
          const about = { factsOf: factsOfTool, titles: titlesOf, nowMs: Date.now() }
          const { items: found, ...page } = await pageOfToolApis(db, owner, asked, about)
          return succeed(request, {
            items: found.map(({ api, ...one }) => ({ ...toolApiToJson(api), ...one })),
            ...page,
          })
        }
        const page = await toolApis.listToolApis(db, subjectOf(request), pageOf(query))
        const activity = await activityOfAll(owner, page.items)
        const items = page.items.map((api) => ({ ...toolApiToJson(api), activity: activity.get(api.id) }))
        return succeed(request, { ...page, items })
      },
      operation({
        summary: 'List Tool APIs of an owner',
        description: `In the order of their ids. With \`q\`, \`state\`, \`tool\`, \`sort\`, \`order\` or \`offset\`, the answer also has \`total\`, how many match, \`states\`, how many of the owner's are in each state, and \`tools\`, the tools that are saved. ${ACTIVITY}`,
        rights: { of: 'owner', for: KEEPERS, personalKeys: true },
        query: toolApiQuery,
        result: page(ref('ToolApiWithActivity'), toolApiFacts),
      }),
    )
    .get(
      TOOL_API,
      async ({ request }) => withActivity(request, await toolApis.getToolApi(db, subjectOf(request))),
      operation({
        summary: 'Get a Tool API',
        description: ACTIVITY,
        rights: { of: 'tool-api', for: KEEPERS, personalKeys: true },
        result: ref('ToolApiWithActivity'),
      }),
    )
    .patch(
      TOOL_API,
      async ({ request, body }) => {
        const before = await toolApis.getToolApi(db, subjectOf(request))
        const { settings, binding, rule, referenceFields, ...switches } = body
        const sent = { settings, binding, rule, referenceFields }
        const changesSettings = Object.values(sent).some((value) => value !== undefined)
        const settingsChange = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
        const checked = changesSettings
          ? await checkSaved(deps, await getOwner(db, before.ownerId), eligibleTool(registry, before.toolId), {
              ...before,
              ...settingsChange,
            })
          : {}
        const api = await changeSeen(request, db, toolApiRecord(subjectOf(request)), (tx) =>
          toolApis.updateToolApi(tx, callerOf(request), subjectOf(request), { ...switches, ...checked }),
        )
        await changed(api.id)
        return withActivity(request, api)
      },
      {
        beforeHandle: longRunning,
        ...operation({
          summary: 'Update a Tool API',
          description:
            'Changes the sent fields. Switch the Tool API on or off with `enabled`, put it on hold with `held`.',
          rights: { of: 'tool-api', for: KEEPERS, personalKeys: true, operatorFields: ['held', 'heldReason'] },
          body: bodySchema(toolApiChange),
          result: ref('ToolApiWithActivity'),
        }),
      },
    )
    .delete(
      TOOL_API,
      async ({ request }) => {
        await changeSeen(request, db, toolApiRecord(subjectOf(request)), (tx) =>
          toolApis.deleteToolApi(tx, callerOf(request), subjectOf(request)),
        )
        await changed(subjectOf(request))
        return succeed(request, { id: subjectOf(request) })
      },
      operation({
        summary: 'Delete a Tool API',
        description: 'Deletes the Tool API and its keys.',
        rights: { of: 'tool-api', for: KEEPERS, personalKeys: true },
        result: deleted,
      }),
    )
    .post(
      `${TOOL_API}/keys`,
      async ({ request, body }) => {
        const { key, digest } = newKey('toolApi')
        const input = keyInputOf(body)
        return idempotency.kept(
          request,
          (tx) => toolApis.addToolApiKey(tx, callerOf(request), subjectOf(request), digest, input),
          (record) => succeed(request, { ...record, keyId: record.id, key }),
          () => changed(subjectOf(request)),
        )
      },
      operation({
        summary: 'Add a key to a Tool API',
        description: 'The key is shown only in this response. Existing keys stay valid until they are revoked.',
        rights: { of: 'tool-api', for: KEEPERS },
        body: bodySchema(Type.Optional(keyInput)),
        result: withNewKey(secretKey, ref('StoredKey')),
      }),
    )
    .get(
      `${TOOL_API}/keys`,
      async ({ request }) => {
        await keyUse.flush('tool-api-key')
        const { keys } = await toolApis.getToolApi(db, subjectOf(request))
        return succeed(request, { items: keys, nextCursor: null })
      },
      operation({
        summary: 'List keys of a Tool API',
        description: 'Keys are not returned, only their last four characters.',
        rights: { of: 'tool-api', for: KEEPERS },
        result: page(ref('StoredKey')),
      }),
    )
    .delete(
      `${TOOL_API}/keys/:keyId`,
      async ({ request, params }) => {
        await toolApis.revokeToolApiKey(db, callerOf(request), subjectOf(request), params.keyId)
        await changed(subjectOf(request))
        return succeed(request, { id: params.keyId })
      },
      operation({
        summary: 'Revoke a key of a Tool API',
        description: 'The key stops working at once.',
        rights: { of: 'tool-api', for: KEEPERS },
        result: deleted,
      }),
    )
}
