/** A bar above the page while the server has switched off a destination of events. */
import { signal } from '@preact/signals'
import { api, dataOf } from '../api/client.ts'
import { usePolled } from '../api/polled.ts'
import { t } from '../text/text.ts'
import { Icon } from '../ui/icon.tsx'
import { href } from './router.ts'
import { enterpriseId, may } from './session.ts'

/** Raised by pages that change destinations. */
export const destinationsChanged = signal(0)

const ALL = 50
const FRESH_MS = 300_000

export function DestinationAlarm() {
  const id = may.value.administer ? enterpriseId.value : undefined
  const disabled = usePolled(
    async (signal) => {
      if (id === undefined) return []
      const params = { path: { id }, query: { limit: ALL } }
      const { items } = await dataOf(api.GET('/manage/v1/enterprises/{id}/destinations', { params, signal }))
      return items.filter(({ disabledReason }) => disabledReason === 'gone' || disabledReason === 'failing')
    },
    [id, destinationsChanged.value],
    FRESH_MS,
  )
  // a failure is not shown here: the page of destinations reports it
  const [first, ...others] = disabled.data.value ?? []
  if (first === undefined) return null
  const address =
    others.length === 0 ? href('/settings/destinations/:id', { id: first.id }) : href('/settings/destinations')
  return (
    <section class="reminder-bar" data-worst="expired" aria-label={t('destinations.title')}>
      <Icon name="alert" />
      <span>{t('destinations.alarm', { count: others.length + 1, name: first.name })}</span>
      <a href={address}>{t('destinations.alarmShow')}</a>
    </section>
  )
}
