/** Jobs, runs and stored files below /enterprise/v1/gis. A member sees only the results of their own calls. */
import { Elysia } from 'elysia'
import { createDownloadAudit, purposeOf } from '../../access/download-audit.ts'
import type { GisOrganization } from '../../access/organization-callers.ts'
import { AppError, CODES, type Code, type FieldError, fieldError } from '../../errors.ts'
import { mediaTypeOf, readJson } from '../../http/body/body.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { download, sendsContent } from '../../http/download.ts'
import { requireMatch, succeedWithTag, tagsToMatch } from '../../http/entity-tags.ts'
import { respond, succeed } from '../../http/envelope.ts'
import { callerOf } from '../../http/request-context.ts'
import { listedToJson, runToJson, storageKeysOf } from '../../runs/records.ts'
import { recordChange } from '../../stores/postgres/accounts/audit.ts'
import { lockRecord } from '../../stores/postgres/record-lock.ts'
import { dismissJob, getJob, resultOf } from '../../stores/postgres/runs/jobs.ts'
import { fileRun, findAnswer, hasAnswer } from '../../stores/postgres/runs/run-answers.ts'
import {
  isDismissed,
  listFolders,
  listJobs,
  listRuns,
  listRunsAndJobs,
  namesOf,
} from '../../stores/postgres/runs/run-list.ts'
import type { RunScope } from '../../stores/postgres/runs/run-scope.ts'
import {
  filesOfRun,
  getArtifact,
  getRun,
  getStoredFile,
  type RunRecord,
  type StoredFile,
} from '../../stores/postgres/runs/runs.ts'
import type { StoredFieldError } from '../../stores/postgres/schema.ts'
import { admit, scopeOfCaller } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { jobDocument } from './job-document.ts'
import { operation } from './read-operations.ts'
import { jobFilter, jobsQuery, pageOf, placeIn, runFilter, runsQuery } from './run-query.ts'

