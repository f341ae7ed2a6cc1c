/** A run of a tool from the portal: its files are sent, the run is followed, and it can be cancelled until it ends. */
import { type Signal, signal } from '@preact/signals'
import { ApiError } from '../../../api/client.ts'
import { addressOf, type ProcessDescription } from '../process-form/process.ts'
import { type FormContent, inputOf, type Part, partsOf } from '../process-form/values.ts'
import { dismissJob, followJob, type Job, openJob, resultOfJob } from './jobs.ts'
import { sendForm } from './send-form.ts'
import { bytesOf, storeLargeFiles } from './stored-inputs.ts'

/** `data` of a tool's answer; the rest depends on the tool. */
export type ToolAnswer = Record<string, unknown> & {
  key?: string
  outputFilename?: string
  warnings?: string[]
  warningsAr?: string[]
  usage: { runId: string; creditsCharged: number; creditsRemaining: number }
}

export type RunState =
  | { phase: 'sending'; sentBytes: number; totalBytes: number; isWaiting: boolean }
  | { phase: 'running' }
  | { phase: 'job'; job: Job }
  | { phase: 'done'; answer: ToolAnswer }
  | { phase: 'failed'; error: ApiError }
  | { phase: 'cancelled' }

export type ToolRun = {
  processId: string
  title: string
  state: Signal<RunState>
  /** Settles with the run, also when it fails. */
  ended: Promise<void>
  /** Stops the upload and the work on the server. */
  cancel(): Promise<void>
}

export const isUnderWay = ({ phase }: RunState): boolean =>
  phase === 'sending' || phase === 'running' || phase === 'job'

type RunOptions = {
  /** Runs as a job, which continues when this tab is closed. */
  asJob: boolean
  onJob: (id: string) => void
}

export function startRun(process: ProcessDescription, content: FormContent, { asJob, onJob }: RunOptions): ToolRun {
  const abort = new AbortController()
  const state = signal<RunState>({ phase: 'sending', sentBytes: 0, totalBytes: 0, isWaiting: false })
  const headers: Record<string, string> = asJob ? { prefer: 'respond-async' } : {}

  async function run(): Promise<void> {
    const isForm = process.svc.execution === 'multipart/form-data'
    const parts = isForm ? await storeLargeFiles(partsOf(content), { signal: abort.signal, onProgress: sending }) : []
    const body = isForm ? formOf(parts) : JSON.stringify(inputOf(content))
    const totalBytes = bytesOf(parts)
    const { data } = await sendForm<{ data: ToolAnswer | Job }>(addressOf(process), body, {
      headers,
      signal: abort.signal,
      onSent: (sent, total) => {
        if (sent < total) sending(Math.min(sent, totalBytes), totalBytes, false)
        else state.value = { phase: 'running' }
      },
    })
    if (!asJob) {
      state.value = { phase: 'done', answer: data as ToolAnswer }
      return
    }
    const job = data as Job
    onJob(job.jobID)
    await follow(job, state, abort.signal)
  }
  function sending(sentBytes: number, totalBytes: number, isWaiting: boolean): void {
    state.value = { phase: 'sending', sentBytes, totalBytes, isWaiting }
  }

  return runOf(process, state, abort, run())
}

/** Follows an earlier job, for example one started before a reload. @throws ApiError when it no longer exists */
export async function resumeRun(process: ProcessDescription, jobId: string): Promise<ToolRun> {
  const job = await openJob(jobId)
  const abort = new AbortController()
  const state = signal<RunState>({ phase: 'job', job })
  return runOf(process, state, abort, follow(job, state, abort.signal))
}

function runOf(
  process: ProcessDescription,
  state: Signal<RunState>,
  abort: AbortController,
  run: Promise<void>,
): ToolRun {
  const ended = run.catch((error: unknown) => {
    if (abort.signal.aborted) state.value = { phase: 'cancelled' }
    else
      state.value = {
        phase: 'failed',
        error: error instanceof ApiError ? error : new ApiError(0, 'UNEXPECTED', String(error)),
      }
  })
  return {
    processId: process.id,
    title: process.title,
    state,
    ended,
    async cancel() {
      const current = state.peek()
      if (current.phase === 'job') {
        const job = await dismissJob(current.job.jobID)
        // the run ended before the cancellation: its result is shown
        if (job.status !== 'dismissed') return
      }
      abort.abort()
      await ended
    },
  }
}

async function follow(first: Job, state: Signal<RunState>, stop: AbortSignal): Promise<void> {
  state.value = { phase: 'job', job: first }
  const job = await followJob(first, (next) => {
    if (!stop.aborted) state.value = { phase: 'job', job: next }
  })
  if (stop.aborted || job.status === 'dismissed') {
    state.value = { phase: 'cancelled' }
    return
  }
  // the results of a failed job are its failure
  state.value = { phase: 'done', answer: await resultOfJob<ToolAnswer>(job.jobID) }
}

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData()
  for (const { field, value } of parts)
    if (typeof value === 'string') form.append(field, value)
    else if (value.kind === 'stored') form.append(field, value.key)
    else form.append(field, value.file, value.name)
  return form
}
