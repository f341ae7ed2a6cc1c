/** A run with its answer, as pages show it. */
import { ApiError, api, dataOf, send } from '../../../api/client.ts'
import type { components } from '../../../api/schema.d.ts'
import type { ResultData } from './figures.tsx'

export type RunDetail = components['schemas']['RunDetail']
export type ListedRun = components['schemas']['ListedRun']
export type RunState = ListedRun['status']

/** A run whose job was cancelled did not fail by itself. */
export const stateOf = ({ status, isDismissed }: Pick<ListedRun, 'status' | 'isDismissed'>): RunState =>
  isDismissed ? 'dismissed' : status

/** The answer of the call: data, or a failure with its text; undefined if it was not kept. */
export type Outcome = { data?: ResultData; failure?: ApiError }

/** @throws ApiError */
export const loadRun = (id: string): Promise<RunDetail> =>
  dataOf(api.GET('/enterprise/v1/gis/runs/{id}', { params: { path: { id } } }))

/** @throws ApiError */
export async function loadOutcome(run: RunDetail): Promise<Outcome> {
  if (!run.hasResult) return {}
  const address = `/enterprise/v1/gis/runs/${encodeURIComponent(run.runId as string)}/result`
  try {
    const { data } = (await (await send(address)).json()) as { data: ResultData }
    return { data }
  } catch (error) {
    // the run's own failure, which is answered with its status
    if (error instanceof ApiError && run.status === 'failed' && error.code === run.code) return { failure: error }
    throw error
  }
}

/** @throws ApiError */
export async function cancelJob(jobId: string): Promise<void> {
  await api.DELETE('/enterprise/v1/gis/jobs/{id}', { params: { path: { id: jobId } } })
}
