/** Handles one tool call: admission, input, synchronous run or job, idempotency, response. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TOOL_ROUTE } from '../../access/authorization.ts'
import type { GisOrganization } from '../../access/organization-callers.ts'
import { includesTool } from '../../access/plans.ts'
import { AppError } from '../../errors.ts'
import { isShortBody, mediaTypeOf, readBody, requireMediaType, saveBody } from '../../http/body.ts'
import { callFacts, type RoutedRequest } from '../../http/callers.ts'
import { outputHeaders } from '../../http/download.ts'
import { failureResponse, JSON_TYPE, succeed } from '../../http/envelope.ts'
import { succeedWithFile } from '../../http/file-answer.ts'
import { idempotencyKeyOf, replay } from '../../http/idempotency.ts'
import { identify, requestContextOf } from '../../http/request-context.ts'
import { readUpload } from '../../http/upload.ts'
import { parseJsonBody } from '../../json-text.ts'
import type { Caller } from '../../runs/deps.ts'
import { DATA_FILE, execute, filesCounted } from '../../runs/execute.ts'
import { acceptJob } from '../../runs/jobs.ts'
import { claimKey, type IdempotencyKey, releaseKey, storeResponse } from '../../stores/postgres/idempotency.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { checkInput, type FormPart, fileKindOf, inputFromForm, takesForm } from '../../tools/check.ts'
import type { Tool } from '../../tools/tool.ts'
import type { EnterpriseDeps } from './deps.ts'
import { jobDocument } from './job-document.ts'
import { GIS_PREFIX } from './paths.ts'

const TOOL_PATH = TOOL_ROUTE.slice('POST '.length)
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const MAX_FILES = 30

/** A body up to this size is parsed on the server's thread, a larger one by the worker process. */
const MAX_PARSED_BYTES = 64 * 1024
/** Text fields of a form are held in memory and parsed on the server's thread. */
const FORM_TEXT_BYTES = 1024 * 1024

type Received = {
  input: () => Record<string, unknown>
  /** A file with the whole input, which the worker process parses; `input` is empty then. */
  bodyPath?: string
  inputBytes: number
  /** Of the names and bytes that were sent; empty unless requested. */
  digest: string
}

/** Who calls a route, once the call is counted. */
export async function admit(deps: EnterpriseDeps, call: RoutedRequest): Promise<GisOrganization> {
  const organization = await authenticate(deps, call)
  await countCall(deps, organization)
  return organization
}

async function authenticate(deps: EnterpriseDeps, call: RoutedRequest): Promise<GisOrganization> {
  const organization = await deps.organizations.forTools(callFacts(call))
  identify(call.request, organization.caller.actor)
  return organization
}

/** @throws AppError unless the caller is known, may run the tool, and has calls left in this minute */
export async function admitToTool(deps: EnterpriseDeps, request: Request, tool: Tool): Promise<GisOrganization> {
  const organization = await authenticate(deps, { request, route: TOOL_PATH, params: {} })
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

async function countCall(deps: EnterpriseDeps, { caller }: GisOrganization): Promise<void> {
  const waitMs = await deps.windows.take(`calls:${caller.id}`, 1, deps.limits.callsPerMinute, MINUTE_MS)
  if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
}

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
  const key = keyOfCall(request, organization, tool)
  const wantsJob = /(^|[,;\s])respond-async([,;\s]|$)/i.test(request.headers.get('prefer') ?? '') && tool.async
  const folder = createFolder(join(deps.scratchDir, newId('run')))
  if (takesForm(tool)) await deps.storage.admit(organization.owner.id)
  const receive = takesForm(tool) ? receiveForm : receiveJson
  try {
    const received = await receive(deps, request, tool, folder, key !== undefined)
    const work = (): Promise<Response> =>
      wantsJob
        ? startJob(deps, request, tool, organization, received)
        : runNow(deps, request, tool, organization, received, folder)
    return key === undefined ? await work() : await withIdempotency(deps, request, key, received.digest, work)
  } finally {
    if (folder.isOpen()) await rm(folder.path, { recursive: true, force: true })
  }
}

/** The scratch folder of a call, created when it is needed first. */
type Folder = { path: string; open(): Promise<unknown>; isOpen(): boolean }

function createFolder(path: string): Folder {
  let opened: Promise<unknown> | undefined
  return {
    path,
    open: () => {
      opened ??= mkdir(path)
      return opened
    },
    isOpen: () => opened !== undefined,
  }
}

async function receiveForm(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  folder: Folder,
  digest: boolean,
): Promise<Received> {
  const { fileBytes, uploadTimeoutMs } = deps.limits
  const { properties } = tool.input
  await folder.open()
  const upload = await readUpload(
    request,
    folder.path,
    {
      maxFileBytes: (field) => fileBytes[fileKindOf(properties[field])],
      maxFiles: MAX_FILES,
      maxTextBytes: Math.min(deps.jsonBody.maxBytes, FORM_TEXT_BYTES),
      timeoutMs: uploadTimeoutMs,
    },
    digest,
  )
  return {
    input: () => inputFromForm(tool, upload.parts as FormPart[]),
    inputBytes: upload.bytes,
    digest: upload.sha256,
  }
}

