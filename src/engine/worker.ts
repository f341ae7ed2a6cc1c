/**
 * A worker process, in Bun or in Node: runs one tool at a time until the server disconnects. It has no secrets and no
 * access to stores. If it hangs or uses too much memory it is killed, and only its run is lost.
 */
import { existsSync, mkdirSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AppError, invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { parseJsonBody } from '../json-text.ts'
import { checkInput } from '../tools/check.ts'
import { cacheMemoryBytes } from '../tools/process-cache.ts'
import { releaseOthers } from '../tools/run-cache.ts'
import type { RunContext, Tool, ToolResult } from '../tools/tool.ts'
import { asUnavailable, warmUp } from '../tools/warm-up.ts'
import { distinctWarnings, type Warning } from '../warnings/warning.ts'
import { MAX_FRAME_BYTES } from './channel.ts'
import { releaseFreeMemory } from './native-memory.ts'
import type { Failure, FromWorker, Order, ToWorker } from './protocol.ts'
import { runTool } from './run-tool.ts'
import { openServerChannel } from './server-channel.ts'
import { createSharing, failureOf } from './sharing.ts'
import { TASK_FOLDERS } from './worker-task.ts'

const PROGRESS_INTERVAL_MS = 200
const TIDY_FROM_BYTES = 256 * 2 ** 20
/** After this long without a run, a process of this size releases the memory of its last run. */
const IDLE_MS = 2_000
const RELEASE_FROM_BYTES = 128 * 2 ** 20
/** Data up to this length goes to the server in a message. */
const MESSAGE_CHARS = 64 * 1024

/** The server would end this process after a longer message. */
function send(message: FromWorker): void {
  let text = JSON.stringify(message)
  if (Buffer.byteLength(text) > MAX_FRAME_BYTES && 'run' in message) {
    const error = new Error(`its answer of ${text.length} characters is longer than a message may be`)
    text = JSON.stringify({ run: message.run, failure: failureOf(error) })
  }
  channel.send(text)
}

const sharing = createSharing(send)

let idle: NodeJS.Timeout | undefined

async function run(order: Order): Promise<void> {
  clearTimeout(idle)
  const { run, tool: id, scratch, limits, plan } = order
  const fromMs = nowMs()
  const worked = () => (order.isTraced === true ? { worked: { fromMs, toMs: nowMs() } } : {})
  releaseOthers(scratch)
  let hasFolder = false
  const openFolder = async (): Promise<void> => {
    mkdirSync(scratch, { recursive: true })
    hasFolder = true
  }
  try {
    if (order.hasFolder) await openFolder()
    const tool = await toolOf(id)
    // a short run sends none
    let sentAtMs = performance.now()
    let highest = 0
    const progress = (share: number): void => {
      const nowMs = performance.now()
      // a run may share several kinds of work, one after the other
      highest = Math.max(highest, Math.min(share, 1))
      if (nowMs - sentAtMs < PROGRESS_INTERVAL_MS) return
      sentAtMs = nowMs
      send({ run, progress: highest })
    }
    const warnings: Warning[] = []
    const context: RunContext = {
      scratch,
      limits,
      plan,
      progress,
      warn: (found) => warnings.push(found),
      openFolder: hasFolder ? undefined : openFolder,
      share: (parts) => sharing.share(run, parts, (part) => partOf(tool)(part as never, context), progress),
    }
    const reply: FromWorker =
      'part' in order
        ? { run, value: await partOf(tool)(order.part as never, context) }
        : {
            run,
            result: await limited(
              withWarnings(await runTool(tool, inputOf(order, tool), context), warnings),
              context,
              order.dataPath,
            ),
            cachedBytes: await cacheMemoryBytes(),
          }
    if (hasFolder && isFull(scratch)) throw noSpace()
    const measured = { ...reply, hasFolder, ...worked() }
    collectGarbage('cachedBytes' in reply ? reply.cachedBytes : 0)
    send(measured)
  } catch (error) {
    const failure = failureOf(isUnreadable(error) && isFull(scratch) ? noSpace() : asUnavailable(error))
    send({ run, failure: withoutPaths(failure, scratch), hasFolder, ...worked() })
  }
  if (process.versions.bun !== undefined) idle = setTimeout(rest, IDLE_MS)
}

function rest(): void {
  if (process.memoryUsage.rss() > RELEASE_FROM_BYTES) void releaseFreeMemory()
}

/**
 * Whether the disk of a run is full. Some libraries do not report failed writes, so a result may be incomplete, or an
 * intermediate file unreadable.
 */
function isFull(scratch: string): boolean {
  return existsSync(scratch) && statfsSync(scratch).bavail === 0
}
const noSpace = (): Error => new Error('ENOSPC: no space left on the disk of the run')
const isUnreadable = (error: unknown): boolean => error instanceof AppError && error.code === 'INPUT_UNREADABLE'

/** In milliseconds since 1970, finer than `Date.now()`. */
const nowMs = (): number => performance.timeOrigin + performance.now()

const inputOf = ({ input, bodyPath }: Order, tool: Tool): Record<string, unknown> =>
  bodyPath === undefined ? input : checkInput(tool, parseJsonBody(readFileSync(bodyPath)))

const ROOT = join(import.meta.dirname, '../..')

/** Texts of libraries may contain paths of this machine, which are not for callers. */
function withoutPaths(failure: Failure, scratch: string): Failure {
  if (failure.kind === 'unexpected') return failure
  const clean = (text: string): string =>
    [scratch, join(scratch, '../../in', basename(scratch)), ROOT].reduce(
      (rest, path) => rest.replaceAll(`${path}/`, '').replaceAll(path, ''),
      text,
    )
  const errors = failure.errors?.map((error) => ({
    ...error,
    message: clean(error.message),
    messageAr: clean(error.messageAr),
  }))
  return { ...failure, message: clean(failure.message), ...(errors && { errors }) }
}

/** Importing a module again takes longer than some calls. */
const tools = new Map<string, Promise<{ default: Tool }>>()

async function toolOf(id: string): Promise<Tool> {
  const module = tools.get(id) ?? (import(moduleOf(id)) as Promise<{ default: Tool }>)
  tools.set(id, module)
  return (await module).default
}

/** A tool's id is `<group>.<name>`, another task's `<folder>.<name>`. */
function moduleOf(id: string): string {
  const path = id.replace('.', '/')
  return TASK_FOLDERS.some((folder) => id.startsWith(`${folder}.`)) ? `../${path}.ts` : `../tools/${path}.ts`
}

/**
 * Writes long data to `dataPath`: parsing a large message would hold the server's thread.
 * @throws AppError VALIDATION_FAILED with the rule `outputBytes`
 */
async function limited(
  result: ToolResult,
  { limits: { maxOutputBytes: maxBytes = Number.POSITIVE_INFINITY }, openFolder }: RunContext,
  dataPath: string | undefined,
): Promise<ToolResult> {
  const text = dataPath === undefined ? '' : JSON.stringify(result.data)
  for (const bytes of [Buffer.byteLength(text), ...(result.files ?? []).map(({ path }) => statSync(path).size)])
    if (bytes > maxBytes) throw invalidField('result', 'outputBytes', fieldText('largerThan', { most: maxBytes }))
  if (dataPath === undefined || text.length <= MESSAGE_CHARS) return result
  await openFolder?.()
  writeFileSync(dataPath, text)
  return { ...result, data: {}, dataPath }
}

const withWarnings = (result: ToolResult, warnings: readonly Warning[]): ToolResult =>
  warnings.length === 0 ? result : { ...result, warnings: distinctWarnings([...warnings, ...(result.warnings ?? [])]) }

function partOf({ id, part }: Tool): NonNullable<Tool['part']> {
  if (part === undefined) throw new Error(`${id} has no parts`)
  return part
}

/**
 * Bun does not know how much native memory unused objects hold, so it would collect them too late. What is kept between
 * runs is no reason to look for them after each.
 */
function collectGarbage(keptBytes: number): void {
  if (process.versions.bun !== undefined && process.memoryUsage.rss() - keptBytes > TIDY_FROM_BYTES) Bun.gc(true)
}

/** Releases free memory of earlier runs, which V8 would otherwise keep. */
function tidy(): void {
  if (process.versions.bun !== undefined) Bun.gc(true)
  else globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  send({ ready: true })
}

const channel = openServerChannel((text) => {
  const order = JSON.parse(text) as ToWorker
  if ('tool' in order) void run(order)
  else if ('tidy' in order) tidy()
  else sharing.receive(order)
})
const missing = await warmUp(process.versions.bun === undefined)
send({ ready: true, ...(missing !== undefined && { missing }) })
