/** A worker process from the point of view of its lane. */

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { type Channel, openChannel } from './channel.ts'
import { type ProcessFolders, resultPath } from './process-folders.ts'
import type { Finished, FromWorker, Order, ToWorker } from './protocol.ts'
import type { RunWatch } from './run-watch.ts'
import type { Confined } from './sandbox.ts'
import { readMessage } from './worker-messages.ts'
import { readOutput } from './worker-output.ts'

export type RunOptions = {
  scratch: string
  limits: Order['limits']
  plan: Order['plan']
  /** The queue that the run waits in: an enterprise, a person, or a part of the server. */
  tenant: string
  /** Input size, for runs that may use the reserved process (lane.ts). */
  sent?: { bytes: number; files: number } | undefined
  deadlineMs: number
  signal?: AbortSignal | undefined
  onProgress?: ((share: number) => void) | undefined
  /** Memory that the run may need in addition to the process's current use. */
  memoryBytes?: number | undefined
  /** The same for a process that has cached `cacheKey`. */
  memoryAgainBytes?: number | undefined
  /** Key of the content that the process caches during the run; processes that have it already are preferred. */
  cacheKey?: string | undefined
  bodyPath?: string | undefined
  /** Files outside its folder that the run reads. */
  reads?: readonly string[] | undefined
  /** For a run without a folder: creates the folder for results. */
  openFolder?: (() => Promise<unknown>) | undefined
  dataPath?: string | undefined
  /** Id of the call, for log lines. */
  requestId?: string | undefined
  /** Notified when the run begins and ends. */
  watch?: RunWatch
  /** For jobs: never refused because of a full queue, and run after calls that wait for an answer. */
  background?: boolean
}

export type Run = {
  tenant: string
  message: Order
  options: RunOptions
  /** For a part: the process that owns the run. */
  owner?: Worker
  resolve(result: unknown): void
  reject(error: unknown): void
  /** Called instead of `reject` when the process ends, for a part that another process can repeat. */
  lost?(error: unknown): void
}
export type Worker = {
  process: Bun.Subprocess
  channel: Channel
  folders: ProcessFolders
  /** Known once the process is ready: launcher programs may be its parents. */
  pid: number
  /** Takes short runs only. */
  reserved: boolean
  ready: boolean
  run: Run | undefined
  /** Start of the newest run, by `performance.now()`. */
  beganMs: number
  runs: number
  /** Keys that it has probably cached, newest last, with their memory. */
  cachedKeys: Set<string>
  cachedBytes: number
  /** Memory used at the end of its last run. */
  restingBytes: number
  deadline: Timer | undefined
  /** Whether it is replaced after its run. */
  isOutdated: boolean
  /** Settles once the results of its last run are out of its folders, which may be after its end. */
  taken: Promise<unknown>
  /** The error for its run, once it is being killed. */
  killedFor: AppError | undefined
}

const PAGE_BYTES = 4096
const MAX_CACHED_KEYS = 64

/** @param on.broke called with the reason when it breaks the protocol @param on.ended with its exit code or signal */
export function startWorker(
  { command, folders }: Confined,
  environment: Record<string, string>,
  reserved: boolean,
  on: {
    receive(message: FromWorker): void
    broke(why: string): void
    said(line: string): void
    ended(how: string): void
  },
): Worker {
  const child = Bun.spawn(command, {
    env: environment,
    // nothing of the server's folder is read at the start
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    onExit: (_process, code, signal) => on.ended(`exit ${code ?? signal}`),
  })
  void readOutput(child.stderr, on.said)
  const receive = (bytes: Buffer): void => {
    const { run } = worker
    const message = readMessage(bytes, (text) => (run === undefined ? text : folders.fromWorker(filesOf(run), text)))
    if (message === undefined) on.broke('it sent a message that the protocol does not have')
    else on.receive(message)
  }
  const ended = (why?: string): void => {
    if (why !== undefined) on.broke(why)
    // it has ended, or closed the channel and can no longer be used
    else child.kill('SIGKILL')
  }
  const worker: Worker = {
    reserved,
    folders,
    channel: openChannel(child.stdio[3] as unknown as number, { receive, ended }, false),
    pid: 0,
    ready: false,
    run: undefined,
    beganMs: 0,
    runs: 0,
    cachedKeys: new Set(),
    cachedBytes: 0,
    restingBytes: 0,
    deadline: undefined,
    isOutdated: false,
    taken: Promise.resolve(),
    killedFor: undefined,
    process: child,
  }
  return worker
}

export function sendTo({ channel, folders, run }: Worker, message: ToWorker): void {
  const text = JSON.stringify(message)
  if ('tool' in message) channel.renew()
  channel.send(run === undefined ? text : folders.toWorker(filesOf(run), text))
}

export function becomeReady(worker: Worker): void {
  worker.ready = true
  worker.pid = innermost(worker.process.pid)
  rest(worker)
}

