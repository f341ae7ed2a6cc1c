/** The settings of one step of a recipe. */
import { signal } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { t } from '../../../text/text.ts'
import { FormDialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { loadProcess } from '../data/catalogue.ts'
import type { ProcessDescription } from '../process-form/process.ts'
import { focusFirstFault, ProcessForm } from '../process-form/process-form.tsx'
import { type FormValues, faultsIn, initialValues, inputOf } from '../process-form/values.ts'
import type { RecipeStep } from './recipe.ts'

type Props = {
  step: RecipeStep
  title: string
  /** @returns whether they were saved; otherwise the dialog stays */
  onSave: (settings: RecipeStep['settings']) => Promise<boolean>
  onClose: () => void
}

export function StepSettings(props: Props) {
  const { tool } = props.step
  const process = useResource(() => loadProcess(tool), [tool, language.value])
  return (
    <Loaded resource={process} lines={3}>
      {(loaded) => <SettingsDialog {...props} process={loaded} />}
    </Loaded>
  )
}

function SettingsDialog({ step, title, process, onSave, onClose }: Props & { process: ProcessDescription }) {
  const values = useMemo(() => signal<FormValues>(initialValues(process, step.settings)), [process])
  const [isChecked, setChecked] = useState(false)
  async function save(): Promise<void> {
    const content = { process, values: values.peek() }
    if (faultsIn(content).size > 0) {
      setChecked(true)
      focusFirstFault()
    } else if (await onSave(inputOf(content))) onClose()
  }
  return (
    <FormDialog title={title} action={t('recipes.saveSettings')} onSubmit={save} onClose={onClose}>
      <ProcessForm process={process} values={values} isChecked={isChecked} />
    </FormDialog>
  )
}
