/** /enterprise/v1/gis: one route for each tool, and routes for processes, jobs, runs and files. */
import { Type } from '@sinclair/typebox'
import { type Context, Elysia } from 'elysia'
import { createDownloadAudit } from '../../access/download-audit.ts'
import { AppError } from '../../errors.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { download, sendsContent } from '../../http/download.ts'
import { asAppError, failureResponse, respond, succeed } from '../../http/envelope.ts'
import { callerOf, requestContextOf } from '../../http/request-context.ts'
import { longRunning } from '../../http/route-options.ts'
import { runToJson } from '../../runs/records.ts'
import { recordChange } from '../../stores/postgres/audit.ts'
import { dismissJob, getJob, listJobs, resultOf } from '../../stores/postgres/jobs.ts'
import type { RunScope } from '../../stores/postgres/run-scope.ts'
import {
  filesOfRun,
  getArtifact,
  getRun,
  getStoredFile,
  listRuns,
  type StoredFile,
} from '../../stores/postgres/runs.ts'
import type { Language } from '../../tools/plain-schema.ts'
import type { Tool } from '../../tools/tool.ts'
import { admit, admitToTool, handleCall, isOffered } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { jobDocument } from './job-document.ts'
import { openApiDocument, READ_OPERATIONS, toolOperation } from './openapi.ts'
import { GIS_PREFIX } from './paths.ts'
import { processDescription, processList } from './processes.ts'

const pageQuery = Type.Object(
  {
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  { additionalProperties: false },
)

export function enterpriseSurface(deps: EnterpriseDeps) {
  const { db, registry, files } = deps
  const document = JSON.stringify(openApiDocument(registry.tools, deps.version))
  const app = new Elysia({ name: 'enterprise', prefix: GIS_PREFIX })

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

  async function scopeOf(call: RoutedRequest): Promise<RunScope> {
    const { owner, caller } = await admit(deps, call)
    return { ownerId: owner.id, ...(caller.ownRunsOnly && { memberId: caller.memberId ?? '' }) }
  }
  const downloads = createDownloadAudit(db)
  async function send(request: Request, file: StoredFile): Promise<Response> {
    const { id, filename, mediaType, bytes, crs, ownerId } = file
    const response = download(request, { key: id, filename, mediaType, bytes, crs, content: files.open(id) })
    if (sendsContent(request, response))
      await downloads.record(callerOf(request), ownerId, { kind: 'stored-file', id, filename, bytes })
    return response
  }
  const operation = (path: keyof typeof READ_OPERATIONS, method: 'get' | 'delete' = 'get') =>
    (READ_OPERATIONS[path] as Record<string, object>)[method] as object

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
          return processDescription(tool, language)
        }),
      { detail: operation('/processes/{id}') },
    )
    .get('/openapi.json', ({ request }) => respond(request, document, 'application/json'), { detail: { hide: true } })
    .get(
      '/jobs',
      async ({ request, route, params, query }) => {
        const page = await listJobs(db, await scopeOf({ request, route, params }), {
          limit: query.limit ?? 100,
          cursor: query.cursor,
        })
        return succeed(request, { items: page.items.map(jobDocument), nextCursor: page.nextCursor })
      },
      { query: pageQuery, detail: operation('/jobs') },
    )
    .get(
      '/jobs/:id',
      async ({ request, route, params }) =>
        succeed(request, jobDocument(await getJob(db, await scopeOf({ request, route, params }), params.id))),
      { detail: operation('/jobs/{jobId}') },
    )
    .delete(
      '/jobs/:id',
      async ({ request, route, params }) => {
        const job = await dismissJob(db, await scopeOf({ request, route, params }), params.id)
        if (job.status === 'dismissed') await deps.changes.publish({ kind: 'job', id: job.id, dismissed: true })
        return succeed(request, jobDocument(job))
      },
      { parse: 'none', detail: operation('/jobs/{jobId}', 'delete') },
    )
    .get(
      '/jobs/:id/results',
      async ({ request, route, params }) => {
        const job = await getJob(db, await scopeOf({ request, route, params }), params.id)
        const result = await resultOf(db, job.id)
        if (result === undefined || job.resultStatus === null)
          throw new AppError('NOT_FOUND', {
            message: `The status of the job is "${job.status}"; results are available once it is successful or failed.`,
          })
        return respond(request, result, 'application/json', job.resultStatus)
      },
      { detail: operation('/jobs/{jobId}/results') },
    )
    .get(
      '/runs',
      async ({ request, route, params, query }) => {
        const scope = await scopeOf({ request, route, params })
        await deps.finishedRuns.flush()
        const page = await listRuns(db, scope, {
          limit: query.limit ?? 100,
          cursor: query.cursor,
        })
        return succeed(request, { items: page.items.map((run) => runToJson(run)), nextCursor: page.nextCursor })
      },
      { query: pageQuery, detail: operation('/runs') },
    )
    .get(
      '/runs/:id',
      async ({ request, route, params }) => {
        const scope = await scopeOf({ request, route, params })
        await deps.finishedRuns.flush()
        const run = await getRun(db, scope, params.id)
        return succeed(request, runToJson(run, await filesOfRun(db, run.id)))
      },
      { detail: operation('/runs/{runId}') },
    )
    .get(
      '/runs/:id/artifacts/:artifactId',
      async ({ request, route, params }) =>
        send(request, await getArtifact(db, await scopeOf({ request, route, params }), params.id, params.artifactId)),
      { detail: operation('/runs/{runId}/artifacts/{artifactId}') },
    )
    .get(
      '/files/:key',
      async ({ request, route, params }) =>
        send(request, await getStoredFile(db, await scopeOf({ request, route, params }), params.key)),
      { detail: operation('/files/{key}') },
    )
    .delete(
      '/files/:key',
      async ({ request, route, params }) => {
        const { key } = params
        const scope = await scopeOf({ request, route, params })
        const { ownerId } = scope
        const deleted = await deps.storage.delete(scope, key)
        await recordChange(db, {
          ...{ actor: callerOf(request), action: 'delete', kind: 'stored-file', id: key },
          ...{ before: deleted, after: null, ownerId },
        })
        return succeed(request, { key })
      },
      // a body means nothing here, and would be read before the caller is known
      { parse: 'none', detail: operation('/files/{key}', 'delete') },
    )
}

function exceptionDocument(request: Request, thrown: unknown): Response {
  const error = asAppError(request, thrown)
  // logs the failure and supplies the headers that every failure has
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
