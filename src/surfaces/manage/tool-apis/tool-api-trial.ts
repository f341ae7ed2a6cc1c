/** Trial calls of Tool APIs with a session: the same code runs as for calls with a key. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS } from '../../../access/authorization.ts'
import { bodySchema } from '../../../http/body/body-schema.ts'
import { subjectOf } from '../../../http/request-context.ts'
import { getOwner, type Owner } from '../../../stores/postgres/accounts/owners.ts'
import type { ToolApiRecord } from '../../../stores/postgres/runs/tool-apis.ts'
import { checkSaved, eligibleTool } from '../../../tool-apis/saved-tools.ts'
import type { ManageDeps, PlaceOf } from '../deps.ts'
import { operation } from '../operation.ts'
import { closed } from '../request-schemas.ts'
import { OWNER, TOOL_API } from '../subject-paths.ts'
import { savedTool } from './saved-tool.ts'

const { name: _, ...unnamedTool } = savedTool
const toolApiPreview = Type.Object(
  {
    tool: Type.String({ maxLength: 100 }),
    ...unnamedTool,
    input: Type.Unknown({ description: 'GeoJSON Feature, FeatureCollection or geometry (RFC 7946)' }),
  },
  closed,
)

type Place = Awaited<ReturnType<PlaceOf>>

/** The functions of the Tool API surface that this one uses. */
export type ToolApiTrials = {
  trial(request: Request, id: string, place: Place): Promise<Response>
  preview(
    request: Request,
    facts: { api: ToolApiRecord; owner: Owner },
    given: { input: unknown; content: string },
    place: Place,
  ): Promise<Response>
}

/** An unsaved Tool API has no name and no times. Its calls per minute count for the owner. */
const unsaved = (
  owner: Owner,
): Omit<ToolApiRecord, 'toolId' | 'settings' | 'binding' | 'rule' | 'referenceFields'> => ({
  id: `preview:${owner.id}`,
  ownerId: owner.id,
  name: '',
  enabled: true,
  held: false,
  heldReason: null,
  enterpriseId: null,
  personId: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
})

export function toolApiPreviewRoutes(deps: ManageDeps, trials: ToolApiTrials) {
  return new Elysia({ name: 'manage-tool-api-previews' }).post(
    `${OWNER}/tool-api-previews`,
    async ({ request, body }) => {
      const owner = await getOwner(deps.db, subjectOf(request))
      const tool = eligibleTool(deps.registry, body.tool)
      const checked = await checkSaved(deps, owner, tool, body)
      const api = { ...unsaved(owner), ...checked, toolId: tool.id }
      const content = new Bun.CryptoHasher('sha256').update(JSON.stringify(body)).digest('hex')
      return trials.preview(request, { api, owner }, { input: body.input, content }, await deps.placeOf(request))
    },
    operation({
      summary: 'Preview a Tool API',
      description:
        'Runs a tool on the sent input with the settings, the binding and the rule that a Tool API would have, without saving anything. It counts as one API request of the owner.',
      rights: { of: 'owner', for: KEEPERS, personalKeys: true },
      body: bodySchema(toolApiPreview),
      result: {},
    }),
  )
}

export function toolApiTrialRoutes({ placeOf }: ManageDeps, { trial }: ToolApiTrials) {
  return new Elysia({ name: 'manage-tool-api-trial' }).post(
    `${TOOL_API}/try`,
    async ({ request }) => trial(request, subjectOf(request), await placeOf(request)),
    {
      // the worker process reads the body
      parse: 'none',
      ...operation({
        summary: 'Try a Tool API',
        description:
          'Runs the Tool API on the sent input, as `POST /tool-apis/{id}/run` does, without a key. The call counts against the calls per minute and the daily allowance of the owner; statistics count it under `trials`.',
        rights: { of: 'tool-api', for: KEEPERS, personalKeys: true },
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['input'],
                additionalProperties: false,
                properties: {
                  input: { type: 'object', description: 'GeoJSON Feature, FeatureCollection or geometry (RFC 7946)' },
                },
              },
            },
          },
        },
        result: {},
      }),
    },
  )
}
