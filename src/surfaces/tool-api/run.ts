/**
 * Runs the tool of a Tool API. The order of a Tool API's checks, of which the first that fails decides the answer:
 *
 * 1. Key, then states: `gate.authenticate`, or `gate.admit` without a key (calls.ts). The gate has the order of the states.
 * 2. Rate: `gate.countInMinute`.
 * 3. A repeated `Idempotency-Key` gets the first answer.
 * 4. Daily allowance: `countInDay`.
 * 5. Input, then binding: `runTool` (engine/run-tool.ts), in the worker process.
 *
 * Steps 2 to 4 are below. The body of a call with a key is received before step 3, which compares it.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { planOf } from '../../access/plans.ts'
import { AppError } from '../../errors.ts'
import { isShortBody, mediaTypeOf, readBody, requireMediaType, saveBody } from '../../http/body/body.ts'
import { JSON_TYPE, succeed } from '../../http/envelope.ts'
import { succeedAround, succeedWithText } from '../../http/file-answer.ts'
import { idempotencyKeyOf } from '../../http/idempotency.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { newId } from '../../stores/postgres/ids.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import type { ToolApiFacts } from '../../stores/postgres/runs/tool-apis.ts'
import type { Bindings } from '../../tool-apis/bindings.ts'
import { inputOf } from '../../tools/saved.ts'
import type { InputFile, Tool, ToolResult } from '../../tools/tool.ts'
import type { ToolApiDeps } from './deps.ts'
import { asToolApiError } from './failures.ts'

/** Inputs are small, so a worker process can run the tool without evicting its cached layers. */
const RUN_MEMORY_BYTES = 256 * 2 ** 20
/** A body up to this size goes to the worker process in a message. */
const MESSAGE_BYTES = 64 * 1024

/** An input that was received together with other fields, and the content of the whole request, for its digest. */
export type GivenInput = { input: unknown; content: string }

/**
 * @param countInDay step 4, which is not done for a replayed answer
 * @param given undefined when the input is the body of the request
 * @returns the answer and its number of features, which is undefined for a replayed answer
 */
export async function run(
  deps: ToolApiDeps,
  bindings: Bindings,
  request: Request,
  { api, owner }: ToolApiFacts,
  place: { space: KeySpace; route: string },
  countInDay: () => Promise<void>,
  given?: GivenInput,
): Promise<{ response: Response; features: number | undefined }> {
  const { db, engine, gate, registry, limits, idempotency } = deps
  await gate.countInMinute({ api, owner })
  const isKeyed = idempotencyKeyOf(request) !== undefined
  // with a key, the day is counted once the call is known not to be a replay
  if (!isKeyed) await countInDay()
  const tool = registry.byId(api.toolId)
  if (tool?.saved === undefined) throw new AppError('TOOL_UNAVAILABLE')
  const { second } = tool.saved
  const scratch = join(deps.scratchDir, newId('run'))
  let opened: Promise<unknown> | undefined
  const openFolder = (): Promise<unknown> => (opened ??= mkdir(scratch))
  let release: (() => void) | undefined
  try {
    const receiving = given === undefined ? receive(deps, request, scratch, openFolder, isKeyed) : fileOf(deps, given)
    const { file, content } = isKeyed ? await whole(receiving, countInDay) : await receiving
    const first = await idempotency.begin(request, () => ({ ...place, content }))
    if (first !== undefined) return { response: first, features: undefined }
    if (isKeyed) await countInDay()
    const bound = second && (await bindings.resolve(api, second))
    release = bound?.release
    // tools read a bound file with the help of the folder
    if (typeof bound?.input.bound === 'object' && bound.input.bound.layer === undefined) await openFolder()
    const isLayer = tool.outputKind !== 'json'
    const result = await engine.run(tool, inputOf(tool, api, file, bound?.input), {
      scratch,
      reads: bound === undefined || bound.input.path === '' ? [] : [bound.input.path],
      ...(opened === undefined && { openFolder }),
      deadlineMs: limits.timeoutMs,
      // with a key the run continues after a disconnect: its caller can request the answer again
      ...(!isKeyed && { signal: request.signal }),
      requestId: requestContextOf(request).requestId,
      plan: planOf(owner),
      tenant: owner.id,
      sent: { bytes: file.bytes + (bound?.input.bytes ?? 0), files: 1 },
      cacheKey: bound?.key,
      memoryBytes: RUN_MEMORY_BYTES,
      maxOutputBytes: limits.resultBytes,
      ...(!isLayer && { dataPath: join(scratch, 'data.json') }),
    })
    const features = Number(result.features ?? result.data.featureCount ?? 0)
    const response = await answerOf(request, tool, result, isLayer)
    await idempotency.keep(request, db, response)
    return { response, features }
  } catch (error) {
    throw asToolApiError(error, tool)
  } finally {
    release?.()
    if (opened !== undefined) await rm(scratch, { recursive: true, force: true })
  }
}

async function answerOf(request: Request, tool: Tool, result: ToolResult, isLayer: boolean): Promise<Response> {
  if (!isLayer)
    return result.dataPath === undefined
      ? succeed(request, result.data, 'TOOL_API_RESULT')
      : succeedAround(request, ['', { path: result.dataPath }, ''], 'TOOL_API_RESULT')
  const before = `{"featureCount":${result.data.featureCount},"result":`
  if (result.text !== undefined) return succeedWithText(request, `${before}${result.text}}`, 'TOOL_API_RESULT')
  const path = result.files?.find(({ role }) => role === 'output')?.path
  if (path === undefined) throw new Error(`${tool.id} returned no output file`)
  return succeedAround(request, [before, { path }, '}'], 'TOOL_API_RESULT')
}

/** A call with an incomplete body does not count, so that only its repeat does. */
async function whole(receiving: Promise<Received>, countInDay: () => Promise<void>): Promise<Received> {
  try {
    return await receiving
  } catch (error) {
    const isWhole = error instanceof AppError && !['BAD_REQUEST', 'REQUEST_TIMEOUT'].includes(error.code)
    if (isWhole) await countInDay()
    throw error
  }
}

/** An input, and a digest of the request if it has an `Idempotency-Key`. */
type Received = { file: InputFile; content: string }

async function fileOf({ limits }: ToolApiDeps, { input, content }: GivenInput): Promise<Received> {
  const bytes = Buffer.from(JSON.stringify({ input }))
  const body = { maxFeatures: limits.features, base64: bytes.toString('base64') }
  return { file: { path: '', filename: 'body.json', bytes: bytes.length, body }, content }
}

/** The body as the input of the tool. A long one is saved. @throws AppError TOOL_API_INPUT_TOO_LARGE */
async function receive(
  { body: bodyLimits, limits }: ToolApiDeps,
  request: Request,
  scratch: string,
  openFolder: () => Promise<unknown>,
  digest: boolean,
): Promise<Received> {
  requireMediaType(mediaTypeOf(request.headers.get('content-type')), JSON_TYPE)
  const { features: maxFeatures } = limits
  if (isShortBody(request, MESSAGE_BYTES)) {
    const bytes = await readBody(request, bodyLimits)
    const body = { maxFeatures, base64: Buffer.from(bytes).toString('base64') }
    const content = digest ? new Bun.CryptoHasher('sha256').update(bytes).digest('hex') : ''
    return { file: { path: '', filename: 'body.json', bytes: bytes.length, body }, content }
  }
  const path = join(scratch, 'body.json')
  await openFolder()
  const { length, sha256 } = await saveBody(request, path, bodyLimits, { digest })
  return { file: { path, filename: 'body.json', bytes: length, body: { maxFeatures } }, content: sha256 }
}
