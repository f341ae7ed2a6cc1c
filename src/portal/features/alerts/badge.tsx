/** How many alerts nobody looks after yet: in the navigation, loaded after the page. */
import { useResource } from '../../api/resource.ts'
import { enterpriseId } from '../../shell/session.ts'
import { formatCompact } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { loadAlerts } from './alert-data.ts'
import { useAlertChanges } from './live-alerts.ts'

export function AlertBadge() {
  const found = useResource((signal) => loadAlerts({ state: 'firing' }, { limit: 1 }, signal), [enterpriseId.value])
  useAlertChanges(() => found.reload())
  const open = found.data.value?.counts.open ?? 0
  if (open === 0) return null
  return (
    <span class="rail-badge number" title={t('alerts.open', { count: open })}>
      <span aria-hidden="true">{formatCompact(open)}</span>
      <span class="visually-hidden">{t('alerts.open', { count: open })}</span>
    </span>
  )
}
