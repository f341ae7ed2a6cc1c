/** The times of the week in which a rule may begin to fire. */
import { useId } from 'preact/hooks'
import { t } from '../../../text/text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Switch, TextField } from '../../../ui/field.tsx'
import { WEEKDAYS, type Window } from '../rule-data.ts'
import { MAX_WINDOWS, WORK_DAYS } from '../rule-values.ts'
import { dayName } from '../sentence.ts'
import type { FormPart } from './form-part.ts'

const ZONES = Intl.supportedValuesOf('timeZone')

export function SchedulePart(part: FormPart) {
  const { values, set, errorAt, leave } = part
  const zones = useId()
  return (
    <fieldset class="rule-group">
      <legend class="visually-hidden">{t('rules.schedule')}</legend>
      <Switch label={t('rules.schedule')} isOn={values.hasSchedule} onChange={(isOn) => set('hasSchedule', isOn)} />
      {values.hasSchedule && (
        <>
          <p class="field-help">{t('rules.scheduleHelp')}</p>
          {values.windows.map((window, i) => (
            <WindowRow key={i} {...part} window={window} index={i} />
          ))}
          {values.windows.length < MAX_WINDOWS && (
            <div class="row">
              <Button icon="add" onClick={() => set('windows', [...values.windows, WORK_DAYS])}>
                {t('rules.addWindow')}
              </Button>
            </div>
          )}
          <TextField
            label={t('rules.tz')}
            list={zones}
            dir="ltr"
            value={values.tz}
            onInput={(tz) => set('tz', tz)}
            onLeave={() => leave('schedule.tz')}
            error={errorAt('schedule.tz')}
          />
          <datalist id={zones}>
            {ZONES.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </fieldset>
  )
}

function WindowRow({ window, index, ...part }: FormPart & { window: Window; index: number }) {
  const { values, set, errorAt } = part
  const change = (changed: Partial<Window>): void =>
    set('windows', values.windows.with(index, { ...window, ...changed }))
  const at = `schedule.weekly.${index}`
  const error = errorAt(at) ?? errorAt(`${at}.days`) ?? errorAt(`${at}.from`) ?? errorAt(`${at}.to`)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be announced twice
    <div class="rule-window" role="group" aria-label={t('rules.window', { number: index + 1 })}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be announced twice */}
      <div class="rule-days" role="group" aria-label={t('rules.days')}>
        {WEEKDAYS.map((day) => (
          <label key={day} class="rule-day" title={dayName(day, 'long')}>
            <input
              type="checkbox"
              checked={window.days.includes(day)}
              aria-label={dayName(day, 'long')}
              onChange={({ currentTarget: { checked } }) =>
                change({ days: WEEKDAYS.filter((one) => (one === day ? checked : window.days.includes(one))) })
              }
            />
            <span>{dayName(day)}</span>
          </label>
        ))}
      </div>
      <TextField
        label={t('rules.from')}
        type="text"
        inputMode="text"
        placeholder="08:00"
        dir="ltr"
        value={window.from}
        onInput={(from) => change({ from })}
        onLeave={() => part.leave(at)}
      />
      <TextField
        label={t('rules.to')}
        placeholder="18:00"
        dir="ltr"
        value={window.to}
        onInput={(to) => change({ to })}
        onLeave={() => part.leave(at)}
        {...(window.from > window.to && { help: t('rules.nextDay') })}
      />
      {values.windows.length > 1 && (
        <IconButton
          icon="remove"
          label={t('rules.removeWindow', { number: index + 1 })}
          onClick={() => set('windows', values.windows.toSpliced(index, 1))}
        />
      )}
      {error !== undefined && (
        <p class="field-error rule-whole" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
