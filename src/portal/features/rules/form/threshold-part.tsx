/** Conditions of a threshold, its steps, and the times that it must hold. */
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { OPERATORS, type Operator, SEVERITIES } from '../rule-data.ts'
import {
  type ConditionValues,
  isOrdered,
  MAX_CONDITIONS,
  MAX_STEPS,
  NO_CONDITION,
  type StepValues,
} from '../rule-values.ts'
import { COMPARISONS } from '../sentence.ts'
import { ChannelField } from './channel-field.tsx'
import { DurationField } from './duration-field.tsx'
import type { FormPart } from './form-part.ts'

export function ThresholdPart(part: FormPart) {
  const { values, set } = part
  const { conditions } = values
  return (
    <>
      <fieldset class="rule-group">
        <legend>{t('rules.conditions')}</legend>
        {conditions.map((condition, i) => (
          <ConditionRow key={i} {...part} condition={condition} index={i} />
        ))}
        <div class="row">
          {conditions.length < MAX_CONDITIONS && (
            <Button icon="add" onClick={() => set('conditions', [...conditions, NO_CONDITION])}>
              {t('rules.addCondition')}
            </Button>
          )}
        </div>
        {conditions.length > 1 && (
          <SelectField
            label={t('rules.match')}
            value={values.match}
            options={(['all', 'any'] as const).map((value) => ({ value, label: t(`rules.matches.${value}`) }))}
            onChange={(match) => set('match', match)}
            error={part.errorAt('match')}
          />
        )}
        {conditions.length > 0 && <p class="field-help">{t('rules.clearHelp')}</p>}
      </fieldset>
      <DurationField
        label={t('rules.hold')}
        help={t('rules.holdHelp')}
        value={values.hold}
        onInput={(hold) => set('hold', hold)}
        onLeave={() => part.leave('forSeconds')}
        error={part.errorAt('forSeconds')}
      />
    </>
  )
}

function ConditionRow({ condition, index, ...part }: FormPart & { condition: ConditionValues; index: number }) {
  const { values, set, errorAt, leave, known } = part
  const at = (field: string): string => `conditions.${index}.${field}`
  const unit = known.unitOf(condition.channel)
  const isBoolean = known.isBoolean(condition.channel)
  const operators = isBoolean ? OPERATORS.filter((op) => !isOrdered(op)) : OPERATORS
  const change = (changed: Partial<ConditionValues>): void =>
    set('conditions', values.conditions.with(index, { ...condition, ...changed }))

  function choose(channel: string): void {
    const wasBoolean = isBoolean
    const willBe = known.isBoolean(channel)
    if (willBe === wasBoolean) change({ channel })
    else change({ channel, op: willBe ? '=' : '>', value: willBe ? 'true' : '', clearValue: '' })
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be announced twice
    <div class="rule-condition" role="group" aria-label={t('rules.condition', { number: index + 1 })}>
      <ChannelField
        channels={known.channels}
        value={condition.channel}
        none={t('rules.chooseChannel')}
        onChange={choose}
        error={errorAt(at('channel'))}
      />
      <SelectField<Operator>
        label={t('rules.comparison')}
        value={condition.op}
        options={operators.map((op) => ({ value: op, label: t(`rules.comparisons.${COMPARISONS[op]}`) }))}
        onChange={(op) => change({ op })}
        error={errorAt(at('op'))}
      />
      {isBoolean ? (
        <SelectField
          label={t('rules.value')}
          value={condition.value === 'false' ? 'false' : 'true'}
          options={[
            { value: 'true', label: t('chart.on') },
            { value: 'false', label: t('chart.off') },
          ]}
          onChange={(value) => change({ value })}
          error={errorAt(at('value'))}
        />
      ) : (
        <TextField
          label={unit === null ? t('rules.value') : t('rules.valueIn', { unit })}
          inputMode="text"
          dir="ltr"
          value={condition.value}
          onInput={(value) => change({ value })}
          onLeave={() => leave(at('value'))}
          error={errorAt(at('value'))}
        />
      )}
      {isOrdered(condition.op) && (
        <TextField
          label={t('rules.clearValue')}
          inputMode="text"
          dir="ltr"
          value={condition.clearValue}
          onInput={(clearValue) => change({ clearValue })}
          onLeave={() => leave(at('clearValue'))}
          error={errorAt(at('clearValue'))}
        />
      )}
      {values.conditions.length > 1 && (
        <IconButton
          icon="remove"
          label={t('rules.removeCondition', { number: index + 1 })}
          onClick={() => set('conditions', values.conditions.toSpliced(index, 1))}
        />
      )}
    </div>
  )
}

