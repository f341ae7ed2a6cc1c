/** Switches a rule on or off. Off ends its alerts, so the person is asked first. */
import { useState } from 'preact/hooks'
import { changeRecord, type Versioned } from '../../api/record.ts'
import { may } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Switch } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { type Rule, rulePath } from './rule-data.ts'

export function RuleSwitch({ rule, onChanged }: { rule: Rule; onChanged: (next: Versioned<Rule>) => void }) {
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  async function change(enabled: boolean): Promise<void> {
    setAsking(false)
    setBusy(true)
    await attempt(async () => {
      onChanged(await changeRecord<Rule>(rulePath(rule.id), undefined, { enabled }))
      notify(enabled ? t('rules.switchedOn') : t('rules.switchedOff'))
    })
    setBusy(false)
  }
  return (
    <>
      <Switch
        // a dismissed question leaves the switch as it was
        key={String(isAsking)}
        label={rule.enabled ? t('rules.on') : t('rules.off')}
        isOn={rule.enabled}
        disabled={!may.value.administer || isBusy}
        onChange={(enabled) => (enabled ? void change(true) : setAsking(true))}
      />
      {isAsking && (
        <Confirm title={t('rules.switchOff')} onConfirm={() => change(false)} onClose={() => setAsking(false)}>
          <p>{t('rules.switchOffText')}</p>
        </Confirm>
      )}
    </>
  )
}
