/** One form for a new destination and for the settings of a stored one. */
import { useState } from 'preact/hooks'
import type { ApiError } from '../../api/client.ts'
import { session } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { Field, SelectField, TextField } from '../../ui/field.tsx'
import { type Draft, useDraft } from '../../ui/form.ts'
import { RulePicker } from '../alerts/name-pickers.tsx'
import { DurationField } from '../rules/form/duration-field.tsx'
import { SEVERITIES } from '../rules/rule-data.ts'
import { TagsEditor } from '../sensors/tags-editor.tsx'
import { FORMATS } from './destination-data.ts'
import { type DestinationValues, faultsOf, PAGERDUTY, type Secrets, sentOf } from './destination-values.ts'
import { EventsPart } from './events-part.tsx'
import { HeadersPart } from './headers-part.tsx'

const LONGEST_URL = 2_000
const LONGEST_KEY = 255

export function DestinationForm(props: {
  /** Of the draft, which survives a reload. */
  name: string
  initial: DestinationValues
  /** Names of the stored headers; undefined for a new destination. */
  headerNames?: readonly string[]
  /** A failure of the page's own request. */
  error?: ApiError | undefined
  onSave: (sent: ReturnType<typeof sentOf>, draft: Draft<DestinationValues>) => Promise<unknown>
}) {
  const { headerNames } = props
  const isNew = headerNames === undefined
  const draft = useDraft<DestinationValues>(props.name, props.initial)
  const values = draft.values.value
  const [secrets, setSecrets] = useState<Secrets>({ headers: isNew ? [] : undefined, routingKey: '' })
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const isMail = values.kind === 'email'
  const isPagerDuty = !isMail && values.format === 'pagerduty'
  const faults = {
    ...faultsOf(values, secrets),
    ...(isNew && isPagerDuty && secrets.routingKey.trim() === '' && { routingKey: t('frame.invalid.missing') }),
  }
  const wrong = Object.keys(faults).length
  const failure = props.error ?? draft.error.value
  const errorAt = (field: string): string | undefined =>
    (isChecked ? (faults as Record<string, string>)[field] : undefined) ??
    failure?.faults.find((fault) => fault.field.replace(/^body\./, '').split(/[.[]/)[0] === field)?.message

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    setChecked(true)
    if (wrong > 0) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.destination-form [aria-invalid]')?.focus())
      return
    }
    setBusy(true)
    await props.onSave(sentOf(values, secrets), draft)
    setBusy(false)
  }

  return (
    <form class="form destination-form" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label={t('destinations.name')}
        placeholder={t('destinations.namePlaceholder')}
        maxLength={200}
        {...draft.field('name')}
        error={errorAt('name')}
      />
      {isNew && (session.value?.mail === true || isMail) && (
        <fieldset class="option-set">
          <legend>{t('destinations.kind')}</legend>
          {(['webhook', 'email'] as const).map((kind) => (
            <label key={kind} class="check">
              <input type="radio" name="kind" checked={values.kind === kind} onChange={() => draft.set('kind', kind)} />
              <span>{t(`destinations.kinds.${kind}`)}</span>
            </label>
          ))}
        </fieldset>
      )}
      {isNew && !isMail && (
        <SelectField
          label={t('destinations.form')}
          help={t(`destinations.formatHelp.${values.format}`)}
          value={values.format}
          options={FORMATS.map((value) => ({ value, label: t(`destinations.formats.${value}`) }))}
          onChange={(format) => {
            draft.set('format', format)
            if (format === 'pagerduty' && values.url.trim() === '') draft.set('url', PAGERDUTY)
            if (format !== 'pagerduty' && values.url === PAGERDUTY) draft.set('url', '')
          }}
          error={errorAt('format')}
        />
      )}
      {isMail ? (
        <MailFields draft={draft} errorAt={errorAt} />
      ) : (
        <TextField
          label={t('destinations.url')}
          help={t('destinations.urlHelp')}
          type="url"
          inputMode="url"
          dir="ltr"
          maxLength={LONGEST_URL}
          placeholder="https://example.org/hook"
          {...draft.field('url')}
          error={errorAt('url')}
        />
      )}
      {isPagerDuty && (
        <TextField
          label={t('destinations.routingKey')}
          help={t(isNew ? 'destinations.routingKeyHelp' : 'destinations.routingKeyKept')}
          autocomplete="off"
          dir="ltr"
          maxLength={LONGEST_KEY}
          value={secrets.routingKey}
          onInput={(routingKey) => setSecrets({ ...secrets, routingKey })}
          error={errorAt('routingKey')}
        />
      )}
      <EventsPart chosen={values.events} onChange={(events) => draft.set('events', events)} error={errorAt('events')} />
      <fieldset class="rule-group">
        <legend>{t('destinations.which')}</legend>
        <p class="field-help">{t('destinations.whichText')}</p>
        <SelectField
          label={t('destinations.minSeverity')}
          value={values.minSeverity}
          options={[
            { value: '' as const, label: t('destinations.anySeverity') },
            ...SEVERITIES.slice(1).map((value) => ({ value, label: t(`destinations.from.${value}`) })),
          ]}
          onChange={(minSeverity) => draft.set('minSeverity', minSeverity)}
          error={errorAt('minSeverity')}
        />
        <RulePicker
          picked={values.ruleIds}
          onChange={(ruleIds) => draft.set('ruleIds', [...ruleIds])}
          help={t('destinations.rulesHelp')}
          error={errorAt('ruleIds')}
        />
        <TagsEditor
          label={t('destinations.tags')}
          tags={values.tags}
          onChange={(change) => draft.set('tags', change(draft.values.peek().tags))}
          error={errorAt('tags')}
        />
      </fieldset>
      <fieldset class="rule-group">
        <legend>{t('destinations.pace')}</legend>
        {!isPagerDuty && (
          <DurationField
            label={t('destinations.group')}
            help={t('destinations.groupHelp')}
            {...draft.field('group')}
            error={errorAt('groupSeconds')}
          />
        )}
        <DurationField
          label={t('destinations.repeat')}
          help={t('destinations.repeatHelp')}
          {...draft.field('repeat')}
          error={errorAt('repeatSeconds')}
        />
      </fieldset>
      {!isMail && (
        <HeadersPart
          stored={headerNames ?? []}
          headers={secrets.headers}
          onChange={(headers) => setSecrets({ ...secrets, headers })}
          errorAt={errorAt}
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
          {isNew ? t('destinations.create') : t('frame.save')}
        </Button>
      </div>
    </form>
  )
}

function MailFields(props: { draft: Draft<DestinationValues>; errorAt: (field: string) => string | undefined }) {
  const { draft, errorAt } = props
  const { to, language } = draft.values.value
  return (
    <>
      <Field label={t('destinations.to')} help={t('destinations.toHelp')} error={errorAt('to')}>
        {(attributes) => (
          <textarea
            {...attributes}
            dir="ltr"
            rows={3}
            value={to}
            onInput={(event) => draft.set('to', event.currentTarget.value)}
          />
        )}
      </Field>
      <SelectField
        label={t('destinations.language')}
        value={language}
        options={[
          { value: 'en' as const, label: 'English' },
          { value: 'ar' as const, label: 'العربية' },
        ]}
        onChange={(next) => draft.set('language', next)}
        error={errorAt('language')}
      />
    </>
  )
}
