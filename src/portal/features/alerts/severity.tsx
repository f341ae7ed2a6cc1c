/** The severity of an alert: a colour, a shape and a word, so that each alone identifies it. */
import type { JSX } from 'preact'
import { t } from '../../text/text.ts'
import type { Severity } from './alert-data.ts'

/** On a square of 12 by 12. */
const SHAPES: Record<Severity, JSX.Element> = {
  critical: <path d="M3.5.5h5l3 3v5l-3 3h-5l-3-3v-5z" fill="currentColor" />,
  warning: <path d="M6 .8l5.4 10H.6z" fill="currentColor" />,
  info: <circle cx="6" cy="6" r="4.2" class="state-line" />,
}

/** The shape alone; a word must be beside it. */
export const SeverityShape = ({ severity }: { severity: Severity }) => (
  <svg class={`state-shape severity-${severity}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
    {SHAPES[severity]}
  </svg>
)

export const SeverityWord = ({ severity }: { severity: Severity }) => (
  <span class="state" data-severity={severity} title={t(`alerts.severities.${severity}`)}>
    <SeverityShape severity={severity} />
    <span class={`state-word severity-${severity}`}>{t(`alerts.severities.${severity}`)}</span>
  </span>
)
