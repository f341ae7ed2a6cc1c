/** The state of a run or job: a colour, a shape and a word. */
import type { JSX } from 'preact'
import { formatPercent } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { RunState as State } from './result-view/run-data.ts'

export const RUN_STATES = ['accepted', 'running', 'successful', 'failed', 'dismissed'] as const

/** On a square of 12 by 12. */
const SHAPES: Record<State, JSX.Element> = {
  accepted: <circle cx="6" cy="6" r="4" class="state-line" />,
  running: (
    <>
      <circle cx="6" cy="6" r="4" class="state-line" />
      <path d="M6 2a4 4 0 0 1 0 8z" fill="currentColor" />
    </>
  ),
  successful: <path d="M2 6.5l2.8 2.8L10 3" class="state-line" />,
  failed: <path d="M2 2l8 8M10 2l-8 8" class="state-line" />,
  dismissed: <path d="M1.5 6h9" class="state-line" />,
}

/** @param progress 0 to 100, of a run or job in progress */
export function RunState({ state, progress = 0 }: { state: State; progress?: number }) {
  return (
    <span class={`state run-state run-${state}`} data-state={state}>
      <svg class="state-shape" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {SHAPES[state]}
      </svg>
      <span>{t(`runs.states.${state}`)}</span>
      {state === 'running' && progress > 0 && <span class="number">{formatPercent(progress / 100)}</span>}
    </span>
  )
}