/** Marks all for replacement after their run. @returns the idle ones */
export function outdate(workers: Iterable<Worker>): Worker[] {
  for (const worker of workers) worker.isOutdated = true
  return [...workers].filter(({ run }) => run === undefined)
}

/** Ends it, and the server with it. */
export async function endProcess(worker: Worker): Promise<void> {
  worker.killedFor ??= new AppError('SERVICE_BUSY')
  worker.process.kill('SIGKILL')
  await worker.process.exited
  await removeFolders(worker)
}

const filesOf = ({ message, options }: Run) => ({
  scratch: options.scratch,
  hasFolder: message.hasFolder,
  reads: options.reads ?? [],
})

const hasFiles = ({ message, options, owner }: Run): boolean =>
  message.hasFolder || owner !== undefined || (options.reads ?? []).length > 0

/** Shows a run's files to the process. */
export async function enterRun({ folders }: Worker, run: Run): Promise<void> {
  const files = filesOf(run)
  if (hasFiles(run)) await folders.enter(files, run.owner?.folders)
}

/** Takes back the run's files, and moves its results out of the process's reach. @returns the result */
export function leaveRun(worker: Worker, run: Run, message: Finished): Promise<unknown> {
  const result = takeResults(worker, run, message)
  worker.taken = result
  return result
}

async function takeResults({ folders }: Worker, run: Run, message: Finished): Promise<unknown> {
  const files = { ...filesOf(run), ...(message.hasFolder === true && { hasFolder: true }) }
  try {
    if (!('result' in message)) return 'value' in message ? message.value : undefined
    const { result } = message
    const paths = [...(result.files ?? []).map(({ path }) => path), result.dataPath ?? []].flat()
    if (paths.length === 0) return result
    await run.options.openFolder?.()
    const taken = await folders.take(files, paths)
    return {
      ...result,
      ...(result.files && { files: result.files.map((file, i) => ({ ...file, path: taken[i] as string })) }),
      ...(result.dataPath !== undefined && { dataPath: taken.at(-1) }),
    }
  } finally {
    if (files.hasFolder || hasFiles(run)) await folders.leave(files, run.owner?.folders)
  }
}

/** The process has ended. */
export async function removeFolders({ folders, taken }: Worker): Promise<void> {
  await Promise.allSettled([taken])
  await folders.remove()
}

/** Follows a chain of single child processes to its end. */
function innermost(pid: number): number {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ')
    return child ? innermost(Number(child)) : pid
  } catch {
    // the kernel does not list children, or the process has just ended
    return pid
  }
}

export function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES
  } catch {
    // the process has just ended, or the system is not Linux
    return 0
  }
}

export function rememberKey(cachedKeys: Set<string>, key: string | undefined): void {
  if (key === undefined) return
  cachedKeys.delete(key)
  cachedKeys.add(key)
  for (const oldest of cachedKeys) if (cachedKeys.size > MAX_CACHED_KEYS) cachedKeys.delete(oldest)
}

export function orderOf(run: number, tool: string, input: Record<string, unknown>, options: RunOptions): Order {
  const { limits, plan, bodyPath, requestId, openFolder, watch } = options
  const hasFolder = openFolder === undefined
  const isTraced = watch?.isTraced === true
  const scratch = resultPath(options.scratch)
  const dataPath = options.dataPath && resultPath(options.scratch, basename(options.dataPath))
  return { run, tool, input, scratch, hasFolder, limits, plan, bodyPath, dataPath, requestId, isTraced }
}

/**
 * Whether an idle process has room for this much more memory. Always true before its first run: replacing it would gain
 * nothing. Asking the system takes longer than the wait of some runs, so the value is refreshed only before the answer
 * would be no.
 */
export function hasMemoryFor(worker: Worker, bytes: number, maxBytes: number): boolean {
  if (worker.runs === 0 || worker.restingBytes + bytes <= maxBytes) return true
  rest(worker)
  return worker.restingBytes + bytes <= maxBytes
}

/** Memory that a process may use for its caches without being replaced. */
const MAX_CACHED_BYTES = 400 * 2 ** 20

/** Notes how much memory the process uses while it waits for a run, and how much of it for its caches. */
export function rest(worker: Worker, finished?: Finished): void {
  if (finished !== undefined && 'result' in finished)
    worker.cachedBytes = Math.min(finished.cachedBytes, MAX_CACHED_BYTES)
  worker.restingBytes = residentBytes(worker.pid)
}

/** Free memory that a process must have before a run, unless the tool asks for more. */
export const RUN_BYTES = 600 * 2 ** 20

export const hasOutgrown = ({ run, pid }: Worker, maxBytes: number): boolean =>
  run !== undefined && residentBytes(pid) > maxBytes

export function outOfMemory(maxBytes: number): AppError {
  const megabytes = Math.round(maxBytes / 2 ** 20)
  const message = fieldText('memoryOfRun', { most: megabytes })
  return new AppError('FILE_TOO_LARGE', { message })
}
