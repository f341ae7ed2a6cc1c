/** Channels of a sensor, edited where they stand. A channel that is taken away keeps its stored values. */
import { useEffect } from 'preact/hooks'
import { Button, IconButton } from '../../parts/button.tsx'
import { useDraft } from '../../parts/form.ts'
import { queryValue, setQuery } from '../../router.ts'
import { t } from '../../text/text.ts'
import { useChanges } from './changes.tsx'
import type { SensorRecord, SettingsProps } from './sensor-data.ts'

const MEASUREMENTS = ['number', 'whole', 'boolean'] as const
type Row = { name: string; measurement: (typeof MEASUREMENTS)[number]; unit: string }

const rowsOf = (sensor: SensorRecord): Row[] =>
  sensor.channels
    .filter(({ active }) => active)
    .map(({ name, measurement, unit }) => ({ name, measurement, unit: unit ?? '' }))

export function ChannelsForm({ version, onChange }: SettingsProps) {
  const { sensor } = version
  const stored = rowsOf(sensor)
  const draft = useDraft<{ rows: Row[] | null }>(`channels.${sensor.id}`, { rows: null })
  const changes = useChanges(version, onChange, draft.clear)
  const rows = draft.values.value.rows ?? stored
  const isChanged = JSON.stringify(rows) !== JSON.stringify(stored)
  const earlier = sensor.channels.filter(({ active, name }) => !active && rows.every((row) => row.name !== name))
  const set = (next: Row[]): void => draft.set('rows', next)
  const change = (i: number, part: Partial<Row>): void =>
    set(rows.map((row, at) => (at === i ? { ...row, ...part } : row)))

  // from the list of what was refused: the channel that a device sends
  const wanted = queryValue('add')
  useEffect(() => {
    if (wanted === undefined) return
    setQuery({ add: undefined })
    if (rows.every(({ name }) => name !== wanted)) set([...rows, { name: wanted, measurement: 'number', unit: '' }])
  }, [wanted])

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const channels = rows.map(({ name, measurement, unit }) => ({
      name: name.trim(),
      measurement,
      ...(unit.trim() !== '' && { unit: unit.trim() }),
    }))
    if ((await changes.save({ channels })) !== undefined) draft.clear()
  }
  const errorAt = (i: number): string | undefined =>
    changes.error?.faults.find(({ field }) => field.startsWith(`body.channels.${i}.`) || field === `body.channels.${i}`)
      ?.message
  const general = changes.error?.faults.find(({ field }) => field === 'body.channels')?.message

  return (
    <section class="settings-part settings-wide">
      <h2>{t('sensor.channels')}</h2>
      <form onSubmit={(event) => void submit(event)}>
        <div class="plain-table">
          <table class="channels">
            <thead>
              <tr>
                <th scope="col">{t('sensor.name')}</th>
                <th scope="col">{t('sensor.measurement')}</th>
                <th scope="col">{t('sensor.unit')}</th>
                <th scope="col">
                  <span class="visually-hidden">{t('sensor.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, i) => (
                <tr key={i} class={errorAt(i) === undefined ? undefined : 'field-wrong'}>
                  <td>
                    <input
                      dir="auto"
                      aria-label={`${t('sensor.name')} ${i + 1}`}
                      aria-invalid={errorAt(i) !== undefined}
                      maxLength={200}
                      required
                      value={row.name}
                      onInput={(event) => change(i, { name: event.currentTarget.value })}
                    />
                    {errorAt(i) !== undefined && (
                      <div class="field-error" role="alert">
                        {errorAt(i)}
                      </div>
                    )}
                  </td>
                  <td>
                    <select
                      aria-label={`${t('sensor.measurement')} ${i + 1}`}
                      value={row.measurement}
                      onChange={(event) => change(i, { measurement: event.currentTarget.value as Row['measurement'] })}
                    >
                      {MEASUREMENTS.map((value) => (
                        <option key={value} value={value}>
                          {t(`sensor.measurements.${value}`)}
                        </option>
                      ))}
                    </select>
                  </td>
                  <td>
                    <input
                      dir="auto"
                      aria-label={`${t('sensor.unit')} ${i + 1}`}
                      maxLength={50}
                      value={row.unit}
                      disabled={row.measurement === 'boolean'}
                      onInput={(event) => change(i, { unit: event.currentTarget.value })}
                    />
                  </td>
                  <td>
                    <IconButton
                      icon="remove"
                      label={t('sensor.deactivate', { channel: row.name })}
                      onClick={() => set(rows.filter((_, at) => at !== i))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {general !== undefined && (
          <p class="field-error" role="alert">
            {general}
          </p>
        )}
        <div class="row settings-actions">
          <Button icon="add" onClick={() => set([...rows, { name: '', measurement: 'number', unit: '' }])}>
            {t('sensor.addChannel')}
          </Button>
          <Button kind="main" type="submit" disabled={!isChanged}>
            {t('sensor.saveChannels')}
          </Button>
          {isChanged && <Button onClick={draft.clear}>{t('sensor.discard')}</Button>}
        </div>
      </form>
      {earlier.length > 0 && (
        <div class="row">
          <span class="weak">{t('sensor.earlierChannels')}</span>
          {earlier.map(({ name, measurement, unit, number }) => (
            <Button
              key={number}
              kind="quiet"
              icon="undo"
              onClick={() => set([...rows, { name, measurement, unit: unit ?? '' }])}
            >
              <bdi>{name}</bdi>
            </Button>
          ))}
        </div>
      )}
      <p class="weak">{t('sensor.channelsText')}</p>
      {changes.question}
    </section>
  )
}
