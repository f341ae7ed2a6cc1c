/**
 * A lane: processes of one kind, each with one run at a time, and a fair queue in front of them. A process starts when a
 * run waits for it, because an idle one costs up to 150 MB. It is killed when its run exceeds the deadline or the memory
 * limit, or is cancelled.
 */

import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { ToolResult } from '../tools/tool.ts'
import { generalCount, idleWorkers, workerFor } from './choose-worker.ts'
import { FairQueue } from './fair-queue.ts'
import { type LaneOptions, type LaneStatus, unavailable, waitingLimits } from './lane-options.ts'
import { aboutRun, beginRun, type LaneReport, reportOf, statusOf } from './lane-report.ts'
import type { Finished, FromWorker } from './protocol.ts'
import { SharedRuns } from './shared-runs.ts'
import { errorOf } from './sharing.ts'
import {
  becomeReady,
  endProcess,
  enterRun,
  hasMemoryFor,
  hasOutgrown,
  leaveRun,
  orderOf,
  outdate,
  outOfMemory,
  RUN_BYTES,
  type Run,
  type RunOptions,
  removeFolders,
  rest,
  sendTo,
  startWorker,
  type Worker,
} from './worker-process.ts'

const MEMORY_CHECK_MS = 100
const RESTART_DELAY_MS = 500
const MAX_FAILED_STARTS = 5

export class Lane {
  private readonly options: LaneOptions
  readonly workers = new Set<Worker>()
  readonly waiting = new FairQueue<Run>()
  readonly background = new FairQueue<Run>()
  private readonly shares = new SharedRuns(sendTo)
  private readonly memoryTimer: Timer
  private nextRun = 1
  private stopped = false
  missing: string | undefined
  missingGdal: string | undefined
  /** Whether the newest process reported that GDAL is missing. */
  private saidMissing = false
  /**
   * Consecutive failed starts. Too many before the first process is ready make the lane unavailable; later there is no
   * limit.
   */
  failedStarts = 0
  private restart: Timer | undefined
  private hasBeenReady = false
  private firstReady = Promise.withResolvers<void>()

  constructor(options: LaneOptions) {
    this.options = options
    this.memoryTimer = setInterval(() => this.checkMemory(), MEMORY_CHECK_MS).unref()
    if (options.command === undefined) this.markUnavailable('the program that runs its tools is not installed')
  }

  /** Starts the first process. Resolves once one is ready, or the lane is unavailable. */
  ready(): Promise<void> {
    if (this.workers.size === 0) this.startNext()
    return this.firstReady.promise
  }

  /** Replaces all processes, busy ones after their run, because GDAL may be installed now. Resolves like `ready`. */
  renew(): Promise<void> {
    this.missingGdal = undefined
    this.firstReady = Promise.withResolvers()
    for (const worker of outdate(this.workers)) this.kill(worker, undefined, 'renewed')
    return this.ready()
  }

  get processCount(): number {
    return this.options.workers + (this.options.reserve ? 1 : 0)
  }

  status(): LaneStatus {
    return statusOf(this)
  }

  report(): LaneReport {
    return reportOf(this.options.name, this)
  }

