/** Runs below /enterprise/v1/gis. A member sees only the runs of their own calls. */

import { Elysia } from 'elysia'
import { READERS } from '../../access/authorization.ts'
import { AppError, CODES, type Code, type FieldError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { mediaTypeOf, readJson } from '../../http/body/body.ts'
import type { RoutedRequest } from '../../http/callers.ts'
import { requireMatch, succeedWithTag, tagsToMatch } from '../../http/entity-tags.ts'
import { respond, succeed } from '../../http/envelope.ts'
import { answer, anyObject, failures, type Json, page, ref } from '../../http/openapi/openapi-schemas.ts'
import { callerOf } from '../../http/request-context.ts'
import { listedToJson, runToJson, storageKeysOf } from '../../runs/records.ts'
import { recordChange } from '../../stores/postgres/accounts/audit.ts'
import { lockRecord } from '../../stores/postgres/record-lock.ts'
import { getJob, resultOf } from '../../stores/postgres/runs/jobs.ts'
import { fileRun, findAnswer, hasAnswer } from '../../stores/postgres/runs/run-answers.ts'
import { isDismissed, listFolders, listRuns, listRunsAndJobs, namesOf } from '../../stores/postgres/runs/run-list.ts'
import type { RunScope } from '../../stores/postgres/runs/run-scope.ts'
import { filesOfRun, getRun, type RunRecord } from '../../stores/postgres/runs/runs.ts'
import type { StoredFieldError } from '../../stores/postgres/schema.ts'
import { admit, authenticateFirst, scopeOfCaller } from './calls.ts'
import type { EnterpriseDeps } from './deps.ts'
import { operation, PAGE_PARAMETERS, queryParameter, READ_FAILURES, RUN_ID } from './operation.ts'
import { FILTER_PARAMETERS, MAX_FOLDER_NAME, MAX_RUN_NAME, pageOf, placeIn, runFilter, runsQuery } from './run-query.ts'

const text = (maxLength: number): Json => ({ type: ['string', 'null'], minLength: 1, maxLength })
const FLAG: Json = { type: 'string', enum: ['true', 'false'], default: 'false' }

export function runRoutes(deps: EnterpriseDeps) {
  const { db } = deps
  const scopeOf = async (call: RoutedRequest): Promise<RunScope> => scopeOfCaller(await admit(deps, call))
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
      {
        ...authenticateFirst(deps),
        ...operation({
          operationId: 'listRuns',
          summary: 'List runs',
          description:
            'Lists the runs of the organization, newest first. With `jobs=true` also jobs that no run stands for: they wait, are running, or ended before their run began. Their `runId` is null.',
          rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
          query: runsQuery,
          parameters: [
            ...PAGE_PARAMETERS,
            ...FILTER_PARAMETERS,
            queryParameter('jobs', '`true` adds jobs that no run stands for.', FLAG),
            queryParameter('named', '`true` for runs that have a name only.', FLAG),
            queryParameter('q', 'Part of the name of the run, in any case.'),
            queryParameter('folder', 'Name of a folder; runs in it only.'),
          ],
          responses: { 200: answer('A page of runs.', page(ref('ListedRun'))), ...failures(READ_FAILURES) },
        }),
      },
    )
    .get(
      '/run-folders',
      async ({ request, route, params }) =>
        succeed(request, { items: await listFolders(db, await scopeOf({ request, route, params })) }),
      operation({
        operationId: 'listRunFolders',
        summary: 'List folders of results',
        description:
          'Lists the folders that runs were put into, by name, with the number of runs in each; at most 1,000. A folder exists as long as a run is in it.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
        responses: {
          200: answer('The folders.', {
            type: 'object',
            required: ['items'],
            properties: { items: { type: 'array', items: ref('RunFolder') } },
          }),
          ...failures(READ_FAILURES),
        },
      }),
    )
    .get(
      '/runs/:id',
      async ({ request, route, params }) => {
        const scope = await scopeOf({ request, route, params })
        const run = await getRun(db, scope, params.id)
        return succeedWithTag(request, editable(run), await describe(run))
      },
      operation({
        operationId: 'getRun',
        summary: 'Get a run',
        description: 'Returns a run with its inputs and artifacts.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
        parameters: [RUN_ID],
        responses: { 200: answer('The run.', ref('RunDetail')), ...failures(READ_FAILURES) },
      }),
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
      {
        parse: 'none',
        ...operation({
          operationId: 'nameRun',
          summary: 'Name a run, or put it into a folder',
          description:
            'Sets the name or the folder of the run, by which its results are found later; null removes either. A member that is not sent stays unchanged. A folder need not exist before.',
          rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
          parameters: [
            RUN_ID,
            {
              name: 'If-Match',
              in: 'header',
              required: false,
              description: 'Tag of the run',
              schema: { type: 'string' },
            },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  minProperties: 1,
                  additionalProperties: false,
                  properties: { name: text(MAX_RUN_NAME), folder: text(MAX_FOLDER_NAME) },
                },
              },
            },
          },
          responses: {
            200: answer('The run.', ref('RunDetail')),
            ...failures([...READ_FAILURES, 'VALIDATION_FAILED', 'PRECONDITION_FAILED']),
          },
        }),
      },
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
        if (kept === undefined) throw new AppError('NOT_FOUND', { message: fieldText('resultNotKept') })
        if ('data' in kept.answer) return succeed(request, kept.answer.data)
        const { code, message, messageAr, errors } = kept.answer
        if (!isCode(code)) throw new AppError('TOOL_FAILED', { message: { en: message, ar: CODES.TOOL_FAILED.ar } })
        throw new AppError(code, {
          message: { en: message, ar: messageAr ?? CODES[code].ar },
          ...(errors && { errors: errors.map(inBothLanguages) }),
        })
      },
      operation({
        operationId: 'getRunResult',
        summary: 'Get the result of a run',
        description:
          'Returns the result as the call returned it, with its status, also for a failed run. It is kept for jobs, and for calls of accounts unless it is long; `hasResult` of the run says whether it is there.',
        rights: { of: 'owner-in-header', for: READERS, personalKeys: true },
        parameters: [RUN_ID],
        responses: { 200: answer('The result of the tool.', anyObject), ...failures(READ_FAILURES) },
      }),
    )
}

/** Answers of earlier releases have no Arabic texts. */
const inBothLanguages = (error: StoredFieldError): FieldError => ({ messageAr: error.message, ...error })

/** A code of an earlier release may be unknown. */
const isCode = (code: string): code is Code => code in CODES
