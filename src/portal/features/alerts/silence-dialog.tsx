/** Makes a silence for sensors, rules or tags, which lasts until a moment. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { zone } from '../../shell/preferences.ts'
import { timeZone } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { inputMs, inputText } from '../../ui/chart/range.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'
import { notify } from '../../ui/toasts.tsx'
import { type PickedSensor, SensorPicker } from '../sensors/sensor-picker.tsx'
import { RulePicker, TagPicker } from './name-pickers.tsx'

/** What is chosen at first. */
export type SilenceTarget = { sensors: PickedSensor[]; ruleIds: string[] }

const KINDS = ['sensors', 'rules', 'tags'] as const
type Kind = (typeof KINDS)[number]
const HOUR_MS = 3_600_000
const LENGTHS = { '1h': HOUR_MS, '4h': 4 * HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS }
const MAX_COMMENT = 2_000

type Length = keyof typeof LENGTHS | 'until'

export function SilenceDialog(props: { target: SilenceTarget; onDone: () => void; onClose: () => void }) {
  const { target } = props
  const isUtc = zone.value === 'utc'
  const [kind, setKind] = useState<Kind>(target.sensors.length === 0 && target.ruleIds.length > 0 ? 'rules' : 'sensors')
  const [sensors, setSensors] = useState(target.sensors)
  const [ruleIds, setRuleIds] = useState<readonly string[]>(target.ruleIds)
  const [tags, setTags] = useState<readonly string[]>([])
  const [length, setLength] = useState<Length>('1h')
  const [isMissing, setMissing] = useState(false)
  const draft = useDraft('alert.silence', {
    from: '',
    to: inputText(Date.now() + LENGTHS['24h'], isUtc).slice(0, 16),
    comment: '',
  })
  const close = (): void => {
    draft.clear()
    props.onClose()
  }
  async function submit(): Promise<void> {
    const chosen = {
      sensors: { sensorIds: sensors.map(({ id }) => id) },
      rules: { ruleIds: [...ruleIds] },
      tags: { tags: [...tags] },
    }[kind]
    const isEmpty = Object.values(chosen).every((list) => list.length === 0)
    setMissing(isEmpty)
    if (isEmpty) return
    const made = await draft.submit(({ from, to, comment }, key) => {
      const begins = from === '' ? Date.now() : inputMs(from, isUtc)
      const ends = length === 'until' ? inputMs(to, isUtc) : begins + LENGTHS[length]
      // the server names the field of a wrong time
      const sent = (ms: number, text: string): string => (Number.isNaN(ms) ? text : new Date(ms).toISOString())
      const body = {
        ...chosen,
        ...(from !== '' && { from: sent(begins, from) }),
        to: sent(ends, to),
        ...(comment.trim() !== '' && { comment: comment.trim() }),
      }
      return dataOf(api.POST('/enterprise/v1/assets/alert-silences', { headers: { 'idempotency-key': key }, body }))
    })
    if (made === undefined) return
    draft.clear()
    notify(t('alerts.silences.created'))
    props.onDone()
  }
  const missing = isMissing ? t('alerts.silences.missing') : undefined
  return (
    <FormDialog title={t('alerts.silences.create')} onSubmit={submit} onClose={close}>
      <p>{t('alerts.silences.text')}</p>
      <fieldset class="alert-choice">
        <legend>{t('alerts.silences.target')}</legend>
        {KINDS.map((one) => (
          <label key={one} class="check">
            <input type="radio" name="target" checked={kind === one} onChange={() => setKind(one)} />
            <span>{t(`alerts.silences.kinds.${one}`)}</span>
          </label>
        ))}
      </fieldset>
      {kind === 'sensors' && (
        <SensorPicker label={t('alerts.silences.sensors')} picked={sensors} onChange={setSensors} error={missing} />
      )}
      {kind === 'rules' && <RulePicker picked={ruleIds} onChange={setRuleIds} error={missing} />}
      {kind === 'tags' && <TagPicker picked={tags} onChange={setTags} error={missing} />}
      <fieldset class="alert-choice">
        <legend>{t('alerts.silences.length')}</legend>
        {([...Object.keys(LENGTHS), 'until'] as Length[]).map((one) => (
          <label key={one} class="check">
            <input type="radio" name="length" checked={length === one} onChange={() => setLength(one)} />
            <span>{t(`alerts.silences.lengths.${one}`)}</span>
          </label>
        ))}
      </fieldset>
      {length === 'until' && (
        <TextField label={t('alerts.silences.to')} type="datetime-local" dir="ltr" required {...draft.field('to')} />
      )}
      <TextField
        label={t('alerts.silences.from')}
        help={t('chart.inZone', { zone: timeZone.value })}
        type="datetime-local"
        dir="ltr"
        {...draft.field('from')}
      />
      <TextField label={t('alerts.silences.comment')} maxLength={MAX_COMMENT} {...draft.field('comment')} />
      <FormFailure error={draft.error.value} />
    </FormDialog>
  )
}
