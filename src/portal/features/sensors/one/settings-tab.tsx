/** Settings of a sensor: its name and asset, channels, keys, on and off, and deletion. */

import { useState } from 'preact/hooks'
import { api } from '../../../api/client.ts'
import { navigate } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { DeletePart } from '../../../ui/delete-part.tsx'
import { Switch, TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { externalIdFault } from '../external-id.ts'
import { TagsEditor } from '../tags-editor.tsx'
import { useSensorChanges } from './changes.ts'
import { ChannelsForm } from './channels.tsx'
import { DeleteReadings } from './delete-readings.tsx'
import { SensorKeys } from './keys.tsx'
import type { SensorVersion, SettingsProps } from './sensor-data.ts'

export function SettingsTab({ version, onChange }: SettingsProps) {
  return (
    <div class="settings">
      <Switches version={version} onChange={onChange} />
      <ChannelsForm version={version} onChange={onChange} />
      <SensorKeys sensor={version.record} />
      <About version={version} onChange={onChange} />
      <DeleteReadings sensor={version.record} />
      <End version={version} />
    </div>
  )
}

function Switches({ version, onChange }: SettingsProps) {
  const { record: sensor } = version
  const changes = useSensorChanges(version, onChange)
  const [reason, setReason] = useState(sensor.heldReason ?? '')
  return (
    <section class="settings-part">
      <h2>{t('sensor.sending')}</h2>
      <Switch
        label={t('sensor.switchedOn')}
        isOn={sensor.enabled}
        onChange={(enabled) => void changes.save({ enabled })}
      />
      <p class="weak">{t('sensor.switchedOnText')}</p>
      {may.value.operate && (
        <>
          <TextField label={t('sensor.holdReason')} value={reason} maxLength={500} onInput={setReason} />
          {sensor.held && reason.trim() !== (sensor.heldReason ?? '') && (
            <div>
              <Button onClick={() => changes.save({ heldReason: reason.trim() })}>{t('sensor.saveReason')}</Button>
            </div>
          )}
          <Switch
            label={t('sensor.hold')}
            isOn={sensor.held}
            onChange={(held) => void changes.save({ held, ...(held && { heldReason: reason.trim() }) })}
          />
          <p class="weak">{t('sensor.holdText')}</p>
        </>
      )}
      {changes.question}
    </section>
  )
}

function About({ version, onChange }: SettingsProps) {
  const { record: sensor } = version
  // null: nothing was typed, so the stored value is shown, also after somebody else changed it
  const draft = useDraft<{ externalId: string | null; assetName: string | null; tags: string[] | null }>(
    `about.${sensor.id}`,
    {
      externalId: null,
      assetName: null,
      tags: null,
    },
  )
  const changes = useSensorChanges(version, onChange, draft.clear)
  const assetName = draft.values.value.assetName ?? sensor.assetName
  const externalId = draft.values.value.externalId ?? sensor.externalId ?? ''
  const tags = draft.values.value.tags ?? sensor.tags
  const externalIdError = externalIdFault(externalId)
  const isChanged =
    externalId !== (sensor.externalId ?? '') ||
    assetName !== sensor.assetName ||
    tags.join('\n') !== sensor.tags.join('\n')
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (externalIdError !== undefined) return
    if (
      (await changes.save({ externalId: externalId.trim() || null, assetName: assetName.trim(), tags })) !== undefined
    )
      draft.clear()
  }
  const errorAt = (field: string): string | undefined =>
    changes.error?.faults.find((fault) => fault.field.startsWith(`body.${field}`))?.message
  return (
    <section class="settings-part">
      <h2>{t('sensor.about')}</h2>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <TextField
          label={t('sensor.asset')}
          help={t('sensor.assetHelp')}
          value={assetName}
          maxLength={200}
          onInput={(value) => draft.set('assetName', value)}
          error={errorAt('assetName')}
        />
        <TextField
          label={t('sensor.fields.externalId')}
          help={t('sensor.externalIdHelp')}
          value={externalId}
          maxLength={200}
          onInput={(value) => draft.set('externalId', value)}
          error={externalIdError ?? errorAt('externalId')}
        />
        <TagsEditor
          label={t('sensor.tags')}
          tags={tags}
          onChange={(change) => draft.set('tags', change(draft.values.peek().tags ?? sensor.tags))}
          error={errorAt('tags')}
        />
        <div class="row">
          <Button type="submit" disabled={!isChanged}>
            {t('frame.save')}
          </Button>
          {isChanged && <Button onClick={draft.clear}>{t('sensor.discard')}</Button>}
        </div>
      </form>
      {changes.question}
    </section>
  )
}

const End = ({ version: { record: sensor } }: { version: SensorVersion }) => (
  <DeletePart
    title={t('sensor.delete')}
    text={t('sensor.deleteText')}
    name={sensor.name}
    done={t('sensor.deleted', { name: sensor.name })}
    onDelete={() => api.DELETE('/manage/v1/sensors/{id}', { params: { path: { id: sensor.id } } })}
    onDone={() => navigate('/sensors', { replace: true })}
  />
)
