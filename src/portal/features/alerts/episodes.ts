/** Episodes of alerts as bands on charts. */
import { useMemo } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { isolated, t } from '../../text/text.ts'
import type { Span } from '../../ui/chart/chart.tsx'
import type { Range } from '../../ui/chart/range.ts'
import { type Alert, type AlertFilter, loadAlerts } from './alert-data.ts'
import { useAlertChanges } from './live-alerts.ts'

/** More bands than a chart is wide are a surface. */
const MOST = 1_000
const NONE: readonly Alert[] = []

/** @param channels names of the chart's channels; undefined for an alert that is about none */
export const spanOf = (alert: Alert, channels: readonly string[] | undefined): Span => ({
  fromMs: Date.parse(alert.startedAt),
  toMs: alert.resolvedAt === null ? null : Date.parse(alert.resolvedAt),
  kind: alert.severity,
  text: `${t(`alerts.severities.${alert.severity}`)}: ${isolated(alert.ruleName ?? t('alerts.deletedRule'))}`,
  channels,
})

/** Channels that an alert names; undefined for a rule about places, or about all of a sensor. */
export function channelNames({ values }: Alert): string[] | undefined {
  const names = Object.keys(values)
  return names.length === 0 ? undefined : names
}

/** Alerts that overlap a range. @param key changes with the range that a person chooses */
export function useEpisodes(filter: AlertFilter, range: Range, key: string): readonly Alert[] {
  const found = useResource(
    (signal) => {
      const from = new Date(range.fromMs).toISOString()
      const to = range.preset === undefined ? new Date(range.toMs).toISOString() : undefined
      return loadAlerts({ ...filter, from, to }, { limit: MOST }, signal)
    },
    [key, filter.sensor, filter.rule],
  )
  useAlertChanges(() => found.reload())
  return found.data.value?.items ?? NONE
}

/** The bands on a chart of one sensor. */
export function useSensorSpans(sensorId: string, range: Range, key: string): readonly Span[] {
  const alerts = useEpisodes({ sensor: sensorId }, range, key)
  return useMemo(() => alerts.map((alert) => spanOf(alert, channelNames(alert))), [alerts, t('alerts.title')])
}
