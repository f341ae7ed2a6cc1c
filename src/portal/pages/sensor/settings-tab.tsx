/** Settings of a sensor: what it is, its channels, its keys, on and off, and its end. */
import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmByName } from '../../parts/dialog.tsx'
import { Switch, TextField } from '../../parts/field.tsx'
import { failureText, useDraft } from '../../parts/form.ts'
import { notify } from '../../parts/toasts.tsx'
import { navigate } from '../../router.ts'
import { may } from '../../session.ts'
import { t } from '../../text/text.ts'
import { useChanges } from './changes.tsx'
import { ChannelsForm } from './channels.tsx'
import { SensorKeys } from './keys.tsx'
import type { SettingsProps, Versioned } from './sensor-data.ts'

export function SettingsTab({ version, onChange }: SettingsProps) {
  return (
    <div class="settings">
      <Switches version={version} onChange={onChange} />
      <ChannelsForm version={version} onChange={onChange} />
      <SensorKeys sensor={version.sensor} />
      <About version={version} onChange={onChange} />
      <End version={version} />
    </div>
  )
}

function Switches({ version, onChange }: SettingsProps) {
  const { sensor } = version
  const changes = useChanges(version, onChange)
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
      {may.value.operate ? (
        <>
          <Switch
            label={t('sensor.hold')}
            isOn={sensor.held}
            onChange={(held) => void changes.save({ held, ...(held && reason !== '' && { heldReason: reason }) })}
          />
          <p class="weak">{t('sensor.holdText')}</p>
          <TextField label={t('sensor.holdReason')} value={reason} maxLength={500} onInput={setReason} isOptional />
        </>
      ) : (
        sensor.held && (
          <p>
            {t('sensor.isHeld')} <bdi>{sensor.heldReason}</bdi>
          </p>
        )
      )}
      {changes.question}
    </section>
  )
}

function About({ version, onChange }: SettingsProps) {
  const { sensor } = version
  const draft = useDraft(`sensor.${sensor.id}`, { assetName: sensor.assetName, tags: sensor.tags.join(', ') })
  const changes = useChanges(version, onChange, draft.clear)
  const { assetName, tags } = draft.values.value
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const list = tags
      .split(/[,،]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
    const saved = await changes.save({ assetName: assetName.trim(), tags: [...new Set(list)] })
    if (saved !== undefined) draft.clear()
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
          label={t('sensor.tags')}
          help={t('sensor.tagsHelp')}
          value={tags}
          onInput={(value) => draft.set('tags', value)}
          error={errorAt('tags')}
        />
        <div>
          <Button type="submit">{t('frame.save')}</Button>
        </div>
      </form>
      {changes.question}
    </section>
  )
}

function End({ version: { sensor } }: { version: Versioned }) {
  const [isOpen, setOpen] = useState(false)
  async function remove(): Promise<void> {
    try {
      await api.DELETE('/manage/v1/sensors/{id}', { params: { path: { id: sensor.id } } })
      notify(t('sensor.deleted', { name: sensor.name }))
      navigate('/sensors', { replace: true })
    } catch (failure) {
      notify(failureText(failure as Parameters<typeof failureText>[0]), { isError: true })
    }
  }
  return (
    <section class="settings-part">
      <h2>{t('sensor.delete')}</h2>
      <p class="weak">{t('sensor.deleteText')}</p>
      <Button kind="danger" icon="remove" onClick={() => setOpen(true)}>
        {t('sensor.delete')}
      </Button>
      {isOpen && (
        <ConfirmByName
          title={t('sensor.delete')}
          warning={t('sensor.deleteText')}
          name={sensor.name}
          action={t('sensor.delete')}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  )
}
