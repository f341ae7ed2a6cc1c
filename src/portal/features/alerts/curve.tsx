/** A small line of the last hours with the thresholds of the rule, and the time since which the alert fires. */
import { now } from '../../shell/clock.ts'
import { formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import type { Alert } from './alert-data.ts'
import { CURVE_MS, type Curve } from './curve-data.ts'

const WIDTH = 168
const HEIGHT = 36
const EDGE = 3

export function AlertCurve(props: { alert: Alert; curve: Curve | undefined; thresholds: readonly number[] }) {
  const { alert, curve, thresholds } = props
  const known = (curve?.values ?? []).filter((value) => value !== null)
  if (curve === undefined || known.length === 0) return null
  const { channel, unit, values } = curve
  const least = Math.min(...known, ...thresholds)
  const most = Math.max(...known, ...thresholds)
  const y = (value: number): number =>
    most === least ? HEIGHT / 2 : HEIGHT - EDGE - ((value - least) * (HEIGHT - 2 * EDGE)) / (most - least)
  const x = (i: number): number => (i * WIDTH) / Math.max(1, values.length - 1)
  const sinceX = Math.max(0, WIDTH * (1 - (now.value - Date.parse(alert.startedAt)) / CURVE_MS))
  const untilX = alert.resolvedAt === null ? WIDTH : WIDTH * (1 - (now.value - Date.parse(alert.resolvedAt)) / CURVE_MS)
  const text = [
    t('alerts.curve', {
      channel,
      least: formatValue(Math.min(...known), unit),
      most: formatValue(Math.max(...known), unit),
      last: formatValue(known.at(-1) ?? null, unit),
    }),
    ...thresholds.map((value) => t('alerts.threshold', { value: formatValue(value, unit) })),
  ].join('\n')
  return (
    <svg class="alert-curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
      <title>{text}</title>
      {untilX > sinceX && (
        <rect
          class={`alert-curve-span severity-${alert.severity}`}
          x={sinceX}
          y="0"
          width={untilX - sinceX}
          height={HEIGHT}
        />
      )}
      {thresholds.map((value) => (
        <line key={value} class="alert-curve-threshold" x1="0" x2={WIDTH} y1={y(value)} y2={y(value)} />
      ))}
      <path d={pathOf(values, x, y)} />
    </svg>
  )
}

function pathOf(values: readonly (number | null)[], x: (i: number) => number, y: (value: number) => number): string {
  let path = ''
  let gap = 0
  for (const [i, value] of values.entries()) {
    if (value === null) {
      gap++
      continue
    }
    // a sensor that sends every 15 minutes has no value in most steps
    const isJoined = path !== '' && gap < JOINED
    path += `${isJoined ? 'L' : 'M'}${x(i).toFixed(1)} ${y(value).toFixed(1)}${isJoined ? '' : 'h0'}`
    gap = 0
  }
  return path
}

/** Steps without a reading that the line crosses: half an hour. */
const JOINED = 6
