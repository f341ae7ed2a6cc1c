/** The alerts of a sensor. */
import { useMemo } from 'preact/hooks'
import { useResource } from '../../../api/resource.ts'
import { t } from '../../../text/text.ts'
import { AlertHistory } from '../../alerts/history.tsx'
import { type Rule, rulesById } from '../../alerts/rule-data.ts'

const NO_RULES: ReadonlyMap<string, Rule> = new Map()

export function AlertsTab({ sensorId }: { sensorId: string }) {
  const rules = useResource(rulesById, []).data.value ?? NO_RULES
  const filter = useMemo(() => ({ sensor: sensorId }), [sensorId])
  return <AlertHistory filter={filter} rules={rules} none={t('alerts.ofSensorNone')} isOneSensor />
}
