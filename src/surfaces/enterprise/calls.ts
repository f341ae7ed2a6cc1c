/** Handles one tool call: admission, input, synchronous run or job, idempotency, response. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GisOrganization } from '../../access/organization-callers.ts'
import { includesTool } from '../../access/plans.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { callFacts, type RoutedRequest } from '../../http/callers.ts'
import { outputHeaders } from '../../http/download.ts'
import { succeed } from '../../http/envelope.ts'
import { succeedWithFile } from '../../http/file-answer.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import { type Holding, hold, identify, requestContextOf } from '../../http/request-context.ts'
import type { Caller } from '../../runs/deps.ts'
import { DATA_FILE, execute, filesCounted, type Outcome } from '../../runs/execute.ts'
import { acceptJob } from '../../runs/jobs.ts'
import { ownedBy } from '../../stores/postgres/accounts/owners.ts'
import { isDestination } from '../../stores/postgres/destinations/destinations.ts'
import { newId } from '../../stores/postgres/ids.ts'
import type { Job } from '../../stores/postgres/runs/jobs.ts'
import type { RunScope } from '../../stores/postgres/runs/run-scope.ts'
import { takesForm } from '../../tools/check.ts'
import type { Tool } from '../../tools/tool.ts'
import type { EnterpriseDeps } from './deps.ts'
import { jobDocument } from './job-document.ts'
import { GIS_PREFIX } from './paths.ts'
import { createFolder, type Folder, fetchStoredInputs, type Received, receiveForm, receiveJson } from './receive.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const CALLBACK = 'headers.x-callback'

/** The caller of a route, once the call is counted. */
export async function admit(deps: EnterpriseDeps, call: RoutedRequest): Promise<GisOrganization> {
  const organization = await authenticate(deps, call)
  await countCall(deps, organization)
  return organization
}

const known = new WeakMap<Request, Promise<GisOrganization>>()

function authenticate(deps: EnterpriseDeps, call: RoutedRequest): Promise<GisOrganization> {
  const organization = known.get(call.request) ?? identified(deps, call)
  known.set(call.request, organization)
  return organization
}

/** For routes whose query is validated before their handlers: callers without rights learn nothing about valid ones. */
export const authenticateFirst = (deps: EnterpriseDeps) => ({
  transform: async ({ request, route, params }: RoutedRequest): Promise<void> => {
    await authenticate(deps, { request, route, params })
  },
})

async function identified(deps: EnterpriseDeps, call: RoutedRequest): Promise<GisOrganization> {
  const check = (isRecheck: boolean) => deps.organizations.forTools(callFacts(call, isRecheck))
  const organization = await check(false)
  identify(call.request, organization.caller.actor)
  hold(call.request, holdingOf(organization), async () => holdingOf(await check(true)))
  return organization
}

const holdingOf = ({ owner, caller }: GisOrganization): Holding => ({
  as: caller.actor,
  ids: [caller.id, owner.id],
  expiresMs: caller.expiresMs,
})

/** @throws AppError unless the caller is known, may run the tool, and has calls left in this minute */
export async function admitToTool(deps: EnterpriseDeps, call: RoutedRequest, tool: Tool): Promise<GisOrganization> {
  const organization = await authenticate(deps, call)
  const { owner, caller } = organization
  if (!isGranted(caller.tools, tool)) throw new AppError('TOOL_NOT_GRANTED')
  if (!includesTool(owner.plan, tool.tier)) throw new AppError('GIS_TIER_REQUIRED')
  await countCall(deps, organization)
  return organization
}

const isGranted = (tools: 'all' | string[], tool: Tool): boolean => tools === 'all' || tools.includes(tool.id)

/** Whether the list of processes contains a tool. */
export const isOffered = ({ owner, caller }: GisOrganization, tool: Tool): boolean =>
  isGranted(caller.tools, tool) && includesTool(owner.plan, tool.tier)

const countCall = (deps: EnterpriseDeps, organization: GisOrganization): Promise<void> =>
  countInMinute(deps, organization, 'calls', deps.limits.callsPerMinute)

async function countInMinute(
  deps: EnterpriseDeps,
  { caller }: GisOrganization,
  window: 'calls' | 'upload-calls',
  limit: number,
): Promise<void> {
  if (caller.isCounted) return
  const waitMs = await deps.windows.take(`${window}:${caller.id}`, 1, limit, MINUTE_MS)
  if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
}

/** An upload in small chunks is many calls. */
const UPLOAD_CALLS = 10

/**
 * The caller of an upload route, once the call is counted. Chunks of an upload do not count against the limit of other
 * calls.
 */
export async function admitToUpload(deps: EnterpriseDeps, call: RoutedRequest): Promise<GisOrganization> {
  const organization = await authenticate(deps, call)
  await countInMinute(deps, organization, 'upload-calls', deps.limits.callsPerMinute * UPLOAD_CALLS)
  return organization
}

/** Files count when tools read them; this limits how many are uploaded. @throws AppError FILE_WINDOW_EXCEEDED */
export async function countUpload(deps: EnterpriseDeps, ownerId: string): Promise<void> {
  const waitMs = await deps.windows.take(`uploads:${ownerId}`, 1, deps.limits.filesPerHour, HOUR_MS)
  if (waitMs > 0) throw new AppError('FILE_WINDOW_EXCEEDED', { retryAfterS: Math.ceil(waitMs / 1000) })
}

