/** Deletes readings of a period: shows how many would be lost before the sensor's name is typed. */
import { useState } from 'preact/hooks'
import { ApiError, send } from '../../../api/client.ts'
import { zone } from '../../../shell/preferences.ts'
import { formatList, formatMoment, timeZone } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { inputMs } from '../../../ui/chart/range.ts'
import { ConfirmByName } from '../../../ui/dialog.tsx'
import { FormFailure, notifyFailure } from '../../../ui/failure-text.tsx'
import { TextField } from '../../../ui/field.tsx'
import { useDraft } from '../../../ui/form.ts'
import { notify } from '../../../ui/toasts.tsx'
import { ChannelChoice } from './deleted-channels.tsx'
import { PastDeletions } from './past-deletions.tsx'
import { type SensorRecord, sensorPath } from './sensor-data.ts'

type Preview = { readings: number | null; oldest: string | null; newest: string | null }
type Asked = { query: URLSearchParams; preview: Preview; channels: readonly string[]; refill: boolean }
/** `channels` is null for whole readings. */
type Wish = { from: string; to: string; channels: string[] | null; refill: boolean }
const EMPTY: Wish = { from: '', to: '', channels: null, refill: false }

export function DeleteReadings({ sensor }: { sensor: SensorRecord }) {
  const draft = useDraft<Wish>(`delete-readings.${sensor.id}`, EMPTY)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const [asked, setAsked] = useState<Asked | undefined>(undefined)
  const [deletions, setDeletions] = useState(0)
  const { from, to, channels, refill } = draft.values.value
  const isUtc = zone.value === 'utc'

  function ask(event: Event): Promise<void> | undefined {
    event.preventDefault()
    const [fromMs, toMs] = [inputMs(from, isUtc), inputMs(to, isUtc)]
    const found = {
      ...(Number.isNaN(fromMs) && { from: t('deletions.timeMissing') }),
      ...(Number.isNaN(toMs)
        ? { to: t('deletions.timeMissing') }
        : toMs <= fromMs && { to: t('deletions.orderWrong') }),
      ...(channels?.length === 0 && { channels: t('deletions.noChannel') }),
    }
    setFaults(found)
    if (Object.keys(found).length > 0) return undefined
    const query = new URLSearchParams({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
    for (const channel of channels ?? []) query.append('channel', channel)
    const mayRefill = refill && channels === null
    if (mayRefill) query.append('refill', 'true')
    return showPreview(query, channels ?? [], mayRefill)
  }

  async function showPreview(query: URLSearchParams, chosen: readonly string[], mayRefill: boolean): Promise<void> {
    const preview = await draft.submit(async () => {
      const response = await send(`${sensorPath(sensor.id)}/deletions/preview?${query}`)
      return ((await response.json()) as { data: Preview }).data
    })
    if (preview !== undefined) setAsked({ query, preview, channels: chosen, refill: mayRefill })
  }

  async function remove(query: URLSearchParams): Promise<void> {
    try {
      await send(`${sensorPath(sensor.id)}/readings?${query}`, { method: 'DELETE' })
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      notifyFailure(failure)
      return
    } finally {
      setAsked(undefined)
    }
    draft.clear()
    setDeletions((count) => count + 1)
    notify(t('deletions.begun'))
  }

  const error = draft.error.value
  const faultAt = (name: string): string | undefined =>
    faults[name] ?? error?.faults.find(({ field }) => field === `query.${name}`)?.message
  return (
    <section class="settings-part settings-wide">
      <h2>{t('deletions.title')}</h2>
      <p class="weak">{t('deletions.text')}</p>
      <form class="form" noValidate onSubmit={(event) => void ask(event)}>
        <p class="weak">{t('deletions.inZone', { zone: timeZone.value })}</p>
        {(['from', 'to'] as const).map((side) => (
          <TextField
            key={side}
            label={t(`deletions.${side}`)}
            type="datetime-local"
            step="1"
            dir="ltr"
            value={draft.values.value[side]}
            onInput={(value) => draft.set(side, value)}
            error={faultAt(side)}
          />
        ))}
        <ChannelChoice
          names={[...new Set(sensor.channels.map(({ name }) => name))]}
          chosen={channels}
          onChange={(next) => draft.set('channels', next)}
          error={faultAt('channels') ?? faultAt('channel')}
        />
        <div class="field">
          <label class="check">
            <input
              type="checkbox"
              checked={refill && channels === null}
              disabled={channels !== null}
              onChange={(event) => draft.set('refill', event.currentTarget.checked)}
            />
            <span>{t('deletions.refill')}</span>
          </label>
          <div class="field-help">{t(channels === null ? 'deletions.refillText' : 'deletions.refillNot')}</div>
        </div>
        <FormFailure error={error} />
        <div>
          <Button type="submit" icon="search">
            {t('deletions.check')}
          </Button>
        </div>
      </form>
      {asked?.preview.readings === 0 && (
        <p class="weak" role="status">
          {t('deletions.nothing')}
        </p>
      )}
      {asked !== undefined && asked.preview.readings !== 0 && (
        <ConfirmByName
          title={t('deletions.confirm')}
          warning={<Losses asked={asked} />}
          name={sensor.name}
          action={t('deletions.action')}
          onConfirm={() => remove(asked.query)}
          onClose={() => setAsked(undefined)}
        />
      )}
      <PastDeletions sensorId={sensor.id} begun={deletions} />
    </section>
  )
}

function Losses({ asked }: { asked: Asked }) {
  const { query, preview, channels, refill } = asked
  const first = formatMoment(Date.parse(preview.oldest ?? query.get('from') ?? ''))
  const last = formatMoment(Date.parse(preview.newest ?? query.get('to') ?? ''))
  return (
    <>
      <p>
        <strong data-testid="to-delete">
          {preview.readings === null ? t('deletions.notCounted') : t('deletions.found', { count: preview.readings })}
        </strong>
        , {t('deletions.span', { first, last })}.
      </p>
      {channels.length > 0 && <p>{t('deletions.valuesOf', { channels: formatList(channels) })}</p>}
      <p>{t(refill ? 'deletions.mayRefill' : 'deletions.noRefill')}</p>
    </>
  )
}
