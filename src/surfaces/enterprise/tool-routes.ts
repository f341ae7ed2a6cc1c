/** /enterprise/v1/gis: one route for each tool, and routes for processes, jobs, runs and files. */
import { type Context, Elysia } from 'elysia'
import { AppError } from '../../errors.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { asAppError, failureResponse, respond } from '../../http/envelope.ts'
import { fixedJson } from '../../http/fixed-document.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import type { Language } from '../../tools/plain-schema.ts'
import type { Tool } from '../../tools/tool.ts'
import { admit, admitToTool, handleCall, isOffered } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { openApiDocument, toolOperation } from './openapi.ts'
import { GIS_PREFIX } from './paths.ts'
import { processDescription, processList } from './processes.ts'
import { operation } from './read-operations.ts'
import { runRoutes } from './run-routes.ts'
import { uploadRoutes } from './upload-routes.ts'

export function enterpriseSurface(deps: EnterpriseDeps) {
  const { registry } = deps
  const document = fixedJson(() => openApiDocument(registry.tools, deps.version))
  const app = new Elysia({ name: 'enterprise', prefix: GIS_PREFIX }).onAfterHandle(deps.idempotency.requireKept)

  for (const tool of registry.tools) {
    const answer = async ({ request }: Pick<Context, 'request'>) => {
      const organization = await admitToTool(deps, request, tool)
      longRunning({ request })
      return handleCall(deps, request, tool, organization)
    }
    // calls.ts reads bodies itself: forms are streamed to disk, JSON is limited in size
    app.post(tool.route, answer, { parse: 'none', detail: toolOperation(tool) as object })
    for (const alias of tool.aliases) app.post(alias, answer, { parse: 'none', detail: { hide: true } })
  }

  /** Process routes report failures as exception documents (RFC 7807) instead of envelopes. */
  async function processAnswer(
    call: RoutedRequest,
    language: string | undefined,
    present: (isAvailable: (tool: Tool) => boolean, language: Language) => object,
  ): Promise<Response> {
    try {
      if (language !== undefined && language !== 'en' && language !== 'ar')
        throw new AppError('VALIDATION_FAILED', { message: 'lang: must be one of en, ar' })
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
      { detail: operation('/processes') },
    )
    .get(
      '/processes/:id',
      ({ request, route, params, query }) =>
        processAnswer({ request, route, params }, query.lang, (granted, language) => {
          const tool = registry.byId(params.id)
          if (tool === undefined || !granted(tool))
            throw new AppError('NOT_FOUND', { message: `The process "${params.id.slice(0, 80)}" does not exist.` })
          return processDescription(tool, language, deps.limits.fileBytes)
        }),
      { detail: operation('/processes/{id}') },
    )
    .get('/openapi.json', ({ request }) => document(request), { detail: { hide: true } })
    .use(runRoutes(deps))
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