/** The runs, jobs and stored files that the caller sees. */
export const scopeOfCaller = ({ owner, caller }: GisOrganization): RunScope => ({
  ownerId: owner.id,
  ...(caller.ownRunsOnly && { memberId: caller.memberId ?? '' }),
})

/** @throws AppError FILE_WINDOW_EXCEEDED */
async function countFiles(deps: EnterpriseDeps, ownerId: string, files: number): Promise<void> {
  if (files === 0) return
  const waitMs = await deps.windows.take(`files:${ownerId}`, files, deps.limits.filesPerHour, HOUR_MS)
  if (waitMs > 0) throw new AppError('FILE_WINDOW_EXCEEDED', { retryAfterS: Math.ceil(waitMs / 1000) })
}

export async function handleCall(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  organization: GisOrganization,
): Promise<Response> {
  const isKeyed = idempotencyKeyOf(request) !== undefined
  const wantsJob = /(^|[,;\s])respond-async([,;\s]|$)/i.test(request.headers.get('prefer') ?? '') && tool.async
  const callback = callbackOf(request, wantsJob)
  const folder = createFolder(join(deps.scratchDir, newId('run')))
  if (takesForm(tool)) await deps.storage.admit(organization.owner.id)
  const receive = takesForm(tool) ? receiveForm : receiveJson
  try {
    const received = await receive(deps, request, tool, scopeOfCaller(organization), folder, isKeyed)
    const { keySpace: space } = organization.caller
    const first = await deps.idempotency.begin(request, () => ({ space, route: tool.route, content: received.digest }))
    if (first !== undefined) return first
    return wantsJob
      ? await startJob(deps, request, tool, organization, received, callback)
      : await runNow(deps, request, tool, organization, received, folder)
  } finally {
    if (folder.isOpen()) await rm(folder.path, { recursive: true, force: true })
  }
}

/** The destination that gets the end of a job besides those that subscribe to it. @throws AppError VALIDATION_FAILED */
function callbackOf(request: Request, isJob: boolean): string | null {
  const callback = request.headers.get('x-callback')
  if (callback !== null && !isJob) throw invalidField(CALLBACK, 'forbidden', fieldText('callbackOfJobs'))
  return callback
}

/** @throws AppError VALIDATION_FAILED for one that the owner of the job does not have */
async function checkCallback(deps: EnterpriseDeps, { owner }: GisOrganization, callback: string | null): Promise<void> {
  if (callback === null) return
  const { enterpriseId } = ownedBy(owner)
  if (enterpriseId === null || !(await isDestination(deps.db, enterpriseId, callback)))
    throw invalidField(CALLBACK, 'exists', fieldText('destinationOfEnterprise'))
}

export const runCallerOf = ({ owner, caller }: GisOrganization): Caller => ({
  owner,
  applicationId: caller.applicationId,
  memberId: caller.memberId,
})

async function runNow(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  organization: GisOrganization,
  received: Received,
  folder: Folder,
): Promise<Response> {
  const { idempotency } = deps
  const isHeld = idempotency.isHeld(request)
  const checked = await received.read()
  const { input, inputBytes, storedInputs } = checked
  await countFiles(deps, organization.owner.id, filesCounted(tool, input))
  await fetchStoredInputs(deps, scopeOfCaller(organization), checked)
  const { bodyPath } = received
  const answerOf = async ({ data, dataPath, output }: Outcome): Promise<Response> => {
    const answer = dataPath === undefined ? succeed(request, data) : await succeedWithFile(request, data, dataPath)
    if (output !== undefined)
      for (const [name, value] of Object.entries(outputHeaders(output.filename, output.crs)))
        answer.headers.set(name, value)
    return answer
  }
  let kept: Response | undefined
  const outcome = await execute(deps, {
    tool,
    caller: runCallerOf(organization),
    requestId: requestContextOf(request).requestId,
    jobId: null,
    input,
    storedInputs,
    inputBytes,
    bodyPath,
    dataPath: join(folder.path, DATA_FILE),
    scratch: folder.path,
    openFolder: folder.isOpen() ? undefined : folder.open,
    deadlineMs: deps.limits.toolTimeoutMs,
    // with a key the run continues after a disconnect: its caller can request the answer again
    signal: isHeld ? undefined : request.signal,
    onSuccess: isHeld
      ? async (tx, outcome) => {
          kept = await answerOf(outcome)
          await idempotency.keep(request, tx, kept)
        }
      : undefined,
  })
  return kept ?? answerOf(outcome)
}

async function startJob(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  organization: GisOrganization,
  received: Received,
  callback: string | null,
): Promise<Response> {
  await checkCallback(deps, organization, callback)
  const { input, inputBytes, storedInputs } = await received.read()
  await countFiles(deps, organization.owner.id, filesCounted(tool, input))
  const { path, method, requestId } = requestContextOf(request)
  const head = { path, method, requestId }
  const answerOf = (job: Job): Response => {
    const answer = succeed(request, jobDocument(job), 'JOB_ACCEPTED')
    answer.headers.set('location', `${GIS_PREFIX}/jobs/${job.id}`)
    return answer
  }
  let kept: Response | undefined
  const job = await acceptJob(deps, {
    tool,
    caller: runCallerOf(organization),
    head,
    input,
    inputBytes,
    storedInputs,
    callback,
    onAccepted: (tx, accepted) => {
      kept = answerOf(accepted)
      return deps.idempotency.keep(request, tx, kept)
    },
  })
  return kept ?? answerOf(job)
}
