/** Episodes of alerts on a chart of several sensors. */
import { useMemo } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { isolated, t } from '../../text/text.ts'
import type { Span } from '../../ui/chart/chart.tsx'
import type { ChartChannel } from '../../ui/chart/chart-data.ts'
import type { Range } from '../../ui/chart/range.ts'
import { type Alert, loadAlerts } from './alert-data.ts'
import { channelNames, spanOf } from './episodes.ts'
import { sensorName } from './parts.tsx'

const NONE: readonly Alert[] = []
const MOST_OF_SENSOR = 200

/** @param key changes with the range that a person chooses */
export function useComparedSpans(
  sensors: readonly { id: string }[],
  lines: readonly ChartChannel[],
  range: Range,
  key: string,
): readonly Span[] {
  const ids = sensors.map(({ id }) => id).join()
  const found = useResource(
    async (signal) => {
      const from = new Date(range.fromMs).toISOString()
      const to = range.preset === undefined ? new Date(range.toMs).toISOString() : undefined
      const pages = await Promise.all(
        sensors.map(({ id }) => loadAlerts({ sensor: id, from, to }, { limit: MOST_OF_SENSOR }, signal)),
      )
      return pages.flatMap(({ items }) => items)
    },
    [ids, key],
  )
  const alerts = found.data.value ?? NONE
  return useMemo(
    () =>
      alerts.map((alert): Span => {
        const named = channelNames(alert)
        const own = lines.filter(
          ({ of }) => of?.sensorId === alert.sensorId && (named === undefined || named.includes(of.channel)),
        )
        const span = spanOf(
          alert,
          own.map(({ name }) => name),
        )
        return { ...span, text: `${isolated(sensorName(alert))} · ${span.text}` }
      }),
    [alerts, lines, t('alerts.title')],
  )
}
