/** A worker process from the point of view of its lane. */
import { readFileSync } from 'node:fs'
import { AppError } from '../errors.ts'
import type { Finished, FromWorker, Order } from './protocol.ts'
import type { RunFolders } from './run-folders.ts'
import type { RunWatch } from './run-watch.ts'
import type { Confined } from './sandbox.ts'

export type RunOptions = {
  scratch: string
  limits: Order['limits']
  plan: Order['plan']
  /** Whose turn the run takes: an enterprise, a person, or a part of the server. */
  tenant: string
  /** Size of what was sent, for runs that may use the reserved process (lane.ts). */
  sent?: { bytes: number; files: number } | undefined
  deadlineMs: number
  signal?: AbortSignal | undefined
  onProgress?: ((share: number) => void) | undefined
  /** Memory that the run may need in addition to what the process already uses. */
  memoryBytes?: number | undefined
  /** The same in a process that has cached `cacheKey`. */
  memoryAgainBytes?: number | undefined
  /** What the process caches during the run; processes that have it already are preferred. */
  cacheKey?: string | undefined
  bodyPath?: string | undefined
  /** For a run that begins without its folder: creates it when the process asks for it. */
  openFolder?: (() => Promise<unknown>) | undefined
  dataPath?: string | undefined
  /** Of the call that it is for, for log lines. */
  requestId?: string | undefined
  /** Learns when the run begins and ends. */
  watch?: RunWatch
  /** For jobs: never refused because of a full queue, and run after calls that wait for an answer. */
  background?: boolean
}

export type Run = {
  tenant: string
  message: Order
  options: RunOptions
  /** Whether the process was given the run's folder. */
  hasFolder: boolean
  resolve(result: unknown): void
  reject(error: unknown): void
  /** Called instead of `reject` when its process ends, for a part that another process can do again. */
  lost?(error: unknown): void
}
export type Worker = {
  process: Bun.Subprocess
  runFolders: RunFolders | undefined
  /** Known once it is ready: programs that start it may stand between. */
  pid: number
  /** Takes short runs only. */
  reserved: boolean
  ready: boolean
  run: Run | undefined
  /** Of the newest run, by `performance.now()`. */
  beganMs: number
  runs: number
  /** What it has probably cached, newest last, and the memory used for it. */
  cachedKeys: Set<string>
  cachedBytes: number
  /** What it used at the end of its last run. */
  restingBytes: number
  deadline: Timer | undefined
  /** It is replaced after its run. */
  isOutdated: boolean
  /** The error for its run, once it is being killed. */
  killedFor: AppError | undefined
}

const PAGE_BYTES = 4096
const MAX_CACHED_KEYS = 64

/** @param on.ended called with its exit code, or the signal that killed it */
export function startWorker(
  { command, runFolders }: Confined,
  environment: Record<string, string>,
  reserved: boolean,
  on: { receive(message: FromWorker): void; ended(how: string): void },
): Worker {
  return {
    reserved,
    runFolders,
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
    killedFor: undefined,
    process: Bun.spawn(command, {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
      serialization: 'json',
      ipc: (message) => on.receive(message as FromWorker),
      onExit: (_process, code, signal) => on.ended(`exit ${code ?? signal}`),
    }),
  }
}

export function becomeReady(worker: Worker): void {
  worker.ready = true
  worker.pid = innermost(worker.process.pid)
  rest(worker)
}

/** Each is to be replaced after its run. @returns those without a run */
export function outdate(workers: Iterable<Worker>): Worker[] {
  for (const worker of workers) worker.isOutdated = true
  return [...workers].filter(({ run }) => run === undefined)
}

/** Ends it, and the server with it. */
export function endProcess(worker: Worker): Promise<number> {
  worker.killedFor ??= new AppError('SERVICE_BUSY')
  worker.process.kill('SIGKILL')
  return worker.process.exited
}

/** Whether the run is a part of one that another process owns. */
const isPart = ({ message }: Run): boolean => 'part' in message

/** Shows the run's folder to the process, where processes see the folders of their own runs only. */
export async function enterRun({ runFolders }: Worker, run: Run): Promise<void> {
  if (run.hasFolder) await runFolders?.enter(run.options.scratch, isPart(run))
}

/** Creates the folder of a run that began without it, and shows it to the process. */
export async function openFolder(worker: Worker, run: Run): Promise<void> {
  await run.options.openFolder?.()
  run.hasFolder = true
  await enterRun(worker, run)
}

/** Takes it from the process, with what a part wrote. */
export async function leaveRun({ runFolders }: Worker, run: Run): Promise<void> {
  if (run.hasFolder) await runFolders?.leave(run.options.scratch, isPart(run), true)
}

/** The process has ended. */
export async function endRuns(worker: Worker, run: Run | undefined): Promise<void> {
  if (run?.hasFolder) await worker.runFolders?.leave(run.options.scratch, isPart(run), false)
  await worker.runFolders?.remove()
}

/** The last of a chain of processes of which each started one. */
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
  const { scratch, limits, plan, bodyPath, dataPath, requestId, openFolder, watch } = options
  const hasFolder = openFolder === undefined
  const isTraced = watch?.isTraced === true
  return { run, tool, input, scratch, hasFolder, limits, plan, bodyPath, dataPath, requestId, isTraced }
}

/**
 * Whether an idle process can take so much more. Always true for one without a run so far: replacing it would gain
 * nothing. Asking the system takes longer than some runs wait, so it is asked again only before the answer is no.
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
  const message = `The tool needs more than the ${megabytes} MB of memory that a run may use; send less data per call.`
  return new AppError('FILE_TOO_LARGE', { message })
}
