/** Sends the events of a period again. */
import { zone } from '../../shell/preferences.ts'
import { timeZone } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { inputMs, inputText } from '../../ui/chart/range.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { FormFailure } from '../../ui/failure-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/form.ts'
import { notify } from '../../ui/toasts.tsx'
import { type Destination, replayEvents } from './destination-data.ts'

const DAY_MS = 86_400_000

export function ReplayDialog({ destination, onClose }: { destination: Destination; onClose: () => void }) {
  const isUtc = zone.value === 'utc'
  const { failingSince, lastSuccessAt } = destination.health
  // since the destination took events for the last time
  const sinceMs = Math.max(Date.parse(lastSuccessAt ?? failingSince ?? '') || 0, Date.now() - 30 * DAY_MS)
  const draft = useDraft(`destination.replay.${destination.id}`, {
    from: inputText(lastSuccessAt === null && failingSince === null ? Date.now() - DAY_MS : sinceMs, isUtc),
    to: inputText(Date.now() + 60_000, isUtc),
    which: 'failed' as 'all' | 'failed',
  })
  const { which } = draft.values.value
  const close = (): void => {
    draft.clear()
    onClose()
  }
  async function submit(): Promise<void> {
    const count = await draft.submit(({ from, to }, key) => {
      // the server names the field of a wrong time
      const sent = (text: string): string => {
        const ms = inputMs(text, isUtc)
        return Number.isNaN(ms) ? text : new Date(ms).toISOString()
      }
      return replayEvents(destination.id, { from: sent(from), to: sent(to), failedOnly: which === 'failed' }, key)
    })
    if (count === undefined) return
    notify(count === 0 ? t('destinations.replayedNone') : t('destinations.replayed', { count }))
    close()
  }
  return (
    <FormDialog title={t('destinations.replayTitle')} onSubmit={submit} onClose={close}>
      <p>{t('destinations.replayText')}</p>
      <TextField
        label={t('destinations.replayFrom')}
        help={t('chart.inZone', { zone: timeZone.value })}
        type="datetime-local"
        step="1"
        dir="ltr"
        required
        {...draft.field('from')}
      />
      <TextField
        label={t('destinations.replayTo')}
        type="datetime-local"
        step="1"
        dir="ltr"
        required
        {...draft.field('to')}
      />
      <fieldset class="option-set">
        <legend>{t('destinations.eventsTitle')}</legend>
        {(['failed', 'all'] as const).map((one) => (
          <label key={one} class="check">
            <input type="radio" name="which" checked={which === one} onChange={() => draft.set('which', one)} />
            <span>{t(one === 'all' ? 'destinations.replayAll' : 'destinations.replayFailed')}</span>
          </label>
        ))}
      </fieldset>
      <FormFailure error={draft.error.value} />
    </FormDialog>
  )
}
