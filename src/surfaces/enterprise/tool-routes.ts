/** /enterprise/v1/gis: one route for each tool, and routes for processes, jobs, runs and files. */

import { Elysia } from 'elysia'
import { READERS, type Rule } from '../../access/authorization.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { asAppError, failureResponse, respond } from '../../http/envelope.ts'
import { fixedJson } from '../../http/fixed-document.ts'
import { type Json, ref } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import type { Language } from '../../tools/plain-schema.ts'
import type { Tool } from '../../tools/tool.ts'
import { admit, admitToTool, handleCall, isOffered } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { jobRoutes } from './job-routes.ts'
import { openApiDocument, toolContract } from './openapi.ts'
import { operation, pathParameter } from './operation.ts'
import { GIS_PREFIX } from './paths.ts'
import { processDescription, processList } from './processes.ts'
import { recipeRoutes } from './recipe-routes.ts'
import { runRoutes } from './run-routes.ts'
import { storedFileRoutes } from './stored-file-routes.ts'
import { uploadRoutes } from './upload-routes.ts'

const LANGUAGE: Json = {
  name: 'lang',
  in: 'query',
  description: 'Language of titles and descriptions.',
  schema: { type: 'string', enum: ['en', 'ar'], default: 'en' },
}
const json = (description: string, name: string): Json => ({
  description,
  content: { 'application/json': { schema: ref(name) } },
})

export function enterpriseSurface(deps: EnterpriseDeps) {
  const { registry } = deps
  const document = fixedJson(() => openApiDocument(app.routes, deps.version))
  const app = new Elysia({ name: 'enterprise', prefix: GIS_PREFIX }).onAfterHandle(deps.idempotency.requireKept)

  for (const tool of registry.tools) {
    const answer = async ({ request, route, params }: RoutedRequest) => {
      const organization = await admitToTool(deps, { request, route, params }, tool)
      longRunning({ request })
      return handleCall(deps, request, tool, organization)
    }
    const rights: Rule = { of: 'owner-in-header', for: READERS, personalKeys: true }
    // calls.ts reads bodies itself: forms are streamed to disk, JSON is limited in size
    app.post(tool.route, answer, { parse: 'none', ...operation({ ...toolContract(tool), rights }) })
    const unlisted = operation({ summary: tool.title.en, rights, hide: true })
    for (const alias of tool.aliases) app.post(alias, answer, { parse: 'none', ...unlisted })
  }

  /** Process routes report failures as exception documents (RFC 7807) instead of envelopes. */
  async function processAnswer(
    call: RoutedRequest,
    language: string | undefined,
    present: (isAvailable: (tool: Tool) => boolean, language: Language) => object,
  ): Promise<Response> {
    try {
      if (language !== undefined && language !== 'en' && language !== 'ar')
        throw invalidField('lang', 'enum', fieldText('oneOf', { values: 'en, ar' }))
      const organization = await admit(deps, call)
      const document = present((tool) => isOffered(organization, tool), language ?? 'en')
      return respond(call.request, JSON.stringify(document), 'application/json')
    } catch (thrown) {
      return exceptionDocument(call.request, thrown)
    }
  }

  return app
    .get(
      '/processes',
      ({ request, route, params, query }) =>
        processAnswer({ request, route, params }, query.lang, (granted, language) =>
          processList(registry.tools.filter(granted), language),
        ),
      operation({
        operationId: 'listProcesses',
        summary: 'List processes',
        description:
          'Lists the tools that the key pair may run, in the structure of OGC API – Processes. The response has no envelope.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
        parameters: [LANGUAGE],
        responses: { 200: json('The process list.', 'ProcessList') },
      }),
    )
    .get(
      '/processes/:id',
      ({ request, route, params, query }) =>
        processAnswer({ request, route, params }, query.lang, (granted, language) => {
          const tool = registry.byId(params.id)
          if (tool === undefined || !granted(tool))
            throw new AppError('NOT_FOUND', { message: fieldText('noProcess', { id: params.id.slice(0, 80) }) })
          return processDescription(tool, language, deps.limits.fileBytes)
        }),
      operation({
        operationId: 'describeProcess',
        summary: 'Describe a process',
        description: 'Returns the inputs and outputs of a tool as JSON Schema. The response has no envelope.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
        parameters: [pathParameter('id', 'Process id, for example `vector.buffer`.'), LANGUAGE],
        responses: {
          200: json('The process description.', 'Process'),
          404: {
            description:
              'The process does not exist, or the key pair may not run it. The body is an exception document.',
            content: { 'application/problem+json': {} },
          },
        },
      }),
    )
    .get('/openapi.json', ({ request }) => document(request), { detail: { hide: true } })
    .use(jobRoutes(deps))
    .use(runRoutes(deps))
    .use(recipeRoutes(deps))
    .use(storedFileRoutes(deps))
    .use(uploadRoutes(deps))
}

function exceptionDocument(request: Request, thrown: unknown): Response {
  const error = asAppError(request, thrown)
  // logs the failure and supplies the standard headers of failures
  const { headers } = failureResponse(request, error)
  const { path } = requestContextOf(request)
  const type =
    error.code === 'NOT_FOUND'
      ? 'http://www.opengis.net/def/exceptions/ogcapi-processes-1/1.0/no-such-process'
      : 'about:blank'
  const body = { type, title: error.code, status: error.status, detail: error.message, instance: path }
  const response = respond(request, JSON.stringify(body), 'application/problem+json', error.status)
  for (const name of ['retry-after', 'www-authenticate']) {
    const value = headers.get(name)
    if (value !== null) response.headers.set(name, value)
  }
  return response
}
