/** Events on the time axis: one strip above all panels, where events that are close together are counted. */
import { formatMoment, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { RIGHT_EDGE, VALUE_AXIS } from './chart-size.ts'

export type Mark = { atMs: number; kind: 'zone' | 'refused' | 'note'; text: string }

/** Width of a sign with its count. */
const SIGN_PX = 22
const NAMED = 5
const SIGNS = { zone: '▼', refused: '✕', note: '✎' }

export function MarkStrip(props: { marks: readonly Mark[]; width: number; fromMs: number; toMs: number }) {
  const { marks, width, fromMs, toMs } = props
  const pixelMs = (toMs - fromMs) / Math.max(1, width - VALUE_AXIS - RIGHT_EDGE)
  const inside = marks.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).sort((a, b) => a.atMs - b.atMs)
  const groups = Map.groupBy(inside, ({ atMs }) => Math.floor((atMs - fromMs) / pixelMs / SIGN_PX))
  return (
    <div class="chart-marks" dir="ltr" role="img" aria-label={t('chart.events', { count: inside.length })}>
      {[...groups.values()].map((group) => {
        const [first] = group as [Mark]
        const kinds = [...new Set(group.map(({ kind }) => kind))]
        const more = group.length - NAMED
        const lines = group.slice(0, NAMED).map(({ atMs, text }) => `${formatMoment(atMs)}: ${text}`)
        return (
          <span
            key={first.atMs}
            class={`chart-sign chart-mark-${kinds.length === 1 ? first.kind : 'several'}`}
            style={{ insetInlineStart: `${VALUE_AXIS + (first.atMs - fromMs) / pixelMs}px` }}
            title={[...lines, ...(more > 0 ? [t('chart.moreEvents', { count: more })] : [])].join('\n')}
          >
            {SIGNS[first.kind]}
            {group.length > 1 && <span class="chart-sign-count number">{formatWhole(group.length)}</span>}
          </span>
        )
      })}
    </div>
  )
}
