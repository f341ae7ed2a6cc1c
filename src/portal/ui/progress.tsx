/** Progress of long work, its rate and remaining time; it can be stopped. */
import { useRef } from 'preact/hooks'
import { formatDuration, formatPercent } from '../text/format.ts'
import { t } from '../text/text.ts'
import { Button } from './button.tsx'

/** Before this time, a rate is not meaningful. */
const RATE_AFTER_MS = 1_500

export type ProgressProps = {
  label: string
  done: number
  /** Undefined while it is unknown. */
  total: number | undefined
  /** The progress as text: "1,200 of 10,000 sensors". */
  text: string
  isPaused?: boolean
  /** The rate in words, for example bytes per second; without it, no rate is shown. */
  rateText?: (perSecond: number) => string
  onStop?: () => void
  stopText?: string
}

export function Progress(props: ProgressProps) {
  const { done, total, isPaused = false } = props
  const started = useRef({ at: Date.now(), done })
  const wasPaused = useRef(isPaused)
  // the rate since the last start
  if (wasPaused.current && !isPaused) started.current = { at: Date.now(), done }
  wasPaused.current = isPaused
  const elapsedMs = Date.now() - started.current.at
  const perSecond = ((done - started.current.done) / elapsedMs) * 1000
  const isSteady = !isPaused && elapsedMs > RATE_AFTER_MS && perSecond > 0
  const leftMs = total === undefined ? 0 : ((total - done) / perSecond) * 1000
  const share = total === undefined ? undefined : total === 0 ? 1 : Math.min(1, done / total)
  return (
    <div class="progress">
      <div class="progress-words">
        <span class="number">{props.text}</span>
        <span class="weak number">
          {share !== undefined && formatPercent(Math.floor(share * 1000) / 1000)}
          {isSteady && props.rateText && ` · ${props.rateText(perSecond)}`}
          {isSteady && leftMs > 1000 && ` · ${t('table.timeLeft', { time: formatDuration(roundedMs(leftMs)) })}`}
        </span>
      </div>
      <progress aria-label={props.label} {...(share !== undefined && { value: share, max: 1 })} />
      {props.onStop && (
        <Button icon={props.stopText === undefined ? 'close' : 'pause'} onClick={props.onStop}>
          {props.stopText ?? t('frame.cancel')}
        </Button>
      )}
    </div>
  )
}

/** Whole seconds, and whole minutes where there are several: more would be noise. */
const roundedMs = (ms: number): number => (ms > 120_000 ? Math.ceil(ms / 60_000) * 60_000 : Math.ceil(ms / 1000) * 1000)
