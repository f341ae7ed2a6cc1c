/** Settings of a Tool API: on and off, the saved part of the call, and deletion. */

import { computed, signal } from '@preact/signals'
import { useMemo, useState } from 'preact/hooks'
import { api as client } from '../../../api/client.ts'
import { navigate } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { DeletePart } from '../../../ui/delete-part.tsx'
import { Switch, TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { focusFirstFault } from '../../tools/process-form/process-form.tsx'
import { initialValues } from '../../tools/process-form/values.ts'
import { useToolApiChanges } from './changes.ts'
import { missingIn, SavedForm, type SavedValues, savedOf } from './saved-form.tsx'
import type { Binding, Rule, ToolApi, ToolApiVersion } from './tool-api-data.ts'
import type { ToolWithProcess } from './use-process.ts'

type Props = { version: ToolApiVersion; onChange: (next: ToolApiVersion) => void }

export function SettingsTab({ known, ...props }: Props & { known: ToolWithProcess | undefined }) {
  return (
    <div class="settings">
      <Switches {...props} />
      {known === undefined ? (
        <p>{t('toolApis.toolGone')}</p>
      ) : (
        <Saved key={savedText(props.version.record)} {...props} known={known} />
      )}
      <End api={props.version.record} />
    </div>
  )
}

function Switches({ version, onChange }: Props) {
  const { record: api } = version
  const changes = useToolApiChanges(version, onChange)
  const [reason, setReason] = useState(api.heldReason ?? '')
  return (
    <section class="settings-part">
      <h2>{t('toolApis.answering')}</h2>
      <Switch
        label={t('toolApis.switchedOn')}
        isOn={api.enabled}
        onChange={(enabled) => void changes.save({ enabled })}
      />
      <p class="weak">{t('toolApis.switchedOnText')}</p>
      {may.value.operate && (
        <>
          <Switch
            label={t('toolApis.hold')}
            isOn={api.held}
            onChange={(held) => void changes.save({ held, ...(held && reason !== '' && { heldReason: reason }) })}
          />
          <p class="weak">{t('toolApis.holdText')}</p>
          <TextField label={t('toolApis.holdReason')} value={reason} maxLength={500} onInput={setReason} />
        </>
      )}
      {changes.question}
    </section>
  )
}

/** The fields of the form. Switching the Tool API on or off meanwhile does not discard typed values. */
const savedText = ({ settings, binding, rule, referenceFields }: ToolApi): string =>
  JSON.stringify([settings, binding, rule, referenceFields])

function Saved({ version, onChange, known }: Props & { known: ToolWithProcess }) {
  const { record: api } = version
  const { tool, process } = known
  const rule = api.rule as Rule | null
  const draft = useDraft<SavedValues>(`tool-api.${api.id}.${savedText(api)}`, {
    settings: initialValues(process, api.settings),
    binding: (api.binding ?? undefined) as Binding | undefined,
    ruleKind: rule?.kind ?? 'inside',
    percent: String(rule?.percent ?? 50),
    fields: api.referenceFields ?? undefined,
  })
  const settings = useMemo(() => computed(() => draft.values.value.settings), [draft])
  const [isChecked, setChecked] = useState(false)
  const changes = useToolApiChanges(version, onChange, draft.clear)
  const values = draft.values.value
  const missing = missingIn(tool, process, values)
  const faults = changes.error?.faults ?? []

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setChecked(true)
    if (missing !== undefined) {
      focusFirstFault()
      return
    }
    const saved = await changes.save(savedOf(tool, process, values))
    if (saved !== undefined) draft.clear()
  }
  return (
    <section class="settings-part settings-wide">
      <h2>{t('toolApis.whatItDoes')}</h2>
      <p class="weak">{t('toolApis.nextCall')}</p>
      <form class="form" onSubmit={(event) => void submit(event)} noValidate>
        <SavedForm
          tool={tool}
          process={process}
          values={values}
          settings={settings}
          isChecked={isChecked}
          ownerId={api.ownerId}
          draft={{
            error: signal(changes.error),
            errorAt: (field) => faults.find((fault) => fault.field.replace(/^body\./, '') === field)?.message,
          }}
          set={(name, value) => draft.set(name, value)}
        />
        {isChecked && missing !== undefined && (
          <p class="form-error" role="alert">
            {missing}
          </p>
        )}
        <div>
          <Button type="submit" kind="main">
            {t('frame.save')}
          </Button>
        </div>
      </form>
      {changes.question}
    </section>
  )
}

const End = ({ api }: { api: ToolApi }) => (
  <DeletePart
    title={t('toolApis.delete')}
    text={t('toolApis.deleteText')}
    name={api.name}
    done={t('toolApis.deleted', { name: api.name })}
    onDelete={() => client.DELETE('/manage/v1/tool-apis/{id}', { params: { path: { id: api.id } } })}
    onDone={() => navigate('/tool-apis', { replace: true })}
  />
)
