/** Request schemas of Tool APIs, and the further members of their list. */
import { Type } from '@sinclair/typebox'
import { integer, list, object, string } from '../../../http/openapi/openapi-schemas.ts'
import { TOOL_API_SORTS, TOOL_API_STATES } from '../../../tool-apis/list.ts'
import { closed, name, pageQuery, reason, versionNumber } from '../model.ts'

const settings = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Settings of the tool by name, without file fields and target_format',
})
const binding = Type.Object(
  {
    kind: Type.Union([Type.Literal('layer'), Type.Literal('file'), Type.Literal('file-version')]),
    id: Type.String({ maxLength: 64 }),
    version: Type.Optional(
      Type.Integer({ ...versionNumber, description: 'Version number; only for the kind file-version' }),
    ),
  },
  { ...closed, description: 'Layer or file that supplies the second input of the tool' },
)
const rule = Type.Object(
  {
    kind: Type.Union([Type.Literal('inside'), Type.Literal('partly'), Type.Literal('percent')]),
    percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  },
  { ...closed, description: 'Condition under which a feature passes the inside check' },
)
const referenceFields = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: 100,
  uniqueItems: true,
  description: 'Fields of the second input that results may contain',
})
const savedTool = {
  name,
  settings: Type.Optional(settings),
  binding: Type.Optional(binding),
  rule: Type.Optional(rule),
  referenceFields: Type.Optional(Type.Union([referenceFields, Type.Null()])),
}
export const toolApiInput = Type.Object(
  { tool: Type.String({ maxLength: 100, description: 'Process id, for example vector.clip' }), ...savedTool },
  closed,
)
const { name: _, ...unnamedTool } = savedTool
export const toolApiPreview = Type.Object(
  {
    tool: Type.String({ maxLength: 100 }),
    ...unnamedTool,
    input: Type.Unknown({ description: 'GeoJSON Feature, FeatureCollection or geometry (RFC 7946)' }),
  },
  closed,
)
export const toolApiChange = Type.Partial(
  Type.Object({ ...savedTool, enabled: Type.Boolean(), held: Type.Boolean(), heldReason: reason }),
  closed,
)

export const toolApiQuery = Type.Object(
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
export const toolApiFacts = {
  total: integer,
  states: object(Object.fromEntries(TOOL_API_STATES.map((state) => [state, integer]))),
  tools: list(string),
}
