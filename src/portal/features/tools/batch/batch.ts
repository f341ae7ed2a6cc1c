/** A batch: one tool over several files, as an ordinary run for each, kept while other pages are open. */
import { type Signal, signal } from '@preact/signals'
import { ApiError, api } from '../../../api/client.ts'
import { ownerId } from '../../../shell/session.ts'
import { isUnderWay, type RunState, startRun, type ToolAnswer } from '../data/run-tool.ts'
import { runsLong } from '../data/stored-inputs.ts'
import type { ProcessDescription } from '../process-form/process.ts'
import type { ChosenFile, FormContent } from '../process-form/values.ts'

export type BatchState = { phase: 'waiting' } | RunState
export type BatchItem = { file: ChosenFile; content: FormContent; state: Signal<BatchState> }
export type Batch = {
  process: ProcessDescription
  /** The runs are kept in this folder of the list of runs. */
  folder: string
  items: readonly BatchItem[]
  isRunning: Signal<boolean>
  /** Stops the runs in progress; the waiting ones do not start. */
  stop(): Promise<void>
  /** Runs the files again that failed or were stopped. */
  retry(): void
}

/** Workers of a server are shared with other people. */
const AT_ONCE = 2
const MAX_WAITS = 20
const WAIT_MS = 5_000

const batches = signal<ReadonlyMap<string, Batch>>(new Map())
const keyOf = (processId: string): string => `${ownerId.value ?? ''} ${processId}`

export const currentBatch = (processId: string): Batch | undefined => batches.value.get(keyOf(processId))

export function forgetBatch(processId: string): void {
  const rest = new Map(batches.peek())
  rest.delete(keyOf(processId))
  batches.value = rest
}

export const answerOf = (state: BatchState): ToolAnswer | undefined =>
  state.phase === 'done' ? state.answer : undefined

const isUnfinished = ({ phase }: BatchState): boolean => phase === 'failed' || phase === 'cancelled'

/** A limit of calls or a full queue, which says nothing about the file. */
const mayPass = ({ status }: ApiError): boolean => status === 429 || status === 503

export function startBatch(
  process: ProcessDescription,
  calls: readonly { file: ChosenFile; content: FormContent }[],
  folder: string,
): Batch {
  const items = calls.map((call): BatchItem => ({ ...call, state: signal<BatchState>({ phase: 'waiting' }) }))
  const isRunning = signal(false)
  const underWay = new Set<() => Promise<void>>()
  let isStopped = false

  async function runOne({ content, state }: BatchItem): Promise<void> {
    for (let waits = 0; !isStopped; waits++) {
      const run = startRun(process, content, { asJob: runsLong(process, content), onJob: () => undefined })
      const unfollow = run.state.subscribe((next) => {
        // a call that will be repeated has not failed
        if (next.phase !== 'failed' || !mayPass(next.error) || waits >= MAX_WAITS) state.value = next
      })
      underWay.add(run.cancel)
      await run.ended
      underWay.delete(run.cancel)
      unfollow()
      const end = run.state.peek()
      if (end.phase !== 'failed' || !mayPass(end.error) || waits >= MAX_WAITS) return keepTogether(end)
      state.value = { phase: 'waiting' }
      await new Promise((resolve) => setTimeout(resolve, (end.error.retryAfterS ?? 0) * 1_000 || WAIT_MS))
    }
  }
  async function keepTogether(end: RunState): Promise<void> {
    if (end.phase !== 'done') return
    const params = { path: { id: end.answer.usage.runId } }
    try {
      await api.PATCH('/enterprise/v1/gis/runs/{id}', { params, body: { folder } })
    } catch (error) {
      // the result is there all the same, in the list of runs
      if (!(error instanceof ApiError)) throw error
    }
  }
  async function work(): Promise<void> {
    isRunning.value = true
    const waiting = items.filter(({ state }) => state.peek().phase === 'waiting')
    const next = async (): Promise<void> => {
      for (let item = waiting.shift(); item !== undefined && !isStopped; item = waiting.shift()) await runOne(item)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
    for (const { state } of items) if (state.peek().phase === 'waiting') state.value = { phase: 'cancelled' }
    isRunning.value = false
  }

  const batch: Batch = {
    process,
    folder,
    items,
    isRunning,
    async stop() {
      isStopped = true
      await Promise.all([...underWay].map((cancel) => cancel()))
    },
    retry() {
      isStopped = false
      for (const { state } of items) if (isUnfinished(state.peek())) state.value = { phase: 'waiting' }
      void work()
    },
  }
  batches.value = new Map(batches.peek()).set(keyOf(process.id), batch)
  void work()
  return batch
}

export function countsOf({ items }: Batch): { done: number; failed: number; underWay: number; all: number } {
  const states = items.map(({ state }) => state.value)
  return {
    done: states.filter(({ phase }) => phase === 'done').length,
    failed: states.filter(isUnfinished).length,
    underWay: states.filter((state) => state.phase !== 'waiting' && isUnderWay(state)).length,
    all: items.length,
  }
}
