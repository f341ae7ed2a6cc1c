/** The state of a sensor: a colour, a shape and a word, so that each alone identifies it. */
import type { JSX } from 'preact'
import { lostSince } from '../../shell/connection.ts'
import { t } from '../../text/text.ts'

/** From worst to best, in which lists sort them. */
export const SENSOR_STATES = ['refused', 'silent', 'late', 'new', 'held', 'off', 'sending'] as const
export type SensorState = (typeof SENSOR_STATES)[number]

/** On a square of 12 by 12. */
const SHAPES: Record<SensorState, JSX.Element> = {
  sending: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  late: (
    <>
      <circle cx="6" cy="6" r="4" class="state-line" />
      <path d="M6 2a4 4 0 0 1 0 8z" fill="currentColor" />
    </>
  ),
  silent: <circle cx="6" cy="6" r="4" class="state-line" />,
  new: <path d="M6 1.5v9M1.5 6h9" class="state-line" />,
  refused: <path d="M2 2l8 8M10 2l-8 8" class="state-line" />,
  held: <path d="M4 2v8M8 2v8" class="state-line" />,
  off: <path d="M1.5 6h9" class="state-line" />,
}

/** The shape alone; a word must be beside it. */
export function StateShape({ state }: { state: SensorState }) {
  return (
    <svg class={`state-shape state-${state}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {SHAPES[state]}
    </svg>
  )
}

/** Without the server, nobody knows whether a sensor still sends. */
export const stateName = (state: SensorState): string =>
  t(`frame.states.${state === 'sending' && lostSince.value !== undefined ? 'wasSending' : state}`)

export function State({ state }: { state: SensorState }) {
  return (
    <span class="state" data-state={state} title={stateName(state)}>
      <StateShape state={state} />
      <span class={`state-word state-${state}`}>{stateName(state)}</span>
    </span>
  )
}
