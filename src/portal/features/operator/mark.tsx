/** States of enterprises, people and parts of the server, with the shapes that states of sensors have. */
import type { ComponentChildren } from 'preact'
import { t } from '../../text/text.ts'
import { type SensorState, StateShape } from '../sensors/state.tsx'

export function Mark({ shape, children }: { shape: SensorState; children: ComponentChildren }) {
  return (
    <span class="state">
      <StateShape state={shape} />
      <span class={`state-word state-${shape}`}>{children}</span>
    </span>
  )
}

/** The subject of the status: its word agrees with the subject in Arabic. */
export type StatusOwner = 'enterprise' | 'person'

export function StatusMark({ of, status }: { of: StatusOwner; status: 'active' | 'suspended' }) {
  const word = of === 'enterprise' ? t(`operator.enterpriseStatus.${status}`) : t(`operator.status.${status}`)
  return <Mark shape={status === 'active' ? 'sending' : 'off'}>{word}</Mark>
}

export const HeldMark = () => <Mark shape="held">{t('operator.status.held')}</Mark>

export type PartState = 'ok' | 'degraded' | 'failing' | 'stopped'
const PART_SHAPES = { ok: 'sending', degraded: 'late', failing: 'silent', stopped: 'off' } as const

export function PartMark({ state }: { state: PartState }) {
  return <Mark shape={PART_SHAPES[state]}>{t(`operations.health.states.${state}`)}</Mark>
}
