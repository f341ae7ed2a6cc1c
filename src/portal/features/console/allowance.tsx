/** How much of an allowance is used, in figures and as a bar. */
import type { ComponentChildren } from 'preact'
import { formatPercent } from '../../text/format.ts'

/** From this share on, the allowance is highlighted. */
const NEARLY = 0.8

export function Allowance(props: {
  label: string
  used: number
  /** Null without a limit. */
  most: number | null
  /** "1,204 of 50,000" */
  text: string
  note?: ComponentChildren
}) {
  const { label, used, most, text } = props
  const share = most === null ? undefined : most > 0 ? used / most : used > 0 ? 1 : 0
  return (
    <div class="allowance">
      <dt>{label}</dt>
      <dd>
        <span class="allowance-line">
          <strong class="number">{text}</strong>
          {share !== undefined && <span class="weak number">{formatPercent(share)}</span>}
        </span>
        {share !== undefined && (
          <span class={share >= NEARLY ? 'allowance-bar allowance-nearly' : 'allowance-bar'} aria-hidden="true">
            <span style={{ inlineSize: `${Math.min(1, share) * 100}%` }} />
          </span>
        )}
        {props.note !== undefined && <span class="weak">{props.note}</span>}
      </dd>
    </div>
  )
}
