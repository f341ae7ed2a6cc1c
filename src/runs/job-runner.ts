/** Runs jobs: claims an unclaimed job, runs it, and stores its result. */

import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { isStoreLost } from '../store-errors.ts'
import { recordJobEnd } from '../stores/postgres/events/job-events.ts'
import {
  finishJob,
  hasExhaustedAttempts,
  type JobEnd,
  noteRun,
  releaseJobs,
  renewJob,
  storeJobEnd,
  type TakenJob,
  takeJob,
} from '../stores/postgres/runs/jobs.ts'
import { giveUpRun } from '../stores/postgres/runs/runs.ts'
import { startRenewals } from '../stores/renewals.ts'
import type { InputFile } from '../tools/tool.ts'
import type { CallHead, RunDeps } from './deps.ts'
import { DATA_FILE, execute } from './execute.ts'
import type { StoredInput } from './given-inputs.ts'
import { underJobSpan } from './job-trace.ts'
import type { JobCall } from './jobs.ts'

/** Envelopes of stored job results. */
export type JobEnvelopes = {
  success(head: CallHead, data: unknown): Record<string, unknown>
  failure(head: CallHead, error: AppError): Record<string, unknown>
}

/** The outcome of a job, for log lines and metrics. */
export type EndedJob = {
  job: string
  tool: string
  /** Id of the call that started it. */
  requestId: string
  traceId: string | undefined
  attempt: number
  /** `interrupted`: it was dismissed, or another process or attempt takes over. */
  status: JobEnd['status'] | 'interrupted'
  code: string
  waitedMs: number
  durationMs: number
  error: unknown
}

export type JobRunner = {
  /** Jobs that are running here. */
  running(): number
  /** Cancels the jobs that are running here and returns them to the queue. */
  stop(): Promise<void>
}

const POLL_MS = 1_000
/** Short, so that a dismissal whose message was lost is noticed within seconds. */
const RENEW_MS = 2_000
const PROGRESS_MS = 500

/** @param slots jobs that run at the same time */
export async function startJobRunner(
  deps: RunDeps,
  slots: number,
  envelopes: JobEnvelopes,
  onError: (error: unknown) => void,
  onEnd: (ended: EndedJob) => void,
): Promise<JobRunner> {
  const { db, instanceId, changes } = deps
  // jobs that this process was running when it last stopped
  await releaseJobs(db, instanceId)
  const running = new Map<TakenJob, { cancel: AbortController; done: Promise<void> }>()
  let stopped = false
  let looking = false

  async function look(): Promise<void> {
    if (looking) return
    looking = true
    try {
      while (!stopped && running.size < slots) {
        const job = await takeJob(db, instanceId)
        if (job === undefined) return
        const cancel = new AbortController()
        const done = work(job, cancel)
          .catch(onError)
          .finally(() => {
            running.delete(job)
            void look()
          })
        running.set(job, { cancel, done })
      }
    } catch (error) {
      onError(error)
    } finally {
      looking = false
    }
  }

  async function work(job: TakenJob, cancel: AbortController): Promise<void> {
    const takenMs = Date.now()
    let progress = 0
    let renewedAtMs = performance.now()
    const renew = async (): Promise<void> => {
      renewedAtMs = performance.now()
      // the job was dismissed, or another process took it because this lease had expired
      if (!(await renewJob(db, job, progress))) cancel.abort()
    }
    const renewals = startRenewals(renew, RENEW_MS, onError)
    try {
      await underJobSpan(job, async (traceId) => {
        const end = await runJob(deps, job, envelopes, cancel.signal, (share) => {
          progress = Math.min(99, Math.floor(share * 100))
          if (performance.now() - renewedAtMs > PROGRESS_MS) renewals.renew()
        })
        // the success of a job is stored in the transaction of its run
        const isEnded = end.status === 'successful' || (!cancel.signal.aborted && (await finishJob(db, job, end)))
        onEnd({
          job: job.id,
          tool: job.toolId,
          requestId: (job.call as JobCall).requestId,
          traceId,
          attempt: job.attempts,
          status: isEnded ? end.status : 'interrupted',
          code: end.code,
          waitedMs: Math.max(0, takenMs - job.createdAt.getTime()),
          durationMs: Date.now() - takenMs,
          error: end.error,
        })
      })
    } finally {
      renewals.stop()
    }
  }

  changes.subscribe((change) => {
    if (change.kind !== 'job') return
    if (!change.dismissed) void look()
    for (const [job, { cancel }] of running) if (change.dismissed && job.id === change.id) cancel.abort()
  })
  const timer = setInterval(() => void look(), POLL_MS)
  void look()

  return {
    running: () => running.size,
    async stop() {
      stopped = true
      clearInterval(timer)
      const under = [...running.values()]
      for (const { cancel } of under) cancel.abort()
      await Promise.all(under.map(({ done }) => done))
      await releaseJobs(db, instanceId)
    },
  }
}

