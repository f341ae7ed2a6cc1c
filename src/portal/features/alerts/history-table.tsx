/** Alerts with their beginnings and ends. */
import { now } from '../../shell/clock.ts'
import { formatDuration, formatExact, formatMoment } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { PlainTable } from '../../ui/plain-table.tsx'
import type { Alert } from './alert-data.ts'
import { AlertName, AlertValue, Hands, useCurves } from './parts.tsx'
import type { Rule } from './rule-data.ts'
import { SeverityWord } from './severity.tsx'

export const durationOf = ({ startedAt, resolvedAt }: Alert, nowMs: number): string =>
  formatDuration(Math.max(0, (resolvedAt === null ? nowMs : Date.parse(resolvedAt)) - Date.parse(startedAt)))

export function HistoryTable(props: {
  alerts: readonly Alert[]
  rules: ReadonlyMap<string, Rule>
  isOneSensor: boolean
}) {
  const { alerts, rules, isOneSensor } = props
  const curves = useCurves(alerts, rules, true).data.value
  return (
    <PlainTable
      label={t('alerts.tabs.history')}
      kind="alert-table"
      rows={alerts}
      keyOf={({ id }) => id}
      attributesOf={({ severity }) => ({ 'data-severity': severity })}
      columns={[
        [
          t('alerts.columns.severity'),
          ({ severity }) => <SeverityWord severity={severity} />,
          { kind: 'alert-severity' },
        ],
        [
          t('alerts.columns.alert'),
          (alert) => <AlertName alert={alert} of={isOneSensor ? 'sensor' : 'all'} />,
          { isName: true },
        ],
        [
          t('alerts.columns.started'),
          ({ startedAt }) => {
            const ms = Date.parse(startedAt)
            return (
              <time dateTime={startedAt} title={formatExact(ms)}>
                {formatMoment(ms)}
              </time>
            )
          },
          { kind: 'number alert-since' },
        ],
        [
          t('alerts.columns.lasted'),
          (alert) => <span class="number">{durationOf(alert, now.value)}</span>,
          { kind: 'alert-lasted' },
        ],
        [
          t('alerts.columns.value'),
          (alert) => <AlertValue alert={alert} rules={rules} curves={curves} />,
          { kind: 'number alert-value' },
        ],
        [
          t('alerts.columns.end'),
          ({ resolvedBy }) => (
            <span class={resolvedBy === null ? 'alert-still' : 'weak'}>
              {resolvedBy === null ? t('alerts.stillFiring') : t(`alerts.ends.${resolvedBy}`)}
            </span>
          ),
          { kind: 'alert-end' },
        ],
        [t('alerts.columns.hands'), (alert) => <Hands alert={alert} />, { kind: 'alert-by' }],
      ]}
    />
  )
}
