/** Cells that the lists of alerts share. */
import { useResource } from '../../api/resource.ts'
import { href } from '../../shell/router.ts'
import { formatValue } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Actor } from '../console/audit/actor.tsx'
import type { Alert } from './alert-data.ts'
import { AlertCurve } from './curve.tsx'
import { type Curves, curveOf, loadCurves } from './curve-data.ts'
import { type Rule, thresholdsOf } from './rule-data.ts'

export const ruleName = ({ ruleName: name }: Pick<Alert, 'ruleName'>): string => name ?? t('alerts.deletedRule')
export const sensorName = ({ sensorName: name }: Pick<Alert, 'sensorName'>): string => name ?? t('alerts.deletedSensor')

/**
 * A link to the alert: the rule with the sensor below it.
 * @param of the names that the list has already: of one rule, or of one sensor
 */
export function AlertName({ alert, of = 'all' }: { alert: Alert; of?: 'all' | 'group' | 'sensor' }) {
  const sensor = sensorName(alert)
  const title = of === 'group' ? sensor : ruleName(alert)
  const asset = alert.assetName !== null && alert.assetName !== alert.sensorName && <bdi>{alert.assetName}</bdi>
  return (
    <div class="alert-name">
      <a class="cut" dir="auto" href={href('/alerts/:id', { id: alert.id })} title={title}>
        <bdi>{title}</bdi>
      </a>
      {of === 'group' && asset && <span class="weak cut">{asset}</span>}
      {of === 'all' && (
        <span class="alert-sensor weak cut">
          {alert.sensorName === null ? (
            sensor
          ) : (
            <a href={href('/sensors/:id', { id: alert.sensorId })} title={sensor}>
              <bdi>{sensor}</bdi>
            </a>
          )}
          {asset && <> · {asset}</>}
        </span>
      )}
    </div>
  )
}

/** Who acknowledged it, and whether it is silenced or was found late. */
export function Hands({ alert }: { alert: Alert }) {
  const { acknowledgedBy, acknowledgedAt, comment, silenced, late } = alert
  return (
    <div class="alert-hands">
      {acknowledgedAt !== null && (
        <span title={comment ?? t('alerts.noComment')}>
          <Icon name="check" size={14} />
          {acknowledgedBy !== null && <Actor entry={{ actor: acknowledgedBy, actorName: null }} />}{' '}
          <Age at={acknowledgedAt} />
        </span>
      )}
      {silenced && (
        <span>
          <Icon name="silence" size={14} />
          {t('alerts.silenced')}
        </span>
      )}
      {late && (
        <span title={t('alerts.lateText')}>
          <Icon name="history" size={14} />
          {t('alerts.late')}
        </span>
      )}
    </div>
  )
}

/** @param isBare without the courses */
export function useCurves(alerts: readonly Alert[], rules: ReadonlyMap<string, Rule>, isBare = false) {
  const ids = alerts.map(({ id }) => id).join()
  return useResource((signal) => loadCurves(alerts, rules, { isBare, signal }), [ids, rules.size])
}

type OfCurves = { alert: Alert; rules: ReadonlyMap<string, Rule>; curves: Curves | undefined }

export const AlertValue = ({ alert, rules, curves }: OfCurves) =>
  alert.value === null ? null : (
    <span class="number">{formatValue(alert.value, curveOf(alert, rules, curves)?.unit)}</span>
  )

export function Course({ alert, rules, curves }: OfCurves) {
  // the place is reserved
  if (curves === undefined) return <span class="alert-curve" />
  const curve = curveOf(alert, rules, curves)
  const rule = rules.get(alert.ruleId)
  const own = rule === undefined ? [] : thresholdsOf(rule).filter(({ channel }) => channel === curve?.channel)
  return <AlertCurve alert={alert} curve={curve} thresholds={own.map(({ value }) => value)} />
}
