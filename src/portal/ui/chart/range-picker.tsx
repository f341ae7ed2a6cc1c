/** Chooses the range of time that a page shows: presets that follow the clock, or from and to. */
import { useState } from 'preact/hooks'
import { zone } from '../../shell/preferences.ts'
import { formatDuration, formatMoment, timeZone } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Button, IconButton } from '../button.tsx'
import { FormDialog } from '../dialog.tsx'
import { TextField } from '../field.tsx'
import {
  choosePreset,
  chooseRange,
  inputMs,
  inputText,
  lengthOf,
  PRESETS,
  presetFor,
  type Range,
  SHORTEST_MS,
  widened,
} from './range.ts'

export function RangePicker(props: {
  range: Range
  canGoBack: boolean
  onBack: () => void
  onChange?: () => void
  /** The retention: longer presets are left out. */
  longestMs?: number
}) {
  const presets = PRESETS.filter(({ ms }) => ms <= (props.longestMs ?? Number.POSITIVE_INFINITY))
  const { range } = props
  const [isOpen, setOpen] = useState(false)
  const length = lengthOf(range)
  const move = (by: number): void => {
    props.onChange?.()
    chooseRange(range.fromMs + by * length, range.toMs + by * length, { push: true })
  }
  return (
    <div class="range-picker">
      <div class="range-presets" role="radiogroup" aria-label={t('chart.range')}>
        {presets.map(({ id }) => (
          <label key={id} class="range-preset">
            <input
              type="radio"
              name="range"
              checked={range.preset === id}
              onChange={() => {
                props.onChange?.()
                choosePreset(id, { push: true })
              }}
            />
            <span>{t(`chart.presets.${id}`)}</span>
          </label>
        ))}
      </div>
      <button
        type="button"
        class="button range-live"
        aria-pressed={range.preset !== undefined}
        title={t(range.preset === undefined ? 'chart.followHint' : 'chart.stopHint')}
        onClick={() =>
          range.preset === undefined ? choosePreset(presetFor(range)) : chooseRange(range.fromMs, range.toMs)
        }
      >
        <span class="range-dot" aria-hidden="true" />
        {t('chart.live')}
      </button>
      <div class="range-steps" dir="ltr">
        <IconButton icon="earlier" label={t('chart.earlier')} onClick={() => move(-1)} />
        <IconButton icon="later" label={t('chart.later')} onClick={() => move(1)} />
        <IconButton
          icon="widen"
          label={t('chart.zoomOut')}
          onClick={() => {
            props.onChange?.()
            chooseRange(...widened(range, Date.now()), { push: true })
          }}
        />
        {props.canGoBack && <IconButton icon="undo" label={t('chart.zoomBack')} onClick={props.onBack} />}
      </div>
      <Button icon="history" onClick={() => setOpen(true)}>
        {range.preset === undefined ? (
          <>
            <bdi>{formatMoment(range.fromMs)}</bdi> – <bdi>{formatMoment(range.toMs)}</bdi>
          </>
        ) : (
          t('chart.fromTo')
        )}
      </Button>
      {range.preset === undefined && <span class="weak">{formatDuration(length)}</span>}
      {isOpen && <FromTo {...props} onClose={() => setOpen(false)} />}
    </div>
  )
}

function FromTo(props: { range: Range; onClose: () => void; onChange?: () => void }) {
  const isUtc = zone.value === 'utc'
  const [from, setFrom] = useState(inputText(props.range.fromMs, isUtc))
  const [to, setTo] = useState(inputText(props.range.toMs, isUtc))
  const [error, setError] = useState<string | undefined>(undefined)
  function submit(): void {
    const [fromMs, toMs] = [inputMs(from, isUtc), inputMs(to, isUtc)]
    if (!(toMs - fromMs >= SHORTEST_MS)) {
      setError(t('chart.rangeWrong'))
      return
    }
    props.onChange?.()
    chooseRange(fromMs, toMs, { push: true })
    props.onClose()
  }
  return (
    <FormDialog title={t('chart.fromTo')} action={t('chart.show')} onSubmit={submit} onClose={props.onClose}>
      <p class="weak">{t('chart.inZone', { zone: timeZone.value })}</p>
      <TextField
        label={t('chart.from')}
        type="datetime-local"
        step="1"
        dir="ltr"
        value={from}
        onInput={setFrom}
        autoFocus
      />
      <TextField
        label={t('chart.to')}
        type="datetime-local"
        step="1"
        dir="ltr"
        value={to}
        onInput={setTo}
        error={error}
      />
    </FormDialog>
  )
}