async function receiveJson(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  folder: Folder,
  digest: boolean,
): Promise<Received> {
  const requireJson = (): void => requireMediaType(mediaTypeOf(request.headers.get('content-type')), JSON_TYPE)
  if (isShortBody(request, MAX_PARSED_BYTES)) {
    const bytes = await readBody(request, deps.jsonBody)
    if (bytes.length > 0) requireJson()
    const raw = bytes.length === 0 ? undefined : parseJsonBody(bytes)
    return {
      input: () => checkInput(tool, raw),
      inputBytes: bytes.length,
      digest: digest ? new Bun.CryptoHasher('sha256').update(bytes).digest('hex') : '',
    }
  }
  const bodyPath = join(folder.path, 'body.json')
  await folder.open()
  const { length, sha256 } = await saveBody(request, bodyPath, deps.jsonBody, { digest })
  if (length > 0) requireJson()
  const received = { inputBytes: length, digest: sha256 }
  if (length > MAX_PARSED_BYTES) return { ...received, input: () => ({}), bodyPath }
  const raw = length === 0 ? undefined : parseJsonBody(await readFile(bodyPath))
  return { ...received, input: () => checkInput(tool, raw) }
}

const runCallerOf = ({ owner, caller }: GisOrganization): Caller => ({
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
  const input = received.input()
  await countFiles(deps, organization.owner.id, filesCounted(tool, input))
  const { bodyPath } = received
  const { data, dataPath, output } = await execute(deps, {
    tool,
    caller: runCallerOf(organization),
    requestId: requestContextOf(request).requestId,
    jobId: null,
    input,
    storedInputs: new Map(),
    inputBytes: received.inputBytes,
    bodyPath,
    dataPath: join(folder.path, DATA_FILE),
    scratch: folder.path,
    openFolder: folder.isOpen() ? undefined : folder.open,
    deadlineMs: deps.limits.toolTimeoutMs,
    signal: request.signal,
  })
  const response = dataPath === undefined ? succeed(request, data) : await succeedWithFile(request, data, dataPath)
  if (output !== undefined)
    for (const [name, value] of Object.entries(outputHeaders(output.filename, output.crs)))
      response.headers.set(name, value)
  return response
}

async function startJob(
  deps: EnterpriseDeps,
  request: Request,
  tool: Tool,
  organization: GisOrganization,
  received: Received,
): Promise<Response> {
  const input = received.input()
  await countFiles(deps, organization.owner.id, filesCounted(tool, input))
  const { path, method, requestId } = requestContextOf(request)
  const head = { path, method, requestId }
  const job = await acceptJob(deps, {
    tool,
    caller: runCallerOf(organization),
    head,
    input,
    inputBytes: received.inputBytes,
  })
  const response = succeed(request, jobDocument(job), 'JOB_ACCEPTED')
  response.headers.set('location', `${GIS_PREFIX}/jobs/${job.id}`)
  return response
}

function keyOfCall(request: Request, { caller }: GisOrganization, tool: Tool): IdempotencyKey | undefined {
  const key = idempotencyKeyOf(request)
  return key === undefined ? undefined : { keyPairId: caller.keySpace, route: tool.route, key }
}

/** Failures without a final result may be retried with the same key. */
const isFinal = (status: number): boolean => status < 500 && ![402, 408, 409, 429].includes(status)
const REPLAYED_HEADERS = ['x-output-filename', 'x-crs', 'location']

async function withIdempotency(
  deps: EnterpriseDeps,
  request: Request,
  key: IdempotencyKey,
  digest: string,
  work: () => Promise<Response>,
): Promise<Response> {
  const claim = await claimKey(deps.db, key, digest, deps.instanceId)
  if (claim.state === 'otherRequest') throw new AppError('IDEMPOTENCY_KEY_REUSED')
  if (claim.state === 'underWay') throw new AppError('IDEMPOTENCY_KEY_IN_USE', { retryAfterS: 1 })
  if (claim.state === 'answered') return replay(request, claim.answer)
  let response: Response
  try {
    response = await work()
  } catch (error) {
    response = failureResponse(request, error)
  }
  if (!isFinal(response.status) || request.signal.aborted) {
    await releaseKey(deps.db, key)
    return response
  }
  const headers = Object.fromEntries(REPLAYED_HEADERS.flatMap((name) => headerOf(response, name)))
  const body = new Uint8Array(await response.clone().arrayBuffer())
  await storeResponse(deps.db, key, { status: response.status, headers, body })
  return response
}

function headerOf(response: Response, name: string): [string, string][] {
  const value = response.headers.get(name)
  return value === null ? [] : [[name, value]]
}
