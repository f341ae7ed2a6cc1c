/** Channels of a sensor, edited in place. A removed channel keeps its stored values. */
import { useEffect } from 'preact/hooks'
import { queryValue, setQuery } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { useDraft } from '../../../ui/form.ts'
import { type ChannelDraft, ChannelsEditor, channelBodies, channelFaults, emptyChannel } from '../channels-editor.tsx'
import { useSensorChanges } from './changes.ts'
import type { SensorRecord, SettingsProps } from './sensor-data.ts'

const draftsOf = (sensor: SensorRecord): ChannelDraft[] =>
  sensor.channels
    .filter(({ active }) => active)
    .map(({ name, measurement, unit }) => ({ name, measurement, unit: unit ?? '' }))

export function ChannelsForm({ version, onChange }: SettingsProps) {
  const { record: sensor } = version
  const stored = draftsOf(sensor)
  const draft = useDraft<{ rows: ChannelDraft[] | null }>(`channels.${sensor.id}`, { rows: null })
  const changes = useSensorChanges(version, onChange, draft.clear)
  const rows = draft.values.value.rows ?? stored
  const isChanged = JSON.stringify(rows) !== JSON.stringify(stored)
  const earlier = sensor.channels.filter(({ active, name }) => !active && rows.every((row) => row.name !== name))
  const change = (next: (before: readonly ChannelDraft[]) => ChannelDraft[]): void =>
    draft.set('rows', next(draft.values.peek().rows ?? stored))
  const faults = channelFaults(rows)

  // from the list of refusals: the channel that a device sends
  const wanted = queryValue('add')
  useEffect(() => {
    if (wanted === undefined) return
    setQuery({ add: undefined })
    if (rows.every(({ name }) => name !== wanted)) change((before) => [...before, { ...emptyChannel(), name: wanted }])
  }, [wanted])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (Object.keys(faults).length > 0) return
    if ((await changes.save({ channels: channelBodies(rows) })) !== undefined) draft.clear()
  }
  const refusal = (field: string): string | undefined =>
    changes.error?.faults.find((fault) => fault.field === `body.${field}`)?.message
  const general = refusal('channels')

  return (
    <section class="settings-part settings-wide">
      <h2>{t('sensor.channels')}</h2>
      <form onSubmit={(event) => void submit(event)}>
        <ChannelsEditor
          channels={rows}
          onChange={change}
          errorAt={(field) => refusal(field) ?? (isChanged ? faults[field] : undefined)}
          help={t('sensor.channelsText')}
          hasHeading
        />
        {general !== undefined && (
          <p class="field-error" role="alert">
            {general}
          </p>
        )}
        {earlier.length > 0 && (
          <div class="row">
            <span class="weak">{t('sensor.earlierChannels')}</span>
            {earlier.map(({ name, measurement, unit, number }) => (
              <Button
                key={number}
                kind="quiet"
                icon="undo"
                onClick={() => change((before) => [...before, { name, measurement, unit: unit ?? '' }])}
              >
                <bdi>{name}</bdi>
              </Button>
            ))}
          </div>
        )}
        <div class="row settings-actions">
          <Button kind="main" type="submit" disabled={!isChanged || Object.keys(faults).length > 0}>
            {t('sensor.saveChannels')}
          </Button>
          {isChanged && <Button onClick={draft.clear}>{t('sensor.discard')}</Button>}
        </div>
      </form>
      {changes.question}
    </section>
  )
}
