/**
 * A batch: one tool over several files, as an ordinary run for each, kept while other pages are open. After a reload of
 * the page it continues with its jobs and with files that are stored; other files have to be chosen again.
 */
import { type Signal, signal } from '@preact/signals'
import { ApiError, api } from '../../../api/client.ts'
import { ownerId } from '../../../shell/session.ts'
import { type RunState, resumeRun, startRun, type ToolAnswer, type ToolRun } from '../data/run-tool.ts'
import { canBeJob } from '../data/stored-inputs.ts'
import type { ProcessDescription } from '../process-form/process.ts'
import type { ChosenFile, FormContent, FormFiles, FormValues } from '../process-form/values.ts'

export type BatchState = { phase: 'waiting' } | RunState
type Answer = Pick<ToolAnswer, 'key' | 'outputFilename' | 'usage'>
export type BatchItem = {
  file: Pick<ChosenFile, 'id' | 'name'>
  /** Undefined when a reload of the page has lost a file of it. */
  content: FormContent | undefined
  state: Signal<BatchState>
  job: string | undefined
}
export type Batch = {
  process: ProcessDescription
  /** The runs are kept in this folder of the list of runs. */
  folder: string
  items: readonly BatchItem[]
  isRunning: Signal<boolean>
  /** Stops the runs in progress; the waiting ones do not start. */
  stop(): Promise<void>
  /** Runs the files again that failed or were stopped, if they are still known. */
  retry(): void
  /** Continues after a reload of the page. */
  continue(): void
}

/** Workers of a server are shared with other people. */
const AT_ONCE = 2
const MAX_WAITS = 20
const WAIT_MS = 5_000

const batches = signal<ReadonlyMap<string, Batch>>(new Map())
const keyOf = (processId: string): string => `groundwave.batch.${ownerId.value ?? ''}.${processId}`

export const currentBatch = (processId: string): Batch | undefined => batches.value.get(keyOf(processId))

export function forgetBatch(processId: string): void {
  const rest = new Map(batches.peek())
  rest.delete(keyOf(processId))
  batches.value = rest
  sessionStorage.removeItem(keyOf(processId))
}

/** What a reload of the page must not lose. */
type Kept = {
  folder: string
  values: FormValues
  items: {
    file: BatchItem['file']
    /** If all of them are stored. */
    files?: FormFiles | undefined
    job?: string | undefined
    answer?: Answer | undefined
    failure?: [status: number, code: string, message: string] | undefined
  }[]
}
export const FILE_LOST = 'FILE_LOST'

export const answerOf = (state: BatchState): Answer | undefined => (state.phase === 'done' ? state.answer : undefined)

const isUnfinished = ({ phase }: BatchState): boolean => phase === 'failed' || phase === 'cancelled'

/** A limit of calls or a full queue, which says nothing about the file. */
const mayPass = ({ status }: ApiError): boolean => status === 429 || status === 503

export function startBatch(
  process: ProcessDescription,
  calls: readonly { file: ChosenFile; content: FormContent }[],
  folder: string,
): void {
  const items = calls.map(
    (call): BatchItem => ({ ...call, state: signal<BatchState>({ phase: 'waiting' }), job: undefined }),
  )
  openBatch(process, items, folder).continue()
}

/** Finds the batch that a reload of the page ended. */
export function reopenBatch(process: ProcessDescription): void {
  const place = keyOf(process.id)
  const kept = readKept(place)
  if (kept === undefined || batches.peek().has(place)) return
  const items = kept.items.map(({ file, files, job, answer, failure }): BatchItem => {
    const content = files && { process, values: kept.values, files }
    const lost: BatchState = { phase: 'failed', error: new ApiError(0, FILE_LOST, '') }
    const waiting: BatchState = { phase: 'waiting' }
    const open = failure ? { phase: 'failed' as const, error: new ApiError(...failure) } : undefined
    const state = answer ? { phase: 'done' as const, answer } : (open ?? (content || job ? waiting : lost))
    return { file, content, job, state: signal<BatchState>(state) }
  })
  openBatch(process, items, kept.folder)
}

function readKept(place: string): Kept | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(place) ?? 'null') as Kept | null) ?? undefined
  } catch {
    return undefined
  }
}

function keptOf({ file, content, job, state }: BatchItem): Kept['items'][number] {
  const { id, name } = file
  const files = content?.files ?? {}
  const areStored =
    content !== undefined && Object.values(files).every((all) => all.every(({ kind }) => kind === 'stored'))
  const now = state.peek()
  const answer = answerOf(now)
  return {
    file: { id, name },
    job,
    ...(areStored && { files }),
    ...(answer && { answer: { key: answer.key, outputFilename: answer.outputFilename, usage: answer.usage } }),
    ...(now.phase === 'failed' && { failure: [now.error.status, now.error.code, now.error.message] }),
  }
}

function openBatch(process: ProcessDescription, items: readonly BatchItem[], folder: string): Batch {
  const isRunning = signal(false)
  const underWay = new Set<() => Promise<void>>()
  const place = keyOf(process.id)
  const values = items.find(({ content }) => content !== undefined)?.content?.values ?? {}
  let isStopped = false

  function keep(): void {
    // another batch of the tool may have begun
    if (batches.peek().get(place) !== batch) return
    try {
      sessionStorage.setItem(place, JSON.stringify({ folder, values, items: items.map(keptOf) } satisfies Kept))
    } catch {
      // storage is full or disabled: the batch is known as long as the page
    }
  }
  /** As a job where the tool can be one, because a reload does not end a job. */
  async function begin(item: BatchItem): Promise<ToolRun> {
    if (item.job !== undefined) return resumeRun(process, item.job)
    return startRun(process, item.content as FormContent, {
      asJob: canBeJob(process),
      onJob: (id) => {
        item.job = id
        keep()
      },
    })
  }
  async function runOne(item: BatchItem): Promise<void> {
    const { state } = item
    for (let waits = 0; !isStopped; waits++) {
      let run: ToolRun
      try {
        run = await begin(item)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        item.job = undefined
        state.value = { phase: 'failed', error }
        return
      }
      const unfollow = run.state.subscribe((next) => {
        // a call that will be repeated has not failed
        if (next.phase !== 'failed' || !mayPass(next.error) || waits >= MAX_WAITS) state.value = next
      })
      underWay.add(run.cancel)
      await run.ended
      underWay.delete(run.cancel)
      unfollow()
      item.job = undefined
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
    keep()
    const waiting = items.filter(({ state }) => state.peek().phase === 'waiting')
    const next = async (): Promise<void> => {
      for (let item = waiting.shift(); item !== undefined && !isStopped; item = waiting.shift()) {
        await runOne(item)
        keep()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
    for (const { state } of items) if (state.peek().phase === 'waiting') state.value = { phase: 'cancelled' }
    keep()
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
      for (const { state, content } of items)
        if (isUnfinished(state.peek()) && content !== undefined) state.value = { phase: 'waiting' }
      void work()
    },
    continue: () => void work(),
  }
  batches.value = new Map(batches.peek()).set(place, batch)
  return batch
}

type Counts = {
  done: number
  failed: number
  /** Of the failed ones. */
  repeatable: number
  waiting: number
  all: number
}

export function countsOf({ items }: Batch): Counts {
  const states = items.map(({ state }) => state.value)
  return {
    done: states.filter(({ phase }) => phase === 'done').length,
    failed: states.filter(isUnfinished).length,
    repeatable: items.filter(({ state, content }) => isUnfinished(state.value) && content !== undefined).length,
    waiting: states.filter(({ phase }) => phase === 'waiting').length,
    all: items.length,
  }
}
