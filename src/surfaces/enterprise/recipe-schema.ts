/** The schemas of recipes: what a caller sends, and the records of answers. */
import { Type } from '@sinclair/typebox'
import { boolean, dateTime, type Json, object, ref, string } from '../../http/openapi/openapi-schemas.ts'

const closed = { additionalProperties: false } as const
const MAX_STEPS = 5

const step = Type.Object(
  {
    tool: Type.String({ maxLength: 80, description: 'Id of a process that takes a file' }),
    settings: Type.Record(Type.String({ maxLength: 80 }), Type.Unknown(), {
      description: 'Fields of the call that are no files',
    }),
    files: Type.Optional(
      Type.Record(Type.String({ maxLength: 80 }), Type.Array(Type.String({ maxLength: 64 }), { maxItems: 30 }), {
        description: 'Keys of stored files or ids of layers for further file fields',
      }),
    ),
  },
  closed,
)
export const recipeDocument = Type.Object(
  {
    version: Type.Literal(1),
    steps: Type.Array(step, {
      minItems: 1,
      maxItems: MAX_STEPS,
      description: 'The first file field of a step takes the given file, or the result of the step before',
    }),
  },
  closed,
)
export const recipe = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Must not consist of spaces only' }),
    shared: Type.Optional(
      Type.Boolean({
        description:
          'true: of the enterprise, changed by administrators and owners; false: of the member alone. By default false for a member, and true for an application',
      }),
    ),
    document: recipeDocument,
  },
  closed,
)
export const recipeChange = Type.Partial(recipe, closed)

const saved = { id: string, name: string, shared: boolean, createdAt: dateTime, updatedAt: dateTime }

export const RECIPE_SCHEMAS: Json = {
  RecipeDocument: recipeDocument,
  RecipeInput: recipe,
  RecipeChange: recipeChange,
  Recipe: object({ ...saved, document: ref('RecipeDocument') }),
  ListedRecipe: object(saved),
}
