/** The fields of a saved tool in requests. */
import { Type } from '@sinclair/typebox'
import { closed, name, versionNumber } from '../request-schemas.ts'

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
export const savedTool = {
  name,
  settings: Type.Optional(settings),
  binding: Type.Optional(binding),
  rule: Type.Optional(rule),
  referenceFields: Type.Optional(Type.Union([referenceFields, Type.Null()])),
}