  /**
   * @throws AppError the tool's own error, SERVICE_BUSY, TOOL_UNAVAILABLE, TOOL_TIMEOUT, FILE_TOO_LARGE when the run
   *   exceeds its memory limit, TOOL_FAILED
   */
  run(tool: string, input: Record<string, unknown>, options: RunOptions): Promise<ToolResult> {
    if (this.missing !== undefined) throw unavailable(this.missing)
    if (this.stopped) throw new AppError('SERVICE_BUSY')
    const { signal, tenant, background = false } = options
    const message = orderOf(this.nextRun++, tool, input, options)
    return new Promise((resolve, reject) => {
      const done = (result: unknown): void => resolve(result as ToolResult)
      const run: Run = { tenant, message, options, resolve: done, reject }
      const queue = background ? this.background : this.waiting
      queue.add(run)
      signal?.addEventListener('abort', () => this.cancel(run), { once: true })
      if (signal?.aborted) return this.cancel(run)
      this.dispatch()
      if (!background)
        this.waiting.takeExcess(waitingLimits(this.options, this.workers), run)?.reject(new AppError('SERVICE_BUSY'))
    })
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.memoryTimer)
    clearTimeout(this.restart)
    this.rejectWaiting(new AppError('SERVICE_BUSY'))
    await Promise.all([...this.workers].map(endProcess))
  }

  /** Starts one process after the other, so that a start does not occupy all cores. */
  private startNext(): void {
    if (this.stopped || this.missing !== undefined || this.restart !== undefined) return
    const isStarting = [...this.workers].some(({ ready, killedFor }) => !ready && killedFor === undefined)
    if (isStarting || this.workers.size >= this.processCount) return
    const { command, environment, name, reserve, workers, onEvent } = this.options
    if (command === undefined) return
    const worker = startWorker(command(), environment, reserve && generalCount(this.workers) === workers, {
      receive: (message) => this.receive(worker, message),
      broke: (why) => this.breaks(worker, why),
      said: (reason) => onEvent({ lane: name, event: 'output', reason, ...aboutRun(worker) }),
      ended: (how) => this.ended(worker, how),
    })
    this.workers.add(worker)
    onEvent({ lane: name, event: 'started' })
  }

  private receive(worker: Worker, message: FromWorker): void {
    if (worker.killedFor !== undefined) return
    if ('ready' in message) {
      const isFirst = worker.pid === 0
      const isExpected = !worker.ready && worker.run === undefined && (isFirst || message.missing === undefined)
      if (!isExpected) this.breaks(worker, 'it said that it is ready at another time')
      else if (isFirst && !this.believes(message.missing)) this.kill(worker, undefined, 'unconfirmed')
      if (worker.killedFor !== undefined) return
      becomeReady(worker)
      this.hasBeenReady = true
      this.failedStarts = 0
      this.firstReady.resolve()
      if (!hasMemoryFor(worker, RUN_BYTES - worker.cachedBytes, this.options.maxMemoryBytes))
        this.kill(worker, undefined, 'grown')
      this.dispatch()
      return
    }
    const { run } = worker
    // a message of a run that was cancelled meanwhile
    if (run === undefined || message.run !== run.message.run) return
    if ('progress' in message) run.options.onProgress?.(message.progress)
    else if ('share' in message) {
      this.shares.open(worker, run, message.share)
      this.dispatch()
    } else if ('requestPart' in message) sendTo(worker, { run: message.run, grantedPart: this.shares.grantPart(run) })
    else this.finish(worker, run, message)
  }

  /** A missing GDAL counts only when two processes in a row report it. */
  private believes(missing: string | undefined): boolean {
    const isConfirmed = missing === undefined || this.saidMissing
    this.saidMissing = missing !== undefined
    if (!isConfirmed) return false
    if (missing !== undefined && this.missingGdal === undefined)
      this.options.onEvent({ lane: this.options.name, event: 'without GDAL', reason: missing })
    this.missingGdal = missing
    return true
  }

  private finish(worker: Worker, run: Run, message: Finished): void {
    this.release(worker)
    run.options.watch?.worked(message.worked)
    rest(worker, message)
    leaveRun(worker, run, message).then(
      (result) => ('failure' in message ? run.reject(errorOf(message.failure)) : run.resolve(result)),
      (cause) => {
        this.breaks(worker, String(cause))
        run.reject(new AppError('TOOL_FAILED', { cause }))
      },
    )
    // data that a part has read is reused for the next part
    const neededBytes = this.shares.isContinued(run) ? 0 : RUN_BYTES - worker.cachedBytes
    const grown = !hasMemoryFor(worker, neededBytes, this.options.maxMemoryBytes)
    if (worker.isOutdated || worker.runs >= this.options.maxRuns) this.kill(worker, undefined, 'runs')
    else if (grown) {
      // until the process reports that it is ready again
      worker.ready = false
      sendTo(worker, { tidy: true })
    }
    this.dispatch()
  }

  /** Rejects waiting and later calls until the server is restarted. */
  private markUnavailable(reason: string): void {
    this.missing = reason
    this.firstReady.resolve()
    this.options.onEvent({ lane: this.options.name, event: 'unavailable', reason })
    this.rejectWaiting(unavailable(reason))
  }

  private rejectWaiting(error: AppError): void {
    for (const run of [...this.waiting.takeAll(), ...this.background.takeAll()]) run.reject(error)
  }

  private dispatch(): void {
    let lacksMemory: Worker | undefined
    const find = (run: Run): Worker | undefined => {
      const found = workerFor(run, this.workers, this.options)
      lacksMemory ??= found.lacksMemory
      return found.worker
    }
    const isStartable = (run: Run): boolean => find(run) !== undefined
    while (idleWorkers(this.workers).length > 0) {
      const run = this.waiting.take(isStartable) ?? this.nextPart() ?? this.background.take(isStartable)
      if (run === undefined) break
      this.start(find(run) ?? (idleWorkers(this.workers)[0] as Worker), run)
    }
    // the next run waits for the process that replaces this one
    if (lacksMemory !== undefined && lacksMemory.run === undefined) this.kill(lacksMemory, undefined, 'room')
    const isForGeneral = this.background.length > 0 || this.shares.hasParts
    if (this.waiting.length > 0 || (isForGeneral && generalCount(this.workers) < this.options.workers)) this.startNext()
  }

  private start(worker: Worker, run: Run): void {
    beginRun(worker, run)
    const { deadlineMs } = run.options
    worker.deadline = setTimeout(() => this.kill(worker, new AppError('TOOL_TIMEOUT'), 'deadline'), deadlineMs)
    void this.begin(worker, run)
  }

  /** Sends the run once the process can see its files. */
  private async begin(worker: Worker, run: Run): Promise<void> {
    try {
      await enterRun(worker, run)
    } catch (cause) {
      return this.kill(worker, new AppError('TOOL_FAILED', { cause }), 'folder')
    }
    // it may have been cancelled meanwhile
    if (worker.run === run && worker.killedFor === undefined) sendTo(worker, run.message)
  }

  /** The next part of a shared run for an idle process. A job leaves one idle process to other calls. */
  private nextPart(): Run | undefined {
    return this.shares.nextHelper(generalCount(idleWorkers(this.workers)), () => this.nextRun++)
  }

  private release(worker: Worker): void {
    clearTimeout(worker.deadline)
    // the results of its helpers are no longer needed
    if (worker.run !== undefined) for (const helper of this.shares.close(worker.run)) this.cancel(helper)
    worker.deadline = undefined
    worker.run = undefined
  }

  private cancel(run: Run): void {
    for (const queue of [this.waiting, this.background]) queue.remove(run)
    const worker = [...this.workers].find((candidate) => candidate.run === run)
    const cancelled = new AppError('TOOL_FAILED', { message: fieldText('callCancelled') })
    if (worker === undefined) run.reject(cancelled)
    else this.kill(worker, cancelled, 'cancelled')
  }

  /** The process may run foreign code, so it is killed; nothing else is affected. */
  private breaks(worker: Worker, why: string): void {
    if (!this.stopped) this.kill(worker, new AppError('TOOL_FAILED', { cause: new Error(why) }), `protocol: ${why}`)
  }

  private kill(worker: Worker, error: AppError | undefined, reason: string): void {
    if (worker.killedFor !== undefined) return
    worker.killedFor = error ?? new AppError('TOOL_FAILED', { cause: new Error(`it was replaced: ${reason}`) })
    worker.ready = false
    this.options.onEvent({ lane: this.options.name, event: 'killed', reason, ...aboutRun(worker) })
    worker.process.kill('SIGKILL')
  }

  private ended(worker: Worker, how: string): void {
    this.workers.delete(worker)
    const { run, killedFor, ready } = worker
    const about = killedFor === undefined ? aboutRun(worker) : undefined
    this.release(worker)
    const error = killedFor ?? new AppError('TOOL_FAILED', { cause: new Error(`the worker process ended: ${how}`) })
    removeFolders(worker).then(() => (run?.lost ?? run?.reject)?.(error), run?.reject)
    if (this.stopped || this.missing !== undefined) return
    this.options.onEvent({ lane: this.options.name, event: 'ended', reason: how, ...about })
    if (killedFor === undefined && !ready && ++this.failedStarts >= MAX_FAILED_STARTS && !this.hasBeenReady) {
      this.markUnavailable(`its processes fail to start: ${how}`)
      return
    }
    this.restart = setTimeout(
      () => {
        this.restart = undefined
        // one process stays, so that calls of a quiet service do not wait for a start
        if (this.workers.size === 0) this.startNext()
        this.dispatch()
      },
      killedFor !== undefined || ready ? 0 : RESTART_DELAY_MS,
    ).unref()
  }

  private checkMemory(): void {
    const { maxMemoryBytes } = this.options
    for (const worker of this.workers)
      if (hasOutgrown(worker, maxMemoryBytes)) this.kill(worker, outOfMemory(maxMemoryBytes), 'memory')
  }
}
