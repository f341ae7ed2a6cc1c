/** Whether a Tool API answers, and why not: in a colour, a shape and words. */

import { href } from '../../../shell/router.ts'
import { saidOf } from '../../../text/failures.ts'
import { t } from '../../../text/text.ts'
import { StateShape } from '../../sensors/state.tsx'
import type { ToolApi, ToolApiState } from './tool-api-data.ts'

export const TOOL_API_STATES = ['refused', 'held', 'off', 'on'] as const

const SHAPES = { on: 'sending', off: 'off', held: 'held', refused: 'refused' } as const

export function ToolApiStateView({ state }: { state: ToolApiState }) {
  const shape = SHAPES[state]
  return (
    <span class="state" data-state={state}>
      <StateShape state={shape} />
      <span class={`state-word state-${shape}`}>{t(`toolApis.states.${state}`)}</span>
    </span>
  )
}

const KNOWN = [
  'TOOL_API_KEY_INVALID',
  'TOOL_API_SUSPENDED',
  'TOOL_API_HELD',
  'TOOL_API_DISABLED',
  'TOOL_API_PLAN',
  'GIS_TIER_REQUIRED',
  'TOOL_API_RATE_LIMITED',
  'API_KEY_QUOTA',
  'ENTERPRISE_API_DAILY_LIMIT',
  'TOOL_API_INPUT_INVALID',
  'TOOL_API_INPUT_TOO_LARGE',
  'TOOL_API_RESULT_TOO_LARGE',
  'TOOL_API_BINDING_MISSING',
  'KEY_FAILURES_LIMITED',
  'MEDIA_TYPE_UNSUPPORTED',
  'REQUEST_TIMEOUT',
  'TOOL_FAILED',
  'TOOL_TIMEOUT',
  'SERVICE_BUSY',
  'STORE_UNAVAILABLE',
  'TOOL_UNAVAILABLE',
] as const
type KnownCode = (typeof KNOWN)[number] | 'unknown'

const known = (code: string): KnownCode => KNOWN.find((one) => one === code) ?? 'unknown'

export const isKnownCode = (code: string): boolean => known(code) !== 'unknown'

/** The meaning of a code, in a few words. */
export const whyOf = (code: string): string =>
  (isKnownCode(code) ? undefined : saidOf(code)) ?? t(`toolApis.why.${known(code)}`)
/** The owner's remedy. */
export const whatToDo = (code: string): string => t(`toolApis.do.${known(code)}`)

/** Shown for a Tool API that answers no calls. */
export function Trouble({ api }: { api: ToolApi }) {
  const { reason } = api.activity
  if (reason === null) return null
  return (
    <section class="tool-api-trouble" role="status">
      <h2>{whyOf(reason)}</h2>
      {reason === 'TOOL_API_HELD' && api.heldReason !== null && (
        <p>
          {t('toolApis.heldBecause')} <bdi>{api.heldReason}</bdi>
        </p>
      )}
      <p>{whatToDo(reason)}</p>
      {reason === 'TOOL_API_BINDING_MISSING' && (
        <a href={href('/tool-apis/:id', { id: api.id }, { tab: 'settings' })}>{t('toolApis.changeBinding')}</a>
      )}
    </section>
  )
}
