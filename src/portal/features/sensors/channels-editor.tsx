/** The channels of a sensor, edited in place: name, kind and unit. A removed channel can be restored. */
import { useId } from 'preact/hooks'
import { t } from '../../text/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { unitsFor, usualUnit } from '../../ui/chart/units.ts'
import { notify } from '../../ui/toasts.tsx'

export const MEASUREMENTS = ['number', 'whole', 'boolean'] as const
export type Measurement = (typeof MEASUREMENTS)[number]
export type ChannelDraft = { name: string; measurement: Measurement; unit: string }

export const emptyChannel = (): ChannelDraft => ({ name: '', measurement: 'number', unit: '' })

/** Broken rules, by field. The API has the same rules; these are checked before anything is sent. */
export function channelFaults(channels: readonly ChannelDraft[]): Record<string, string> {
  const faults: Record<string, string> = {}
  const seen = new Set<string>()
  for (const [i, { name }] of channels.entries()) {
    const own = name.trim()
    if (own === '') faults[`channels.${i}.name`] = t('sensorForm.channelRule')
    else if (seen.has(own)) faults[`channels.${i}.name`] = t('sensorForm.channelTwice', { name: own })
    seen.add(own)
  }
  return faults
}

/** In the form that the API accepts. */
export const channelBodies = (channels: readonly ChannelDraft[]) =>
  channels.map(({ name, measurement, unit }) => ({
    name: name.trim(),
    measurement,
    ...(measurement !== 'boolean' && unit.trim() !== '' && { unit: unit.trim() }),
  }))

/** @param errorAt message for a field such as `channels.0.name` */
export function ChannelsEditor(props: {
  channels: readonly ChannelDraft[]
  onChange: (change: (before: readonly ChannelDraft[]) => ChannelDraft[]) => void
  errorAt: (field: string) => string | undefined
  onLeave?: () => void
  help?: string
  /** Whether the title is shown above already. */
  hasHeading?: boolean
}) {
  const { channels, onChange, errorAt } = props
  const id = useId()
  const set = (at: number, change: Partial<ChannelDraft>): void =>
    onChange((before) => before.map((one, i) => (i === at ? { ...one, ...change } : one)))

  function remove(at: number): void {
    const removed = channels[at]
    onChange((before) => before.filter((_, i) => i !== at))
    if (removed === undefined || removed.name === '') return
    notify(t('sensorForm.channelRemoved', { name: removed.name }), {
      undo: async () => onChange((before) => before.toSpliced(at, 0, removed)),
    })
  }

  function add(): void {
    onChange((before) => [...before, emptyChannel()])
    const last = `${id}-${channels.length}`
    requestAnimationFrame(() => document.getElementById(`${last}-name`)?.focus())
  }

  return (
    <fieldset class="channels">
      <legend class={props.hasHeading ? 'visually-hidden' : undefined}>{t('sensorForm.channels')}</legend>
      <p class="field-help">{props.help ?? t('sensorForm.channelsHelp')}</p>
      {channels.length > 0 && (
        <div class="channel channel-head" aria-hidden="true">
          <span>{t('sensorForm.channelName')}</span>
          <span>{t('sensorForm.kind')}</span>
          <span>{t('sensorForm.unit')}</span>
        </div>
      )}
      {channels.map((channel, i) => {
        const nameError = errorAt(`channels.${i}.name`) ?? errorAt(`channels.${i}`)
        const unitError = errorAt(`channels.${i}.unit`)
        const error = nameError ?? unitError
        const field = `${id}-${i}`
        const describedBy = (own: string | undefined) =>
          own === undefined ? {} : { 'aria-describedby': `${field}-error`, 'aria-invalid': true }
        return (
          // channels have no identity before they are saved
          <div key={i} class="channel">
            <input
              id={`${field}-name`}
              dir="auto"
              maxLength={200}
              aria-label={t('sensorForm.channelNameOf', { number: i + 1 })}
              placeholder="temperature"
              value={channel.name}
              {...describedBy(nameError)}
              onInput={(event) => set(i, { name: event.currentTarget.value })}
              onBlur={props.onLeave}
            />
            <select
              aria-label={t('sensorForm.kindOf', { number: i + 1 })}
              value={channel.measurement}
              onChange={(event) => set(i, { measurement: event.currentTarget.value as Measurement })}
            >
              {MEASUREMENTS.map((kind) => (
                <option key={kind} value={kind}>
                  {t(`sensorForm.kinds.${kind}`)}
                </option>
              ))}
            </select>
            <input
              dir="ltr"
              maxLength={50}
              list={`${field}-units`}
              aria-label={t('sensorForm.unitOf', { number: i + 1 })}
              placeholder={usualUnit(channel.name) ?? t('sensorForm.unit')}
              disabled={channel.measurement === 'boolean'}
              value={channel.measurement === 'boolean' ? '' : channel.unit}
              {...describedBy(unitError)}
              onInput={(event) => set(i, { unit: event.currentTarget.value })}
            />
            <datalist id={`${field}-units`}>
              {unitsFor(channel.name).map((unit) => (
                <option key={unit} value={unit} />
              ))}
            </datalist>
            <IconButton
              icon="close"
              label={t('sensorForm.removeChannel', { name: channel.name || String(i + 1) })}
              onClick={() => remove(i)}
            />
            {error !== undefined && (
              <div class="field-error" id={`${field}-error`} role="alert">
                {error}
              </div>
            )}
          </div>
        )
      })}
      <div>
        <Button icon="add" onClick={add}>
          {t('sensorForm.addChannel')}
        </Button>
      </div>
    </fieldset>
  )
}
