/** The fields of rules about silence, change and zones. */
import { href } from '../../../shell/router.ts'
import { t } from '../../../text/text.ts'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { WHENS } from '../rule-data.ts'
import { ChannelField } from './channel-field.tsx'
import { DurationField } from './duration-field.tsx'
import type { FormPart } from './form-part.ts'

export function SilencePart({ values, set, errorAt, leave, known }: FormPart) {
  return (
    <>
      <ChannelField
        channels={known.channels}
        value={values.silentChannel}
        none={t('rules.anyChannel')}
        onChange={(channel) => set('silentChannel', channel)}
        error={errorAt('channel')}
      />
      <DurationField
        label={t('rules.silentFor')}
        help={t('rules.silentHelp')}
        value={values.silentFor}
        onInput={(silentFor) => set('silentFor', silentFor)}
        onLeave={() => leave('forSeconds')}
        error={errorAt('forSeconds')}
      />
    </>
  )
}

export function ChangePart({ values, set, errorAt, leave, known }: FormPart) {
  const unit = known.unitOf(values.channel)
  return (
    <>
      <ChannelField
        channels={known.channels}
        value={values.channel}
        none={t('rules.chooseChannel')}
        onChange={(channel) => set('channel', channel)}
        error={errorAt('channel')}
      />
      <SelectField
        label={t('rules.direction')}
        value={values.direction}
        options={(['up', 'down', 'both'] as const).map((value) => ({ value, label: t(`rules.directions.${value}`) }))}
        onChange={(direction) => set('direction', direction)}
        error={errorAt('direction')}
      />
      <TextField
        label={unit === null ? t('rules.by') : t('rules.byIn', { unit })}
        dir="ltr"
        value={values.by}
        onInput={(by) => set('by', by)}
        onLeave={() => leave('by')}
        error={errorAt('by')}
      />
      <DurationField
        label={t('rules.changeWithin')}
        help={t('rules.changeHelp')}
        value={values.changeWithin}
        onInput={(within) => set('changeWithin', within)}
        onLeave={() => leave('withinSeconds')}
        error={errorAt('withinSeconds')}
      />
    </>
  )
}

export function ZonePart(part: FormPart) {
  const { values, set, errorAt, leave, known } = part
  return (
    <>
      <SelectField
        label={t('rules.when')}
        value={values.when}
        options={WHENS.map((value) => ({ value, label: t(`rules.whens.${value}`) }))}
        onChange={(when) => set('when', when)}
        error={errorAt('when')}
      />
      <SelectField
        label={t('rules.zone')}
        value={values.layerId}
        options={[
          { value: '', label: t('rules.chooseZone') },
          ...known.layers.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(layerId) => set('layerId', layerId)}
        error={errorAt('layerId')}
        help={<a href={href('/zones/new')}>{t('rules.drawZone')}</a>}
      />
      {values.when === 'dwell' && (
        <DurationField
          label={t('rules.dwell')}
          help={t('rules.changeHelp')}
          value={values.dwell}
          onInput={(dwell) => set('dwell', dwell)}
          onLeave={() => leave('dwellSeconds')}
          error={errorAt('dwellSeconds')}
        />
      )}
    </>
  )
}

export type EdgeValues = { minReadings: string; minSpan: string; bufferM: string }

/** When a sensor has changed its side: also in the form of a zone on the map. */
export function EdgeFields(props: {
  values: EdgeValues
  onInput: (name: keyof EdgeValues, value: string) => void
  errorAt: (field: string) => string | undefined
  leave: (field: string) => void
  bufferHelp?: string
}) {
  const { values, onInput, errorAt, leave } = props
  return (
    <>
      <TextField
        label={t('rules.minReadings')}
        help={t('rules.minReadingsHelp')}
        inputMode="numeric"
        dir="ltr"
        value={values.minReadings}
        onInput={(value) => onInput('minReadings', value)}
        onLeave={() => leave('minReadings')}
        error={errorAt('minReadings')}
      />
      <DurationField
        label={t('rules.minSpan')}
        value={values.minSpan}
        onInput={(value) => onInput('minSpan', value)}
        onLeave={() => leave('minSeconds')}
        error={errorAt('minSeconds')}
      />
      <TextField
        label={t('rules.bufferM')}
        help={props.bufferHelp ?? t('rules.bufferHelp')}
        inputMode="numeric"
        dir="ltr"
        value={values.bufferM}
        onInput={(value) => onInput('bufferM', value)}
        onLeave={() => leave('bufferM')}
        error={errorAt('bufferM')}
      />
    </>
  )
}
