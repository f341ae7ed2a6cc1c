/** One recipe: its steps, a file to run it on, and the run of each step. */
import { useMemo, useState } from 'preact/hooks'
import { ApiError, api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { language } from '../../shell/preferences.ts'
import { href, navigate } from '../../shell/router.ts'
import { may, ownerId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { failureText } from '../../ui/form.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { loadProcess } from './data/catalogue.ts'
import { FileField } from './process-form/file-field.tsx'
import type { ChosenFile } from './process-form/values.ts'
import {
  mainField,
  type Recipe,
  type RecipeRun,
  type RecipeStep,
  runRecipe,
  type StepState,
  stepsOf,
} from './recipes/recipe.ts'
import { StepNames, useTitles } from './recipes/step-names.tsx'
import { RunResult } from './result-view/run-result.tsx'
import { RunState } from './run-state.tsx'

export function RecipePage({ parameters: { id = '' } }: PageProps) {
  const recipe = useResource(
    (signal) => dataOf(api.GET('/enterprise/v1/gis/recipes/{id}', { params: { path: { id } }, signal })),
    [id, ownerId.value],
  )
  return (
    <Loaded resource={recipe} record={{ kind: 'recipe' }}>
      {(loaded) => <OpenRecipe key={id} recipe={loaded} />}
    </Loaded>
  )
}

const STATES = {
  waiting: 'accepted',
  sending: 'running',
  running: 'running',
  job: 'running',
  done: 'successful',
  failed: 'failed',
  cancelled: 'dismissed',
} as const

function OpenRecipe({ recipe }: { recipe: Recipe }) {
  const steps = useMemo(() => stepsOf(recipe), [recipe])
  const titles = useTitles()
  const [files, setFiles] = useState<ChosenFile[]>([])
  const [run, setRun] = useState<RecipeRun | undefined>(undefined)
  const [isDeleting, setDeleting] = useState(false)
  const [file] = files
  const states = run?.states.value
  const isRunning = run?.isRunning.value === true
  const missing = titles === undefined ? [] : steps.filter(({ tool }) => !titles.has(tool))
  const mayDelete = !recipe.shared || may.value.administer
  const failedAt = states?.findIndex(({ phase }) => phase === 'failed' || phase === 'cancelled') ?? -1
  const last = states?.at(-1)

  async function remove(): Promise<void> {
    await attempt(async () => {
      await api.DELETE('/enterprise/v1/gis/recipes/{id}', { params: { path: { id: recipe.id } } })
      navigate('/recipes')
    })
  }
  return (
    <>
      <PageHead title={recipe.name} isName parent={{ href: href('/recipes'), label: t('recipes.title') }}>
        {mayDelete && (
          <Button icon="remove" onClick={() => setDeleting(true)}>
            {t('recipes.delete')}
          </Button>
        )}
      </PageHead>
      <div class="tool-page">
        <form
          class="tool-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (file !== undefined && !isRunning && missing.length === 0) setRun(runRecipe(steps, file))
          }}
        >
          <StepNames steps={steps} beside={(at) => <StepLine state={states?.[at]} />} />
          {missing.length > 0 && (
            <p class="form-error" role="alert">
              {t('recipes.cannotRun', { count: missing.length })}
            </p>
          )}
          <FirstFile step={steps[0] as RecipeStep} files={files} onChange={setFiles} />
          <div class="row">
            <Button
              kind="main"
              icon="play"
              type="submit"
              disabled={file === undefined || isRunning || missing.length > 0}
            >
              {t('recipes.run')}
            </Button>
            {isRunning && (
              <Button icon="close" onClick={() => run?.stop()}>
                {t('tools.cancel')}
              </Button>
            )}
          </div>
          {failedAt >= 0 && (
            <p class="form-error" role="alert">
              {t('recipes.stoppedAt', {
                step: failedAt + 1,
                tool: titles?.get(steps[failedAt]?.tool ?? '') ?? steps[failedAt]?.tool ?? '',
              })}
            </p>
          )}
        </form>
        <div class="tool-side">
          {last?.phase === 'done' ? (
            <section aria-labelledby="recipe-result">
              <h2 id="recipe-result">{t('tools.result')}</h2>
              <RunResult runId={last.answer.usage.runId} data={last.answer} />
            </section>
          ) : (
            <section class="tool-empty weak">
              <p>{t('recipes.resultHere')}</p>
            </section>
          )}
        </div>
      </div>
      {isDeleting && (
        <Confirm title={t('recipes.delete')} onConfirm={remove} onClose={() => setDeleting(false)}>
          <p>{t('recipes.deleteText')}</p>
        </Confirm>
      )}
    </>
  )
}

/** The state of a step's run, with a link to the run or the reason of its failure. */
function StepLine({ state }: { state: StepState | undefined }) {
  if (state === undefined) return null
  return (
    <>
      <RunState state={STATES[state.phase]} progress={state.phase === 'job' ? state.job.progress : 0} />
      {state.phase === 'done' && <a href={href('/runs/:id', { id: state.answer.usage.runId })}>{t('batch.show')}</a>}
      {state.phase === 'failed' && (
        <bdi class="field-error" dir="auto">
          {state.error.code === 'NO_FILE' ? t('recipes.noFile') : failureText(state.error)}
        </bdi>
      )}
    </>
  )
}

type FirstFileProps = { step: RecipeStep; files: ChosenFile[]; onChange: (files: ChosenFile[]) => void }

function FirstFile({ step, files, onChange }: FirstFileProps) {
  const process = useResource(() => loadProcess(step.tool), [step.tool, language.value])
  const { data, error, reload } = process
  if (error.value instanceof ApiError && data.value === undefined)
    // a tool that this person may not run is named in the list of steps
    return error.value.status === 404 ? null : <Failure error={error.value} onRetry={reload} />
  const name = data.value && mainField(data.value)
  const input = name === undefined ? undefined : data.value?.inputs[name]
  if (name === undefined || input === undefined) return null
  return (
    <div class="process-form">
      <FileField
        name={name}
        input={{ ...input, maxOccurs: 1 }}
        isBatch={false}
        files={files}
        fault={undefined}
        onChange={onChange}
      />
    </div>
  )
}
