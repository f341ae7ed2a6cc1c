/** A recipe: a chain of tools, found in the runs that made a result, and run again on another file. */
import { type Signal, signal } from '@preact/signals'
import { ApiError, api, dataOf } from '../../../api/client.ts'
import type { components } from '../../../api/schema.d.ts'
import { ownerId } from '../../../shell/session.ts'
import { loadProcess } from '../data/catalogue.ts'
import { isRecorded } from '../data/run-again.ts'
import { isUnderWay, type RunState, resumeRun, startRun, type ToolAnswer, type ToolRun } from '../data/run-tool.ts'
import { canBeJob } from '../data/stored-inputs.ts'
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
type StepAnswer = Pick<ToolAnswer, 'key' | 'outputFilename' | 'usage'>
/** What a reload of the page must not lose; a file of the person cannot be kept, but the results of steps are stored. */
type Progress = {
  /** The steps as they ran: a recipe that was changed since is another one. */
  steps: readonly RecipeStep[]
  /** The name of the given file. */
  file: string
  done: readonly StepAnswer[]
  /** The job of the step that is under way. */
  job?: string | undefined
}
export type RecipeRun = {
  file: string
  states: Signal<StepState[]>
  isRunning: Signal<boolean>
  /** Whether a run that has stopped can continue: with the result of the last finished step, or with a job. */
  mayContinue(): boolean
  continue(): void
  stop(): Promise<void>
}

/** The newest run of each recipe, kept while other pages are open. */
const runs = signal<ReadonlyMap<string, RecipeRun>>(new Map())
const keyOf = (recipeId: string): string => `groundwave.recipe-run.${ownerId.value ?? ''}.${recipeId}`

export const currentRecipeRun = (recipeId: string): RecipeRun | undefined => runs.value.get(keyOf(recipeId))

export function forgetRecipeRun(recipeId: string): void {
  const place = keyOf(recipeId)
  const rest = new Map(runs.peek())
  rest.delete(place)
  runs.value = rest
  sessionStorage.removeItem(place)
}

/** Finds the run that a reload of the page ended, if the recipe has still the same steps. */
export function reopenRecipeRun({ id, document }: Recipe): void {
  const place = keyOf(id)
  if (runs.peek().has(place)) return
  const progress = readProgress(place)
  if (progress !== undefined && JSON.stringify(progress.steps) === JSON.stringify(document.steps))
    runs.value = new Map(runs.peek()).set(place, createRun(place, progress))
}

/** Runs the steps one after the other; one that fails or is stopped ends the chain. */
export function runRecipe(recipe: Recipe, file: ChosenFile): void {
  const place = keyOf(recipe.id)
  const run = createRun(place, { steps: stepsOf(recipe), file: file.name, done: [] }, file)
  runs.value = new Map(runs.peek()).set(place, run)
  run.continue()
}

function readProgress(place: string): Progress | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(place) ?? 'null') as Progress | null) ?? undefined
  } catch {
    return undefined
  }
}

/** @param given the file of the first step, unless that step has begun before a reload */
function createRun(place: string, progress: Progress, given?: ChosenFile): RecipeRun {
  const { steps, file } = progress
  const done = [...progress.done]
  let job = progress.job
  const states = signal<StepState[]>(
    steps.map((_, at) => (done[at] === undefined ? { phase: 'waiting' } : { phase: 'done', answer: done[at] })),
  )
  const isRunning = signal(false)
  let current: ToolRun | undefined
  const set = (at: number, state: StepState): void => {
    states.value = states.peek().with(at, state)
  }
  function keep(): void {
    // another run of the recipe may have begun
    if (runs.peek().get(place) !== run) return
    try {
      sessionStorage.setItem(place, JSON.stringify({ steps, file, done, job } satisfies Progress))
    } catch {
      // storage is full or disabled: the run is known as long as the page
    }
  }
  function inputOfNext(): ChosenFile | undefined {
    const last = done.at(-1)
    if (last === undefined) return given
    const { key, outputFilename = key } = last
    return key === undefined ? undefined : { kind: 'stored', id: key, key, name: outputFilename ?? key }
  }

  /** As a job where the tool can be one, because a reload does not end a job. */
  async function begin({ tool, settings, files = {} }: RecipeStep): Promise<ToolRun> {
    const process = await loadProcess(tool)
    if (job !== undefined) return resumeRun(process, job)
    const input = inputOfNext()
    if (input === undefined) throw new ApiError(0, 'NO_FILE', '')
    const others = Object.entries(files).map(([field, keys]): [string, ChosenFile[]] => [
      field,
      keys.map((key) => ({ kind: 'stored', id: key, key, name: key })),
    ])
    const main = mainField(process) as string
    const given: FormFiles = { ...Object.fromEntries(others), [main]: [input] }
    const content = { process, values: initialValues(process, settings), files: given }
    return startRun(process, content, {
      asJob: canBeJob(process),
      onJob: (id) => {
        job = id
        keep()
      },
    })
  }
  async function runStep(at: number, step: RecipeStep): Promise<StepState> {
    current = await begin(step)
    const unfollow = current.state.subscribe((state) => set(at, state))
    await current.ended
    unfollow()
    return current.state.peek()
  }
  async function work(): Promise<void> {
    while (done.length < steps.length) {
      const at = done.length
      try {
        const end = await runStep(at, steps[at] as RecipeStep)
        job = undefined
        if (end.phase !== 'done') return
        const { key, outputFilename, usage } = end.answer
        done.push({ usage, ...(key !== undefined && { key }), ...(outputFilename !== undefined && { outputFilename }) })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        job = undefined
        set(at, { phase: 'failed', error })
        return
      } finally {
        keep()
      }
    }
  }
  const run: RecipeRun = {
    file,
    states,
    isRunning,
    mayContinue: () => done.length < steps.length && (done.length > 0 || job !== undefined),
    continue() {
      if (isRunning.peek()) return
      isRunning.value = true
      void work().finally(() => {
        isRunning.value = false
      })
    },
    async stop() {
      const state = current?.state.peek()
      if (state !== undefined && isUnderWay(state)) await current?.cancel()
    },
  }
  return run
}
