/** Jobs that this tab follows until they end, on any page. */
import { ApiError, send } from '../../../api/client.ts'
import { isExpired } from '../../../shell/session.ts'

export type Job = {
  jobID: string
  processID: string
  status: 'accepted' | 'running' | 'successful' | 'failed' | 'dismissed'
  progress: number
}

const JOBS = '/enterprise/v1/gis/jobs'
const FIRST_PAUSE_MS = 400
const LAST_PAUSE_MS = 8_000
const GROWTH = 1.4

const addressOf = (id: string): string => `${JOBS}/${encodeURIComponent(id)}`

export const isOver = ({ status }: Job): boolean => status !== 'accepted' && status !== 'running'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function jobAt(id: string): Promise<Job> {
  const { data } = (await (await send(addressOf(id))).json()) as { data: Job }
  return data
}

/** Polls with growing pauses; a job with progress is polled sooner. @throws ApiError */
export async function followJob(first: Job, onChange: (job: Job) => void): Promise<Job> {
  let job = first
  for (let pauseMs = FIRST_PAUSE_MS; !isOver(job); ) {
    await pause(pauseMs)
    // the person is asked to sign in again; the job continues meanwhile
    if (isExpired.peek()) continue
    try {
      const next = await jobAt(job.jobID)
      pauseMs = next.progress > job.progress ? FIRST_PAUSE_MS : Math.min(LAST_PAUSE_MS, pauseMs * GROWTH)
      job = next
      onChange(job)
    } catch (error) {
      if (!(error instanceof ApiError) || !mayPass(error)) throw error
      pauseMs = Math.min(LAST_PAUSE_MS, Math.max(pauseMs * GROWTH, (error.retryAfterS ?? 0) * 1000))
    }
  }
  return job
}

/** Failures that say nothing about the job: a lost connection, a rate limit, a busy server, an ended session. */
const mayPass = ({ status }: ApiError): boolean => status === 0 || status === 401 || status === 429 || status >= 500

/** @returns the job, which can be followed again after a reload. @throws ApiError */
export const openJob = (id: string): Promise<Job> => jobAt(id)

/** Stops the job, if it has not ended yet. @throws ApiError */
export async function dismissJob(id: string): Promise<Job> {
  const { data } = (await (await send(addressOf(id), { method: 'DELETE' })).json()) as { data: Job }
  return data
}

/**
 * The synchronous answer of the call.
 * @throws ApiError with its failure
 */
export async function resultOfJob<T>(id: string): Promise<T> {
  const { data } = (await (await send(`${addressOf(id)}/results`)).json()) as { data: T }
  return data
}