/** A condition that gets worse in stages, each with its severity. */
export function StepsPart(part: FormPart) {
  const { values, set, errorAt, leave, known } = part
  const { steps } = values
  // only a rule with one condition has steps
  const unit = known.unitOf(values.conditions[0]?.channel ?? '')
  const worst = SEVERITIES.indexOf(steps.at(-1)?.severity ?? values.severity)
  const next = SEVERITIES[worst + 1]
  const change = (index: number, changed: Partial<StepValues>): void =>
    set('steps', steps.with(index, { ...(steps[index] as StepValues), ...changed }))
  return (
    <fieldset class="rule-group">
      <legend>{t('rules.steps')}</legend>
      <p class="field-help">{t('rules.stepsHelp')}</p>
      {steps.map((step, i) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be announced twice
        <div key={i} class="rule-condition" role="group" aria-label={t('rules.step', { number: i + 1 })}>
          <SelectField
            label={t('rules.severity')}
            value={step.severity}
            options={SEVERITIES.slice(1).map((value) => ({ value, label: t(`alerts.severities.${value}`) }))}
            onChange={(severity) => change(i, { severity })}
            error={errorAt(`steps.${i}.severity`)}
          />
          <TextField
            label={unit === null ? t('rules.value') : t('rules.valueIn', { unit })}
            dir="ltr"
            value={step.value}
            onInput={(value) => change(i, { value })}
            onLeave={() => leave(`steps.${i}.value`)}
            error={errorAt(`steps.${i}.value`)}
          />
          <TextField
            label={t('rules.clearValue')}
            dir="ltr"
            value={step.clearValue}
            onInput={(clearValue) => change(i, { clearValue })}
            onLeave={() => leave(`steps.${i}.clearValue`)}
            error={errorAt(`steps.${i}.clearValue`)}
          />
          <IconButton
            icon="remove"
            label={t('rules.removeStep', { number: i + 1 })}
            onClick={() => set('steps', steps.toSpliced(i, 1))}
          />
        </div>
      ))}
      {steps.length < MAX_STEPS && next !== undefined && (
        <div class="row">
          <Button icon="add" onClick={() => set('steps', [...steps, { severity: next, value: '', clearValue: '' }])}>
            {t('rules.addStep')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** Settings of a threshold that most rules leave as they are. */
export function ThresholdMore({ values, set, errorAt, leave, known }: FormPart) {
  return (
    <>
      <DurationField
        label={t('rules.keepFiring')}
        help={t('rules.keepFiringHelp')}
        value={values.keepFiring}
        onInput={(keepFiring) => set('keepFiring', keepFiring)}
        onLeave={() => leave('keepFiringSeconds')}
        error={errorAt('keepFiringSeconds')}
      />
      <DurationField
        label={t('rules.maxGap')}
        help={t('rules.maxGapHelp')}
        value={values.maxGap}
        onInput={(maxGap) => set('maxGap', maxGap)}
        onLeave={() => leave('maxGapSeconds')}
        error={errorAt('maxGapSeconds')}
      />
      <SelectField
        label={t('rules.gap')}
        value={values.gap}
        options={(['reset', 'hold'] as const).map((value) => ({ value, label: t(`rules.gaps.${value}`) }))}
        onChange={(gap) => set('gap', gap)}
        error={errorAt('gap')}
      />
      <SelectField
        label={t('rules.within')}
        value={values.withinLayer === '' ? 'anywhere' : values.withinWhen}
        options={[
          { value: 'anywhere', label: t('rules.anywhere') },
          { value: 'inside', label: t('rules.withins.inside') },
          { value: 'outside', label: t('rules.withins.outside') },
        ]}
        onChange={(where) => {
          set('withinLayer', where === 'anywhere' ? '' : values.withinLayer || (known.layers[0]?.id ?? ''))
          if (where !== 'anywhere') set('withinWhen', where as 'inside' | 'outside')
        }}
        error={errorAt('within')}
      />
      {values.withinLayer !== '' && (
        <SelectField
          label={t('rules.zone')}
          value={values.withinLayer}
          options={known.layers.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(withinLayer) => set('withinLayer', withinLayer)}
          error={errorAt('within.layerId')}
        />
      )}
    </>
  )
}