export function runRoutes(deps: EnterpriseDeps) {
  const { db, files } = deps

  const scopeOf = async (call: RoutedRequest): Promise<RunScope> => scopeOfCaller(await admit(deps, call))
  const isSession = ({ caller }: GisOrganization): boolean => caller.applicationId === undefined
  const downloads = createDownloadAudit(db)
  async function send(call: RoutedRequest, find: (scope: RunScope) => Promise<StoredFile>): Promise<Response> {
    const { request } = call
    const organization = await admit(deps, call)
    const { id, filename, mediaType, bytes, crs, ownerId } = await find(scopeOfCaller(organization))
    const response = await download(request, { key: id, filename, mediaType, bytes, crs, content: files.open(id) })
    // another account of the same browser must send its own request, and a download must not be answered from the cache
    // entry of a page's load
    response.headers.set('vary', 'Cookie, Sec-Fetch-Mode')
    const purpose = purposeOf(request.headers, isSession(organization))
    if (purpose === 'download' && isSession(organization)) response.headers.set('cache-control', 'private, no-store')
    if (sendsContent(request, response))
      await downloads.record(callerOf(request), ownerId, { kind: 'stored-file', id, filename, bytes }, purpose)
    return response
  }
  /** The fields of a run that a person can edit. */
  const editable = ({ id, name, folder }: RunRecord) => ({ runId: id, name, folder })

  async function describe(run: RunRecord): Promise<object> {
    const [own, names, hasResult, wasDismissed] = await Promise.all([
      filesOfRun(db, run),
      namesOf(db, [{ kind: 'run', run, isDismissed: false }]),
      hasAnswer(db, run),
      isDismissed(db, run),
    ])
    const expiry = await deps.storage.expiryOf(storageKeysOf(own, run.inputs))
    return { ...runToJson(run, { files: own, expiry, names }), hasResult, isDismissed: wasDismissed }
  }

  return new Elysia({ name: 'enterprise-runs' })
    .get(
      '/jobs',
      async ({ request, route, params, query }) => {
        const scope = await scopeOf({ request, route, params })
        const page = await listJobs(db, scope, pageOf(query), jobFilter(query))
        return succeed(request, { items: page.items.map(jobDocument), nextCursor: page.nextCursor })
      },
      { query: jobsQuery, detail: operation('/jobs') },
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
        const filter = runFilter(query)
        const list = query.jobs === 'true' ? listRunsAndJobs : listRuns
        const page = await list(db, scope, pageOf(query), filter)
        const names = await namesOf(db, page.items)
        const given = page.items.flatMap((listed) => (listed.kind === 'run' ? (listed.run.inputs ?? []) : []))
        const expiry = await deps.storage.expiryOf(storageKeysOf([...names.files.values()].flat(), given))
        return succeed(request, {
          items: page.items.map((listed) => listedToJson(listed, names, expiry)),
          nextCursor: page.nextCursor,
        })
      },
      { query: runsQuery, detail: operation('/runs') },
    )
    .get(
      '/run-folders',
      async ({ request, route, params }) =>
        succeed(request, { items: await listFolders(db, await scopeOf({ request, route, params })) }),
      { detail: operation('/run-folders') },
    )
    .get(
      '/runs/:id',
      async ({ request, route, params }) => {
        const scope = await scopeOf({ request, route, params })
        const run = await getRun(db, scope, params.id)
        return succeedWithTag(request, editable(run), await describe(run))
      },
      { detail: operation('/runs/{runId}') },
    )
    .patch(
      '/runs/:id',
      async ({ request, route, params }) => {
        const scope = await scopeOf({ request, route, params })
        const contentType = mediaTypeOf(request.headers.get('content-type'))
        const place = placeIn(await readJson(request, contentType, deps.jsonBody))
        const tags = tagsToMatch(request)
        const named = await db.transaction(async (tx) => {
          await lockRecord(tx, 'run', params.id)
          const before = await getRun(tx, scope, params.id)
          if (tags !== undefined) requireMatch(tags, editable(before))
          const after = await fileRun(tx, scope, params.id, place)
          await recordChange(tx, {
            actor: callerOf(request),
            action: 'update',
            kind: 'run',
            id: params.id,
            before: editable(before),
            after: editable(after),
            ownerId: scope.ownerId,
          })
          return after
        })
        return succeedWithTag(request, editable(named), await describe(named))
      },
      { parse: 'none', detail: operation('/runs/{runId}', 'patch') },
    )
    .get(
      '/runs/:id/result',
      async ({ request, route, params }) => {
        const run = await getRun(db, await scopeOf({ request, route, params }), params.id)
        if (run.jobId !== null) {
          const job = await getJob(db, { ownerId: run.ownerId }, run.jobId)
          const result = job.runId === run.id ? await resultOf(db, job.id) : undefined
          if (result !== undefined && job.resultStatus !== null)
            return respond(request, result, 'application/json', job.resultStatus)
        }
        const kept = await findAnswer(db, run.id)
        if (kept === undefined) throw new AppError('NOT_FOUND', { message: 'The result of the run is not kept.' })
        if ('data' in kept.answer) return succeed(request, kept.answer.data)
        const { code, message, errors } = kept.answer
        if (!isCode(code)) throw new AppError('TOOL_FAILED', { message })
        throw new AppError(code, { message, ...(errors && { errors: errors.map(inBothLanguages) }) })
      },
      { detail: operation('/runs/{runId}/result') },
    )
    .get(
      '/runs/:id/artifacts/:artifactId',
      async ({ request, route, params }) =>
        send({ request, route, params }, (scope) => getArtifact(db, scope, params.id, params.artifactId)),
      { detail: operation('/runs/{runId}/artifacts/{artifactId}') },
    )
    .get(
      '/files/:key',
      async ({ request, route, params }) =>
        send({ request, route, params }, (scope) => getStoredFile(db, scope, params.key)),
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
          actor: callerOf(request),
          action: 'delete',
          kind: 'stored-file',
          id: key,
          before: deleted,
          after: null,
          ownerId,
        })
        return succeed(request, { key })
      },
      // a body has no meaning here, and would be read before the caller is known
      { parse: 'none', detail: operation('/files/{key}', 'delete') },
    )
}

/** A code of an earlier release may be unknown. */
/** Answers of earlier releases have no Arabic texts. */
const inBothLanguages = (error: StoredFieldError): FieldError => ({
  ...fieldError(error.field, error.rule, error.message),
  ...error,
})

const isCode = (code: string): code is Code => code in CODES
