/** A horizontal line over a panel that is dragged, or moved with the arrow keys. */
import { formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { Plot } from './chart-plot.ts'

export type MovedLine = {
  /** The channel of the chart in whose panel the line is. */
  channel: string
  value: number
  unit: string | null
  onMove: (value: number) => void
}

/** The line moves in steps of about a pixel, which are short numbers. */
const STEPS = 200
const LARGE = 10

function stepOf([min, max]: readonly [number, number]): number {
  return 10 ** Math.ceil(Math.log10((max - min) / STEPS))
}

/** A multiple of the step without the tail of a binary fraction. */
export const rounded = (value: number, step: number): number =>
  Number((Math.round(value / step) * step).toFixed(Math.max(0, -Math.floor(Math.log10(step)))))

export function DraggedLine(props: { line: MovedLine; plot: Plot; shownRange: readonly [number, number] }) {
  const { line, plot, shownRange } = props
  const [min, max] = shownRange
  const step = stepOf(shownRange)
  const place = plot.place()
  const text = formatValue(line.value, line.unit)

  function onPointerMove(event: PointerEvent & { currentTarget: HTMLElement }): void {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const top = event.currentTarget.parentElement?.getBoundingClientRect().top ?? 0
    const y = Math.max(0, Math.min(place.height, event.clientY - top - place.top))
    line.onMove(rounded(plot.valueAt(y), step))
  }
  function onKeyDown(event: KeyboardEvent): void {
    const by = event.shiftKey ? LARGE * step : step
    const next = {
      ArrowUp: line.value + by,
      ArrowDown: line.value - by,
      PageUp: line.value + LARGE * step,
      PageDown: line.value - LARGE * step,
      Home: min,
      End: max,
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    line.onMove(rounded(next, step))
  }
  return (
    <div
      class="chart-moved-line"
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('rules.line.title')}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={line.value}
      aria-valuetext={text}
      style={{ top: `${place.top + plot.yOf(line.value)}px`, left: `${place.left}px`, width: `${place.width}px` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        event.currentTarget.focus()
        event.preventDefault()
      }}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    >
      <span class="chart-moved-value number">{text}</span>
    </div>
  )
}
