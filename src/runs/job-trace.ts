/** The spans of a job: it continues the trace of the call that started it, on whichever machine it runs. */
import type { TakenJob } from '../stores/postgres/runs/jobs.ts'
import { endFailed, SPAN_KIND, traceIdOf, tracing } from '../tracing.ts'
import type { JobCall } from './jobs.ts'

/** Runs a job under its span; the time in the queue is a span of its own. @param work receives the id of the trace */
export async function underJobSpan<T>(job: TakenJob, work: (traceId: string | undefined) => Promise<T>): Promise<T> {
  const { on } = tracing
  if (on === undefined) return work(undefined)
  const { trace, requestId } = job.call as JobCall
  const attributes = { 'groundwave.tool': job.toolId, 'groundwave.job.id': job.id }
  if (trace !== undefined) on.begin('queue', trace, { attributes, startMs: job.createdAt.getTime() }).end()
  const span = on.begin('job', trace, {
    kind: SPAN_KIND.consumer,
    attributes: { ...attributes, 'groundwave.request_id': requestId, 'groundwave.job.attempt': job.attempts },
  })
  try {
    const result = await on.within(span, () => work(traceIdOf(span)))
    span.end()
    return result
  } catch (error) {
    endFailed(span, error)
    throw error
  }
}
