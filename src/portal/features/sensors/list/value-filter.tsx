/** Filters by newest values: a chip for each condition, and a short form for another one. */
import { useState } from 'preact/hooks'
import { addressWith, queryValue, setQuery } from '../../../shell/router.ts'
import { isolated, t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { type Channel, useChannels } from './channels.tsx'
import { type Condition, conditionsIn, conditionsText, conditionText, OPERATORS, type Operator } from './conditions.ts'

const MAX_CONDITIONS = 10

export function ValueFilter() {
  const [isOpen, setOpen] = useState(false)
  const conditions = conditionsIn(queryValue('where') ?? '')
  const known = useChannels().data.value?.items ?? []
  const withConditions = (next: Condition[]) => ({ where: conditionsText(next) })
  if (known.length === 0 && conditions.length === 0) return null
  return (
    <>
      {conditions.map((condition) => (
        <a
          key={conditionText(condition)}
          class="chip value-chip"
          aria-current="true"
          href={addressWith(withConditions(conditions.filter((one) => one !== condition)))}
          title={t('sensors.removeFilter')}
        >
          <bdi class="cut" dir="ltr">
            {shownText(condition, known)}
          </bdi>
          <Icon name="close" size={14} />
        </a>
      ))}
      {conditions.length < MAX_CONDITIONS && known.length > 0 && (
        <Button icon="filter" onClick={() => setOpen(true)}>
          {t('sensors.values.filter')}
        </Button>
      )}
      {isOpen && (
        <ValueDialog
          channels={known}
          onClose={() => setOpen(false)}
          onAdd={(condition) => {
            setOpen(false)
            setQuery(withConditions([...conditions, condition]), { push: true })
          }}
        />
      )}
    </>
  )
}

const SIGNS: Record<Operator, string> = { '>': '>', '>=': '≥', '<': '<', '<=': '≤', '=': '=', '!=': '≠' }

const isBoolean = (channel: Channel | undefined): boolean =>
  channel?.measurements.every((one) => one === 'boolean') === true

function shownText({ channel, operator, value }: Condition, known: readonly Channel[]): string {
  const { units = [] } = known.find((one) => one.channel === channel) ?? {}
  const shown = value === 'true' ? t('chart.on') : value === 'false' ? t('chart.off') : value
  return `${channel} ${SIGNS[operator]} ${shown}${units.length === 1 ? ` ${units[0]}` : ''}`
}

function ValueDialog(props: { channels: Channel[]; onAdd: (condition: Condition) => void; onClose: () => void }) {
  const { channels } = props
  const [channel, setChannel] = useState(channels[0]?.channel ?? '')
  const [operator, setOperator] = useState<Operator>('>')
  const [value, setValue] = useState('')
  const [error, setError] = useState<string | undefined>(undefined)
  const chosen = channels.find((one) => one.channel === channel)
  function submit(): void {
    const number = value.trim().replace(',', '.')
    if (isBoolean(chosen)) props.onAdd({ channel, operator: '=', value: value === 'false' ? 'false' : 'true' })
    else if (number === '' || !Number.isFinite(Number(number))) setError(t('sensors.values.numberRule'))
    else props.onAdd({ channel, operator, value: String(Number(number)) })
  }
  return (
    <FormDialog
      title={t('sensors.values.title')}
      action={t('sensors.values.add')}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <div class="value-form">
        <SelectField
          label={t('sensors.values.channel')}
          value={channel}
          options={channels.map((one) => ({
            value: one.channel,
            // isolated, because options cannot have elements
            label: `${isolated(one.channel)}${one.units.length === 1 ? `, ${one.units[0]}` : ''}`,
          }))}
          onChange={setChannel}
        />
        {isBoolean(chosen) ? (
          <SelectField
            label={t('sensors.values.value')}
            value={value === 'false' ? 'false' : 'true'}
            options={[
              { value: 'true', label: t('chart.on') },
              { value: 'false', label: t('chart.off') },
            ]}
            onChange={setValue}
          />
        ) : (
          <>
            <SelectField
              label={t('sensors.values.operator')}
              value={operator}
              options={OPERATORS.map((one) => ({ value: one, label: t(`sensors.values.operators.${NAMES[one]}`) }))}
              onChange={setOperator}
            />
            <TextField
              label={t('sensors.values.value')}
              value={value}
              onInput={setValue}
              error={error}
              inputMode="decimal"
              dir="ltr"
              autoFocus
            />
          </>
        )}
      </div>
    </FormDialog>
  )
}

const NAMES = { '>': 'over', '>=': 'atLeast', '<': 'under', '<=': 'atMost', '=': 'equal', '!=': 'different' } as const
