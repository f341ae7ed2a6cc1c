/** Runs tools and other tasks in worker processes, each in its lane. */

import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Tool, ToolLimits, ToolResult } from '../tools/tool.ts'
import type { QueueLimits } from './fair-queue.ts'
import { SKIPPED_DRIVERS } from './gdal-denylist.ts'
import { Lane } from './lane.ts'
import type { LaneEvent, LaneStatus } from './lane-options.ts'
import type { LaneReport } from './lane-report.ts'
import { type RunEnd, watchRun } from './run-watch.ts'
import type { Isolation, Sandbox } from './sandbox.ts'
import type { RunOptions } from './worker-process.ts'

export type EngineOptions = {
  /** Number of processes in each lane, not counting the process reserved for short runs. */
  workers: { bun: number; node: number }
  waiting: QueueLimits
  /** Runs of one tenant at a time, in each lane. */
  runningPerTenant: number
  maxMemoryBytes: number
  limits: ToolLimits
  /** The Node for GDAL's binding; undefined if it is not installed. */
  nodePath: string | undefined
  /** Pending while GDAL is being installed. The processes of the Node lane are replaced afterwards. */
  gdalSetup?: GdalSetup | undefined
  sandbox: Sandbox
  onEvent(event: LaneEvent): void
  /** Called after each run, successful or not. */
  onRun?(end: RunEnd): void
}

/** `status` is a sentence about its progress. */
export type GdalSetup = { done: Promise<void>; status(): string }

/** `readings` is for work on incoming readings, which must not wait behind tools. */
export type LaneName = Tool['lane'] | 'readings'
/** A tool, or a task (worker-task.ts). */
export type Runnable = { id: string; lane: LaneName; memoryMb?: number | undefined; memoryAgainMb?: number | undefined }

export type Engine = {
  run(
    tool: Runnable,
    input: Record<string, unknown>,
    options: Omit<RunOptions, 'limits' | 'watch'> & { maxOutputBytes?: number },
  ): Promise<ToolResult>
  /** The lane for readings is missing until it is first used. */
  status(): Record<Tool['lane'], LaneStatus & { reason?: string }> & { readings?: LaneStatus; isolation: Isolation }
  /** The processes and queues of every lane. */
  report(): LaneReport[]
  /** Starts a process in every lane. Resolves once each is ready, or its lane is known to be unavailable. */
  ready(): Promise<void>
  stop(): Promise<void>
}

/** A process is replaced after this many runs, in case anything but memory leaks. */
const MAX_RUNS = 50_000
/**
 * Otherwise glibc keeps much of the memory that native libraries free, per thread. With smaller thresholds, strips of
 * large pictures would be allocated from the system again and again, which takes a tenth of the time.
 */
const NATIVE_MEMORY = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  MALLOC_MMAP_THRESHOLD_: '1048576',
}
const QUIET = ['--disable-warning=ExperimentalWarning']
const WORKER = join(import.meta.dir, 'worker.ts')
const FONTS = join(import.meta.dir, '../lib/text/fonts.conf')

const bytesOf = (megabytes: number | undefined): number | undefined =>
  megabytes === undefined ? undefined : megabytes * 2 ** 20

export function startEngine(options: EngineOptions): Engine {
  const { workers, waiting, runningPerTenant, maxMemoryBytes, limits, nodePath, sandbox, onEvent } = options
  const shared = { waiting, runningPerTenant, maxMemoryBytes, maxRuns: MAX_RUNS, onEvent }
  const heapMb = Math.floor((maxMemoryBytes / 2 ** 20) * 0.9)
  const ofBun = (name: string, count: number, reserve: boolean): Lane =>
    new Lane({
      ...shared,
      name,
      reserve,
      workers: count,
      command: () => sandbox.wrap([process.execPath, '--no-install', WORKER], maxMemoryBytes),
      environment: { ...NATIVE_MEMORY, FONTCONFIG_FILE: FONTS },
    })
  const lanes: Record<Tool['lane'], Lane> & { readings?: Lane } = {
    bun: ofBun('bun', workers.bun, true),
    node: new Lane({
      ...shared,
      name: 'node',
      reserve: true,
      workers: workers.node,
      command:
        nodePath === undefined
          ? undefined
          : () =>
              sandbox.wrap(
                [nodePath, `--max-old-space-size=${heapMb}`, '--expose-gc', ...QUIET, WORKER],
                maxMemoryBytes,
              ),
      // the system's OpenSSL configuration cannot be read, which OpenSSL treats as an error
      environment: { GDAL_SKIP: SKIPPED_DRIVERS.join(' '), OPENSSL_CONF: '/dev/null' },
      onEvent: (event) => {
        if (event.event !== 'without GDAL' || gdalSetup === undefined) onEvent(event)
      },
    }),
  }
  let gdalSetup = options.gdalSetup
  const setUp = gdalSetup?.done.then(() => {
    gdalSetup = undefined
    return lanes.node.renew()
  })
  return {
    run: async (tool, input, { maxOutputBytes, ...run }) => {
      const memoryBytes = run.memoryBytes ?? bytesOf(tool.memoryMb)
      const memoryAgainBytes = bytesOf(tool.memoryAgainMb)
      const cacheKey = run.cacheKey ?? (memoryAgainBytes === undefined ? undefined : tool.id)
      const own = maxOutputBytes === undefined ? limits : { ...limits, maxOutputBytes }
      if (tool.lane === 'readings') lanes.readings ??= ofBun('readings', 1, false)
      const watch = watchRun(tool.lane, tool.id, run.requestId, options.onRun ?? (() => undefined))
      const given = { ...run, limits: own, memoryBytes, memoryAgainBytes, cacheKey, watch }
      let result: ToolResult
      try {
        result = await (lanes[tool.lane] as Lane).run(tool.id, input, given)
      } catch (thrown) {
        const needsGdal = tool.lane === 'node' && thrown instanceof AppError && thrown.code === 'TOOL_UNAVAILABLE'
        const error = needsGdal && gdalSetup !== undefined ? notInstalledYet(gdalSetup) : thrown
        watch.ended(error)
        throw error
      }
      watch.ended()
      return result
    },
    status: () => ({
      isolation: sandbox.isolation,
      bun: lanes.bun.status(),
      node: { ...lanes.node.status(), ...(gdalSetup && { available: false, reason: gdalSetup.status() }) },
      ...(lanes.readings && { readings: lanes.readings.status() }),
    }),
    report: () =>
      [lanes.bun, lanes.node, lanes.readings ?? []].flat().map((lane) => {
        const report = lane.report()
        if (lane !== lanes.node || gdalSetup === undefined) return report
        return { ...report, isAvailable: false, reason: gdalSetup.status() }
      }),
    async ready() {
      await Promise.all([lanes.bun.ready(), lanes.node.ready(), setUp])
    },
    async stop() {
      await Promise.all([lanes.bun.stop(), lanes.node.stop(), lanes.readings?.stop()])
    },
  }
}

const RETRY_S = 30
const notInstalledYet = ({ status }: GdalSetup): AppError =>
  new AppError('TOOL_UNAVAILABLE', {
    message: fieldText('needsGdal'),
    retryAfterS: RETRY_S,
    cause: new Error(status()),
  })