async function runJob(
  deps: RunDeps,
  job: TakenJob,
  envelopes: JobEnvelopes,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<JobEnd & { error?: AppError }> {
  const call = job.call as JobCall
  const { path, method, requestId } = call
  const head: CallHead = { path, method, requestId }
  // an earlier attempt may still be ending in this process
  const scratch = join(deps.scratchDir, `${job.id}-${job.attempts}`)
  try {
    await mkdir(scratch, { recursive: true })
    // the run of an attempt whose process was lost; if that process was only late, it can finish neither the run nor
    // the job
    if (job.runId !== null) await giveUpRun(deps.db, job.runId)
    const tool = deps.registry.byId(job.toolId)
    if (tool === undefined) throw new AppError('TOOL_UNAVAILABLE')
    if (hasExhaustedAttempts(job)) throw new AppError('TOOL_FAILED', { message: fieldText('jobFailed') })
    const { input, storedInputs } = await fetchInput(deps, call, scratch)
    const stored: { end?: JobEnd } = {}
    await execute(deps, {
      tool,
      caller: {
        owner: {
          kind: job.personId === null ? 'enterprise' : 'person',
          id: job.ownerId,
          plan: call.plan ?? 'max',
          creditsPerMonth: call.creditsPerMonth,
        },
        applicationId: job.applicationId ?? undefined,
        memberId: job.memberId ?? undefined,
      },
      requestId,
      input,
      storedInputs,
      scratch,
      signal,
      onProgress,
      dataPath: join(scratch, DATA_FILE),
      jobId: job.id,
      onBegin: (runId) => noteRun(deps.db, job, runId),
      inputBytes: call.inputBytes,
      deadlineMs: deps.jobTimeoutMs,
      async onSuccess(tx, { data, dataPath }) {
        const result = await textOf(envelopes.success(head, data), dataPath)
        const end: JobEnd = { status: 'successful', resultStatus: 200, code: 'SUCCESS', result }
        if (!(await storeJobEnd(tx, job, end)))
          throw new AppError('TOOL_FAILED', { message: fieldText('jobDismissed') })
        stored.end = end
      },
      onEnded: (tx) => recordJobEnd(tx, job.id),
    })
    if (stored.end === undefined) throw new Error(`the end of ${job.id} was not stored`)
    return stored.end
  } catch (thrown) {
    // an unavailable store does not fail the job: its lease expires and it runs again
    if (isStoreLost(thrown)) throw thrown
    const error = thrown instanceof AppError ? thrown : new AppError('INTERNAL_ERROR', { cause: thrown })
    const result = await textOf(envelopes.failure(head, error))
    return { status: 'failed', resultStatus: error.status, code: error.code, result, error }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** @param dataPath a file with more members of the data, which is the last member of the envelope */
async function textOf(envelope: Record<string, unknown>, dataPath?: string): Promise<Uint8Array> {
  const text = JSON.stringify(envelope)
  if (dataPath === undefined) return Buffer.from(text)
  const members = (await readFile(dataPath)).subarray('{'.length)
  return Buffer.concat([Buffer.from(`${text.slice(0, -'}}'.length)},`), members, Buffer.from('}')])
}

async function fetchInput(deps: RunDeps, call: JobCall, scratch: string) {
  const input: Record<string, unknown> = { ...call.settings }
  const storedInputs = new Map<string, StoredInput>()
  for (const [i, { field, key, given, filename, bytes, several }] of call.files.entries()) {
    const path = join(scratch, `input-${i + 1}`)
    await deps.files.fetch(key, path)
    storedInputs.set(path, { key: given ?? key, storageKey: key })
    const file: InputFile = { path, filename, bytes }
    input[field] = several ? [...((input[field] as InputFile[] | undefined) ?? []), file] : file
  }
  return { input, storedInputs }
}
