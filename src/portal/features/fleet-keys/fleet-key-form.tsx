/** One form for a new fleet key and for the settings of a stored one. */
import { useState } from 'preact/hooks'
import type { ApiError } from '../../api/client.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type Draft, useDraft } from '../../ui/form.ts'
import { ChannelsEditor } from '../sensors/channels-editor.tsx'
import { TagsEditor } from '../sensors/tags-editor.tsx'
import {
  AUTO_CREATE,
  CHANNEL_NAMES,
  type FleetKeyValues,
  faultsOf,
  sentOf,
  type TemplateValues,
  UNKNOWN_CHANNELS,
} from './fleet-key-values.ts'

/** Sensors that a key makes on a day. */
const MOST_MADE = 10_000
const PATTERN_EXAMPLE = '{host}.{measurement}'

type ErrorAt = (field: string) => string | undefined

export function FleetKeyForm(props: {
  /** Of the draft, which survives a reload. */
  name: string
  initial: FleetKeyValues
  isNew?: boolean
  /** A failure of the page's own request. */
  error?: ApiError | undefined
  onSave: (sent: ReturnType<typeof sentOf>, draft: Draft<FleetKeyValues>) => Promise<unknown>
}) {
  const { isNew = false } = props
  const draft = useDraft<FleetKeyValues>(props.name, props.initial)
  const values = draft.values.value
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const faults = faultsOf(values)
  const wrong = Object.keys(faults).length
  const failure = props.error ?? draft.error.value
  const errorAt: ErrorAt = (field) =>
    (isChecked ? faults[field] : undefined) ??
    failure?.faults.find((fault) => fault.field.replace(/^body\./, '') === field)?.message

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setChecked(true)
    if (wrong > 0) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.fleet-key-form [aria-invalid]')?.focus())
      return
    }
    setBusy(true)
    await props.onSave(sentOf(values), draft)
    setBusy(false)
  }

  return (
    <form class="form fleet-key-form" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label={t('fleetKeys.name')}
        help={t('fleetKeys.nameHelp')}
        maxLength={200}
        autoFocus={isNew}
        {...draft.field('name')}
        error={errorAt('name')}
      />
      <div class="stack">
        <TagsEditor
          label={t('fleetKeys.tags')}
          tags={values.tags}
          onChange={(change) => draft.set('tags', change(draft.values.peek().tags))}
          error={errorAt('tags')}
        />
        <p class="field-help">{t('fleetKeys.tagsHelp')}</p>
      </div>
      <fieldset class="option-set">
        <legend>{t('fleetKeys.autoCreate')}</legend>
        {AUTO_CREATE.map((choice) => (
          <label key={choice} class="check">
            <input
              type="radio"
              name="autoCreate"
              checked={values.autoCreate === choice}
              onChange={() => draft.set('autoCreate', choice)}
            />
            <span>
              {t(`fleetKeys.autoCreates.${choice}`)}{' '}
              <span class="weak">{t(`fleetKeys.autoCreateHelp.${choice}`, { count: MOST_MADE })}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {values.autoCreate !== 'off' && (
        <fieldset class="rule-group">
          <legend>{t('fleetKeys.template')}</legend>
          <TemplateFields
            values={values}
            onChange={(change) => {
              for (const [name, value] of Object.entries(change(draft.values.peek())))
                draft.set(name as keyof TemplateValues, value as never)
            }}
            errorAt={errorAt}
          />
        </fieldset>
      )}
      <LineFields draft={draft} errorAt={errorAt} />
      <SelectField
        label={t('fleetKeys.unknownChannels')}
        help={t('fleetKeys.unknownChannelsHelp')}
        value={values.unknownChannels}
        options={UNKNOWN_CHANNELS.map((value) => ({ value, label: t(`fleetKeys.unknownChannelKinds.${value}`) }))}
        onChange={(value) => draft.set('unknownChannels', value)}
        error={errorAt('unknownChannels')}
      />
      {isNew && (
        <TextField
          label={t('keys.expires')}
          help={t('keys.expiresHelp')}
          type="datetime-local"
          dir="ltr"
          {...draft.field('expires')}
          error={errorAt('expiresAt')}
        />
      )}
      <FormFailure error={failure} />
      {isChecked && wrong > 0 && (
        <p class="field-error" role="alert">
          {t('destinations.faults', { count: wrong })}
        </p>
      )}
      <div class="row">
        <Button kind="main" type="submit" isBusy={isBusy}>
          {isNew ? t('fleetKeys.create') : t('frame.save')}
        </Button>
      </div>
    </form>
  )
}

/** What sensors get that are made of new devices. */
export function TemplateFields<Values extends TemplateValues>(props: {
  values: Values
  onChange: (change: (before: Values) => Partial<TemplateValues>) => void
  errorAt: ErrorAt
}) {
  const { values, onChange, errorAt } = props
  return (
    <>
      <TagsEditor
        label={t('fleetKeys.newTags')}
        tags={values.newTags}
        onChange={(change) => onChange(({ newTags }) => ({ newTags: change(newTags) }))}
        error={errorAt('template.tags')}
      />
      <ChannelsEditor
        channels={values.channels}
        onChange={(change) => onChange(({ channels }) => ({ channels: change(channels) }))}
        errorAt={(field) => errorAt(`template.${field}`)}
        help={t('fleetKeys.templateHelp')}
      />
    </>
  )
}

/** How points of line protocol become readings. */
function LineFields({ draft, errorAt }: { draft: Draft<FleetKeyValues>; errorAt: ErrorAt }) {
  const { naming, channelNames } = draft.values.value
  return (
    <fieldset class="rule-group">
      <legend>{t('fleetKeys.lines')}</legend>
      <p class="field-help">{t('fleetKeys.linesText')}</p>
      <fieldset class="option-set">
        <legend>{t('fleetKeys.naming')}</legend>
        {(['tag', 'pattern'] as const).map((choice) => (
          <label key={choice} class="check">
            <input
              type="radio"
              name="naming"
              checked={naming === choice}
              onChange={() => draft.set('naming', choice)}
            />
            <span>{t(`fleetKeys.namings.${choice}`)}</span>
          </label>
        ))}
      </fieldset>
      {naming === 'tag' ? (
        <TextField
          label={t('fleetKeys.sensorTag')}
          help={t('fleetKeys.sensorTagHelp')}
          dir="ltr"
          maxLength={100}
          placeholder="host"
          {...draft.field('sensorTag')}
          error={errorAt('sensorTag')}
        />
      ) : (
        <TextField
          label={t('fleetKeys.sensor')}
          help={t('fleetKeys.sensorHelp', { example: PATTERN_EXAMPLE })}
          dir="ltr"
          maxLength={200}
          placeholder={PATTERN_EXAMPLE}
          {...draft.field('sensor')}
          error={errorAt('sensor')}
        />
      )}
      <SelectField
        label={t('fleetKeys.channelNames')}
        value={channelNames}
        options={CHANNEL_NAMES.map((value) => ({
          value,
          label: t(`fleetKeys.channelNameKinds.${value === 'field' ? 'field' : 'both'}`),
        }))}
        onChange={(value) => draft.set('channelNames', value)}
        error={errorAt('channelNames')}
      />
      <TextField
        label={t('fleetKeys.channelTags')}
        help={t('fleetKeys.channelTagsHelp')}
        dir="ltr"
        placeholder="cpu, interface"
        {...draft.field('channelTags')}
        error={errorAt('channelTags')}
      />
    </fieldset>
  )
}
