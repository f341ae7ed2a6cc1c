/** Recipes: chains of tools that run again on other files. Each step is an ordinary call of its tool. */

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import { documentScope } from '../../access/document-scope.ts'
import { AppError, fieldError, fieldsFailure, IDEMPOTENCY_HOURS } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { mediaTypeOf, readJson } from '../../http/body/body.ts'
import { schemaFailure } from '../../http/body/schema-failure.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { seenBy, succeedWithTag } from '../../http/entity-tags.ts'
import { JSON_TYPE, succeed } from '../../http/envelope.ts'
import { answer, failures, type Json, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import {
  changeDocument,
  createDocument,
  type DocumentScope,
  deleteDocument,
  documentToJson,
  getDocument,
  listDocuments,
} from '../../stores/postgres/documents/saved-documents.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import { takesForm } from '../../tools/check.ts'
import { admit, authenticateFirst } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { operation, PAGE_PARAMETERS, pathParameter, READ_FAILURES } from './operation.ts'
import { recipe, recipeChange, type recipeDocument } from './recipe-schema.ts'

const closed = { additionalProperties: false } as const
const listQuery = Type.Object(
  {
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)

const ID = pathParameter('id', 'Id of the recipe.')
const rights = { of: 'enterprise-in-header', for: STAFF } as const
const ok = (text: string, schema: Json) => ({ 200: answer(text, schema), ...failures(READ_FAILURES) })
const jsonBody = (name: string): Json => ({ required: true, content: { [JSON_TYPE]: { schema: ref(name) } } })
const checkNew = TypeCompiler.Compile(recipe)
const checkChange = TypeCompiler.Compile(recipeChange)

export function recipeRoutes(deps: EnterpriseDeps) {
  const { db, idempotency, registry } = deps
  async function scopeOf(call: RoutedRequest): Promise<{ scope: DocumentScope; space: KeySpace }> {
    const { owner, caller } = await admit(deps, call)
    if (owner.kind !== 'enterprise') throw new AppError('FORBIDDEN', { message: fieldText('recipesOfEnterprise') })
    return { scope: documentScope('recipe', owner.id, caller), space: caller.keySpace }
  }
  /** @throws AppError VALIDATION_FAILED for a tool that does not exist or takes no file */
  function requireTools({ steps }: Static<typeof recipeDocument>): void {
    const faults = steps.flatMap(({ tool: id }, i) => {
      const tool = registry.byId(id)
      if (tool !== undefined && takesForm(tool)) return []
      return [fieldError(`body.document.steps.${i}.tool`, 'exists', fieldText('toolForFile'))]
    })
    if (faults.length > 0) throw fieldsFailure('VALIDATION_FAILED', faults)
  }

  /** @throws AppError VALIDATION_FAILED */
  async function bodyOf<T extends TSchema>(request: Request, check: TypeCheck<T>): Promise<Static<T>> {
    const body: unknown = await readJson(request, mediaTypeOf(request.headers.get('content-type')), deps.jsonBody)
    if (!check.Check(body)) throw schemaFailure('body', check.Errors(body))
    return body
  }

  return new Elysia({ name: 'enterprise-recipes' })
    .post(
      '/recipes',
      async ({ request, route, params }) => {
        const { scope, space } = await scopeOf({ request, route, params })
        const body = await bodyOf(request, checkNew)
        requireTools(body.document)
        const first = await idempotency.begin(request, () => ({ space, route, content: JSON.stringify(body) }))
        if (first !== undefined) return first
        return idempotency.kept(
          request,
          (tx) => createDocument(tx, scope, body),
          (made) => succeedWithTag(request, documentToJson(made)),
        )
      },
      {
        parse: 'none',
        ...operation({
          operationId: 'createRecipe',
          summary: 'Create a recipe',
          description: `Stores a chain of tools that runs again on other files; each step is an ordinary call of its tool. Members make private recipes, administrators and owners also shared ones; an enterprise has at most 1,000. A request with an \`Idempotency-Key\` can be repeated for ${IDEMPOTENCY_HOURS} hours without creating another one.`,
          rights,
          requestBody: jsonBody('RecipeInput'),
          responses: ok('The recipe.', ref('Recipe')),
        }),
      },
    )
    .get(
      '/recipes',
      async ({ request, route, params, query: { limit = 100, cursor } }) => {
        const { scope } = await scopeOf({ request, route, params })
        return succeed(request, await listDocuments(db, scope, { limit, cursor }))
      },
      {
        ...authenticateFirst(deps),
        ...operation({
          operationId: 'listRecipes',
          summary: 'List recipes',
          description: 'Returns the private recipes of the caller and the shared ones, without their steps.',
          rights,
          query: listQuery,
          parameters: PAGE_PARAMETERS,
          responses: ok('A page of recipes.', page(ref('ListedRecipe'))),
        }),
      },
    )
    .get(
      '/recipes/:id',
      async ({ request, route, params }) => {
        const { scope } = await scopeOf({ request, route, params })
        return succeedWithTag(request, documentToJson(await getDocument(db, scope, params.id)))
      },
      operation({
        operationId: 'getRecipe',
        summary: 'Get a recipe',
        description: 'Returns a recipe with its steps.',
        rights,
        parameters: [ID],
        responses: ok('The recipe.', ref('Recipe')),
      }),
    )
    .patch(
      '/recipes/:id',
      async ({ request, route, params }) => {
        const { scope } = await scopeOf({ request, route, params })
        const body = await bodyOf(request, checkChange)
        if (body.document !== undefined) requireTools(body.document)
        const changed = await changeDocument(db, scope, params.id, body, seenBy(request, documentToJson))
        return succeedWithTag(request, documentToJson(changed))
      },
      {
        parse: 'none',
        ...operation({
          operationId: 'updateRecipe',
          summary: 'Update a recipe',
          description:
            'Changes the sent fields; `document` is replaced as a whole. With `If-Match`, it is changed only if it is still the same.',
          rights,
          parameters: [ID],
          requestBody: jsonBody('RecipeChange'),
          responses: ok('The recipe.', ref('Recipe')),
        }),
      },
    )
    .delete(
      '/recipes/:id',
      async ({ request, route, params }) => {
        const { scope } = await scopeOf({ request, route, params })
        await deleteDocument(db, scope, params.id, seenBy(request, documentToJson))
        return succeed(request, { id: params.id })
      },
      {
        parse: 'none',
        ...operation({
          operationId: 'deleteRecipe',
          summary: 'Delete a recipe',
          description: 'Deletes a recipe. Its runs and their results stay.',
          rights,
          parameters: [ID],
          responses: ok('The id of the recipe.', object({ id: string })),
        }),
      },
    )
}
