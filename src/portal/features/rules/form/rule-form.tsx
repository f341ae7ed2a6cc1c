/** One form for rules of all kinds: a new rule, or the settings of a stored one. */
import { useState } from 'preact/hooks'
import type { ApiError } from '../../../api/client.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { FormFailure } from '../../../ui/failure-text.tsx'
import { Field, SelectField, Switch, TextField } from '../../../ui/field.tsx'
import { type Draft, useDraft } from '../../../ui/form.ts'
import { firesAlerts, KINDS, type RuleFields, SEVERITIES } from '../rule-data.ts'
import { checkedRule, mayHaveSteps, type RuleValues } from '../rule-values.ts'
import { sentencesOf } from '../sentence.ts'
import type { Surroundings } from '../surroundings.ts'
import type { FormPart } from './form-part.ts'
import { ChangePart, EdgeFields, SilencePart, ZonePart } from './kind-parts.tsx'
import { PreviewPart } from './preview-part.tsx'
import { SchedulePart } from './schedule-part.tsx'
import { TargetPart } from './target-part.tsx'
import { StepsPart, ThresholdMore, ThresholdPart } from './threshold-part.tsx'

const MAX_NOTE = 2_000

export function RuleForm(props: {
  /** Of the draft, which survives a reload. */
  name: string
  initial: RuleValues
  known: Surroundings
  isNew: boolean
  isReadOnly?: boolean
  /** A failure of the page's own request. */
  error?: ApiError | undefined
  onSave: (rule: RuleFields, draft: Draft<RuleValues>) => Promise<unknown>
}) {
  const { known, isNew, isReadOnly = false } = props
  const draft = useDraft<RuleValues>(props.name, props.initial)
  const values = draft.values.value
  const [isBusy, setBusy] = useState(false)
  /** Fields that lost the focus: their rules are checked already. */
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const { rule, faults } = checkedRule(values, known.isBoolean)
  const failure = props.error ?? draft.error.value
  const sent = (field: string): string | undefined =>
    failure?.faults.find((fault) => fault.field.replace(/^body\.(rule\.)?/, '') === field)?.message
  const part: FormPart = {
    values,
    known,
    set: draft.set,
    leave: (field) => setLeft((before) => new Set([...before, field])),
    errorAt: (field) => (left.has('all') || left.has(field) ? faults[field] : undefined) ?? sent(field),
  }
  const wrong = Object.keys(faults).length

  /** @returns whether the rule can be sent */
  function isComplete(): boolean {
    setLeft(new Set(['all']))
    if (wrong === 0) return true
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.rule-form [aria-invalid]')?.focus())
    return false
  }
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy || !isComplete()) return
    setBusy(true)
    await props.onSave(rule, draft)
    setBusy(false)
  }

  return (
    <form class="form rule-form" noValidate onSubmit={(event) => void submit(event)}>
      <fieldset class="rule-fields" disabled={isReadOnly}>
        <TextField
          label={t('rules.name')}
          placeholder={t('rules.namePlaceholder')}
          maxLength={200}
          value={values.name}
          onInput={(name) => draft.set('name', name)}
          onLeave={() => part.leave('name')}
          error={part.errorAt('name')}
        />
        {isNew && (
          <SelectField
            label={t('rules.kind')}
            value={values.kind}
            options={KINDS.map((kind) => ({ value: kind, label: t(`rules.kinds.${kind}`) }))}
            onChange={(kind) => {
              setLeft(new Set())
              draft.set('kind', kind)
            }}
            help={t(`rules.kindHelp.${values.kind}`)}
          />
        )}
        {values.kind === 'threshold' && <ThresholdPart {...part} />}
        {values.kind === 'silence' && <SilencePart {...part} />}
        {values.kind === 'change' && <ChangePart {...part} />}
        {values.kind === 'zone' && <ZonePart {...part} />}
        {firesAlerts(values) && (
          <SelectField
            label={t('rules.severity')}
            value={values.severity}
            options={SEVERITIES.map((value) => ({ value, label: t(`alerts.severities.${value}`) }))}
            onChange={(severity) => draft.set('severity', severity)}
            error={part.errorAt('severity')}
          />
        )}
        {values.kind === 'threshold' && mayHaveSteps(values, known.isBoolean) && <StepsPart {...part} />}
        <TargetPart {...part} />
        <details
          class="rule-more"
          open={Object.keys(faults).some((field) => left.has('all') && MORE.test(field)) || undefined}
        >
          <summary>{t('rules.more')}</summary>
          <div class="rule-fields">
            {values.kind === 'threshold' && <ThresholdMore {...part} />}
            {values.kind === 'zone' && (
              <fieldset class="rule-group">
                <legend>{t('rules.flapping')}</legend>
                <EdgeFields values={values} onInput={draft.set} errorAt={part.errorAt} leave={part.leave} />
              </fieldset>
            )}
            <SchedulePart {...part} />
            <Field label={t('rules.note')} help={t('rules.noteHelp')} error={part.errorAt('note')}>
              {(attributes) => (
                <textarea
                  {...attributes}
                  dir="auto"
                  rows={3}
                  maxLength={MAX_NOTE}
                  value={values.note}
                  onInput={(event) => draft.set('note', event.currentTarget.value)}
                />
              )}
            </Field>
            <Switch
              label={values.enabled ? t('rules.on') : t('rules.off')}
              isOn={values.enabled}
              onChange={(enabled) => draft.set('enabled', enabled)}
            />
          </div>
        </details>
      </fieldset>
      {wrong === 0 && (
        <div class="rule-says" aria-live="polite">
          {sentencesOf(mayHaveSteps(values, known.isBoolean) ? rule : { ...rule, steps: [] }, known).map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      )}
      {/* entering and leaving are events, which have no preview */}
      {rule.when !== 'enter' && rule.when !== 'leave' && (
        <PreviewPart rule={rule} known={known} isComplete={isComplete} />
      )}
      <FormFailure error={failure} />
      {failure !== undefined && failure.faults.length > 0 && (
        <ul class="form-error" role="alert">
          {failure.faults.map(({ field, message }) => (
            <li key={field}>{message}</li>
          ))}
        </ul>
      )}
      {left.has('all') && wrong > 0 && (
        <p class="field-error" role="alert">
          {t('rules.faults', { count: wrong })}
        </p>
      )}
      {!isReadOnly && (
        <div class="row">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {isNew ? t('rules.create') : t('frame.save')}
          </Button>
          {!isNew && <p class="weak">{t('rules.changeText')}</p>}
        </div>
      )}
    </form>
  )
}

/** Fields among the further settings: they are opened when one of them is at fault. */
const MORE = /^(keepFiring|maxGap|gap|within$|within\.|minReadings|minSeconds|bufferM|schedule|note)/
