/**
 * A small line of the last day. Gaps stay gaps; each line has its own scale, so it shows the course and not the size.
 */
import { formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'

const WIDTH = 104
const HEIGHT = 24
const EDGE = 2

/** @param values equally far apart, oldest first */
export function Sparkline(props: { values: readonly (number | null)[]; label: string; unit?: string | null }) {
  const known = props.values.filter((value) => value !== null)
  if (known.length === 0) return <span class="weak">–</span>
  const least = Math.min(...known)
  const most = Math.max(...known)
  const text = t('table.sparkline', {
    name: props.label,
    least: formatValue(least, props.unit),
    most: formatValue(most, props.unit),
  })
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <path d={pathOf(props.values, least, most)} />
    </svg>
  )
}

function pathOf(values: readonly (number | null)[], least: number, most: number): string {
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1)
  const scale = most === least ? 0 : (HEIGHT - 2 * EDGE) / (most - least)
  let path = ''
  let isOpen = false
  for (const [i, value] of values.entries()) {
    if (value === null) {
      isOpen = false
      continue
    }
    const x = (EDGE + i * step).toFixed(1)
    const y = (scale === 0 ? HEIGHT / 2 : HEIGHT - EDGE - (value - least) * scale).toFixed(1)
    // a line without length is drawn as a dot, so that one value between two gaps is visible
    path += isOpen ? `L${x} ${y}` : `M${x} ${y}h0`
    isOpen = true
  }
  return path
}
