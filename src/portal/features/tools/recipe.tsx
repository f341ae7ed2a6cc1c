/** One recipe: its steps, a file to run it on, and the run of each step. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { deleteRecord, loadRecord, type Versioned } from '../../api/record.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { language } from '../../shell/preferences.ts'
import { href, navigate } from '../../shell/router.ts'
import { may, ownerId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { failureText } from '../../ui/form.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useRecordChanges } from '../../ui/table/record-changes.tsx'
import { loadProcess } from './data/catalogue.ts'
import { FileField } from './process-form/file-field.tsx'
import type { ChosenFile } from './process-form/values.ts'
import {
  currentRecipeRun,
  forgetRecipeRun,
  mainField,
  type Recipe,
  type RecipeStep,
  reopenRecipeRun,
  runRecipe,
  type StepState,
  stepsOf,
} from './recipes/recipe.ts'
import { StepNames, useTitles } from './recipes/step-names.tsx'
import { StepSettings } from './recipes/step-settings.tsx'
import { RunResult } from './result-view/run-result.tsx'
import { RunState } from './run-state.tsx'

const pathOf = (id: string): string => `/enterprise/v1/gis/recipes/${encodeURIComponent(id)}`

export function RecipePage({ parameters: { id = '' } }: PageProps) {
  const recipe = useResource((signal) => loadRecord<Recipe>(pathOf(id), signal), [id, ownerId.value])
  return (
    <Loaded resource={recipe} record={{ kind: 'recipe' }}>
      {(version) => (
        <OpenRecipe
          key={id}
          version={version}
          onChange={(next) => {
            recipe.data.value = next
          }}
        />
      )}
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

type Change = Partial<Pick<Recipe, 'name' | 'document'>>
type OpenProps = { version: Versioned<Recipe>; onChange: (next: Versioned<Recipe>) => void }

function OpenRecipe({ version, onChange }: OpenProps) {
  const { record: recipe } = version
  const { id } = recipe
  const steps = useMemo(() => stepsOf(recipe), [recipe])
  const titles = useTitles()
  const [files, setFiles] = useState<ChosenFile[]>([])
  const [isDeleting, setDeleting] = useState(false)
  const [edited, setEdited] = useState<number | undefined>(undefined)
  const [file] = files
  useEffect(() => reopenRecipeRun(recipe), [id])
  const run = currentRecipeRun(id)
  const states = run?.states.value
  const isRunning = run?.isRunning.value === true
  const mayContinue = run !== undefined && !isRunning && run.mayContinue()
  const missing = titles === undefined ? [] : steps.filter(({ tool }) => !titles.has(tool))
  const mayChange = !recipe.shared || may.value.administer
  const titleOf = (at: number): string => titles?.get(steps[at]?.tool ?? '') ?? steps[at]?.tool ?? ''
  const failedAt = states?.findIndex(({ phase }) => phase === 'failed' || phase === 'cancelled') ?? -1
  const next = states?.findIndex(({ phase }) => phase !== 'done') ?? -1
  const last = states?.at(-1)
  const changes = useRecordChanges<Recipe, Change>({
    path: pathOf(id),
    version,
    onChange,
    // what ran is no run of the changed steps
    onSaved: ({ document }) => document && forgetRecipeRun(id),
    labelOf: (field) => t(field === 'name' ? 'recipes.name' : 'recipes.steps'),
    textOf: (field, of) => (field === 'name' ? (of.name ?? '') : JSON.stringify(of.document?.steps ?? [])),
  })
  async function saveSettings(at: number, settings: RecipeStep['settings']): Promise<boolean> {
    const changed = steps.with(at, { ...(steps[at] as RecipeStep), settings })
    return (await changes.save({ document: { version: 1, steps: changed } })) !== undefined
  }

  async function remove(): Promise<void> {
    await attempt(async () => {
      await deleteRecord(pathOf(id), version.etag)
      forgetRecipeRun(id)
      navigate('/recipes')
    })
  }
  return (
    <>
      <PageHead
        title={recipe.name}
        isName
        parent={{ href: href('/recipes'), label: t('recipes.title') }}
        heading={
          mayChange ? (
            <EditableName
              value={recipe.name}
              label={t('recipes.name')}
              action={t('recipes.rename')}
              onSave={async (name) => (await changes.save({ name })) !== undefined}
              error={changes.error?.faults.find(({ field }) => field === 'body.name')?.message}
            />
          ) : undefined
        }
      >
        {mayChange && (
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
            if (file !== undefined && !isRunning && missing.length === 0) runRecipe(recipe, file)
          }}
        >
          <StepNames
            steps={steps}
            beside={(at) => (
              <>
                {mayChange && titles?.has(steps[at]?.tool ?? '') && !isRunning && (
                  <IconButton
                    icon="edit"
                    label={t('recipes.changeSettings', { step: at + 1, tool: titleOf(at) })}
                    onClick={() => setEdited(at)}
                  />
                )}
                <StepLine state={states?.[at]} />
              </>
            )}
          />
          {missing.length > 0 && (
            <p class="form-error" role="alert">
              {t('recipes.cannotRun', { count: missing.length })}
            </p>
          )}
          {mayContinue && (
            <div class="row" role="status">
              <p>{t('recipes.interrupted', { file: run.file, step: next + 1, tool: titleOf(next) })}</p>
              <Button kind="main" icon="play" disabled={missing.length > 0} onClick={run.continue}>
                {t('recipes.continue')}
              </Button>
            </div>
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
                tool: titleOf(failedAt),
              })}
            </p>
          )}
        </form>
        <div class="tool-side">
          {last?.phase === 'done' ? (
            <section aria-labelledby="recipe-result">
              <h2 id="recipe-result">{t('tools.result')}</h2>
              <RunResult runId={last.answer.usage.runId} />
            </section>
          ) : (
            <section class="tool-empty weak">
              <p>{t('recipes.resultHere')}</p>
            </section>
          )}
        </div>
      </div>
      {changes.question}
      {edited !== undefined && (
        <StepSettings
          step={steps[edited] as RecipeStep}
          title={t('recipes.changeSettings', { step: edited + 1, tool: titleOf(edited) })}
          onSave={(settings) => saveSettings(edited, settings)}
          onClose={() => setEdited(undefined)}
        />
      )}
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
