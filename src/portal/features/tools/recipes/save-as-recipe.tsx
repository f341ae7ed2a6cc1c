/** Saves the tools that made a result as a recipe, which runs again on another file. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { navigate } from '../../../shell/router.ts'
import { enterpriseId, may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { FormFailure } from '../../../ui/failure-text.tsx'
import { Switch, TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { Loaded } from '../../../ui/states.tsx'
import type { RunDetail } from '../result-view/run-data.ts'
import { stepsBefore } from './recipe.ts'
import { StepNames } from './step-names.tsx'

export function SaveAsRecipe({ run }: { run: RunDetail }) {
  const [isOpen, setOpen] = useState(false)
  const isOfFile = run.inputs.length > 0
  if (enterpriseId.value === undefined || !isOfFile || run.status !== 'successful') return null
  return (
    <>
      <Button icon="queue" onClick={() => setOpen(true)}>
        {t('recipes.save')}
      </Button>
      {isOpen && <RecipeDialog run={run} onClose={() => setOpen(false)} />}
    </>
  )
}

function RecipeDialog({ run, onClose }: { run: RunDetail; onClose: () => void }) {
  const form = useDraft(`recipe.${run.runId ?? ''}`, { name: '', shared: false })
  const found = useResource(() => stepsBefore(run), [run.runId])
  const { name, shared } = form.values.value
  const { steps = [], unknown } = found.data.value ?? {}
  const isUsable = steps.length > 0 && unknown === undefined
  const isExpiring = steps.some(({ files }) => files !== undefined)

  async function save(): Promise<void> {
    if (!isUsable || name.trim() === '') return
    const made = await form.submit((values, key) =>
      dataOf(
        api.POST('/enterprise/v1/gis/recipes', {
          body: {
            name: values.name.trim(),
            document: { version: 1, steps },
            ...(may.peek().administer && { shared: values.shared }),
          },
          headers: { 'idempotency-key': key },
        }),
      ),
    )
    if (made !== undefined) navigate(`/recipes/${encodeURIComponent(made.id)}`)
  }
  return (
    <FormDialog title={t('recipes.save')} onSubmit={save} onClose={onClose}>
      <div class="stack">
        <TextField
          label={t('recipes.name')}
          value={name}
          maxLength={200}
          autoFocus
          error={form.errorAt('name')}
          onInput={(text) => form.set('name', text)}
        />
        <Loaded resource={found} lines={3}>
          {({ unknown: tool }) =>
            tool === undefined ? (
              <StepNames steps={steps} />
            ) : (
              <p class="form-error" role="alert">
                {t('recipes.notRecorded', { tool })}
              </p>
            )
          }
        </Loaded>
        {isExpiring && <p class="weak">{t('recipes.sameFiles')}</p>}
        {may.value.administer && (
          <Switch label={t('recipes.shared')} isOn={shared} onChange={(isOn) => form.set('shared', isOn)} />
        )}
        <FormFailure error={form.error.value} />
      </div>
    </FormDialog>
  )
}
