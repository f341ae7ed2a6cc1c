/** A recipe: a chain of tools, found in the runs that made a result, and run again on another file. */
import { type Signal, signal } from '@preact/signals'
import { ApiError, api, dataOf } from '../../../api/client.ts'
import type { components } from '../../../api/schema.d.ts'
import { loadProcess } from '../data/catalogue.ts'
import { isRecorded } from '../data/run-again.ts'
import { isUnderWay, type RunState, startRun, type ToolRun } from '../data/run-tool.ts'
import { runsLong } from '../data/stored-inputs.ts'
import { isFile, type ProcessDescription } from '../process-form/process.ts'
import { type ChosenFile, type FormFiles, initialValues } from '../process-form/values.ts'
import type { ListedRun, RunDetail } from '../result-view/run-data.ts'

export type Recipe = components['schemas']['Recipe']
export type RecipeStep = { tool: string; settings: Record<string, unknown>; files?: Record<string, string[]> }

const MAX_STEPS = 5
/** How many of the newest runs are searched for the step before. */
const SEARCHED_RUNS = 200

export const stepsOf = ({ document }: Recipe): RecipeStep[] => document.steps as RecipeStep[]

/** The field that takes the given file or the result of the step before. */
export const mainField = ({ inputs }: Pick<ProcessDescription, 'inputs'>): string | undefined =>
  Object.entries(inputs).find(([, input]) => isFile(input))?.[0]

type Found = { steps: RecipeStep[] /** A setting that is not recorded, with its tool. */; unknown?: string }

/** The steps that led to a run: its own, and those whose results it read. @throws ApiError */
export async function stepsBefore(run: RunDetail): Promise<Found> {
  const query = { limit: SEARCHED_RUNS, status: 'successful' }
  const { items } = await dataOf(api.GET('/enterprise/v1/gis/runs', { params: { query } }))
  const makers = new Map(items.flatMap((one) => one.artifacts.map(({ key }) => [key, one] as const)))
  const steps: RecipeStep[] = []
  let current: ListedRun | RunDetail | undefined = run
  while (current !== undefined && steps.length < MAX_STEPS) {
    const { processID, settings, inputs }: ListedRun | RunDetail = current
    if (Object.values(settings).some((value) => !isRecorded(value))) return { steps, unknown: processID }
    const main = mainField(await loadProcess(processID))
    const files: Record<string, string[]> = {}
    for (const { field, key } of inputs)
      if (field !== null && field !== main) files[field] = [...(files[field] ?? []), key]
    const hasFiles = Object.keys(files).length > 0
    steps.unshift({ tool: processID, settings: settings as Record<string, unknown>, ...(hasFiles && { files }) })
    const source = inputs.find(({ field }) => field === main)
    current = source === undefined ? undefined : makers.get(source.key)
  }
  return { steps }
}

export type StepState = { phase: 'waiting' } | RunState
export type RecipeRun = {
  states: Signal<StepState[]>
  isRunning: Signal<boolean>
  stop(): Promise<void>
}

/** Runs the steps one after the other; one that fails or is stopped ends the chain. */
export function runRecipe(steps: readonly RecipeStep[], file: ChosenFile): RecipeRun {
  const states = signal<StepState[]>(steps.map(() => ({ phase: 'waiting' })))
  const isRunning = signal(true)
  let current: ToolRun | undefined
  const set = (at: number, state: StepState): void => {
    states.value = states.peek().with(at, state)
  }

  async function runStep(at: number, { tool, settings, files = {} }: RecipeStep, input: ChosenFile) {
    const process = await loadProcess(tool)
    const others = Object.entries(files).map(([field, keys]): [string, ChosenFile[]] => [
      field,
      keys.map((key) => ({ kind: 'stored', id: key, key, name: key })),
    ])
    const main = mainField(process) as string
    const given: FormFiles = { ...Object.fromEntries(others), [main]: [input] }
    const content = { process, values: initialValues(process, settings), files: given }
    const run = startRun(process, content, { asJob: runsLong(process, content), onJob: () => undefined })
    current = run
    const unfollow = run.state.subscribe((state) => set(at, state))
    await run.ended
    unfollow()
    return run.state.peek()
  }
  async function work(): Promise<void> {
    let input: ChosenFile | undefined = file
    for (const [at, step] of steps.entries()) {
      if (input === undefined) {
        set(at, { phase: 'failed', error: new ApiError(0, 'NO_FILE', '') })
        return
      }
      try {
        const end = await runStep(at, step, input)
        if (end.phase !== 'done') return
        const { key, outputFilename = key } = end.answer
        input = key === undefined ? undefined : { kind: 'stored', id: key, key, name: outputFilename ?? key }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        set(at, { phase: 'failed', error })
        return
      }
    }
  }
  void work().finally(() => {
    isRunning.value = false
  })
  return {
    states,
    isRunning,
    async stop() {
      const state = current?.state.peek()
      if (state !== undefined && isUnderWay(state)) await current?.cancel()
    },
  }
}
