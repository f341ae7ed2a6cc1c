/** Where events of the enterprise are sent, and whether they arrive. */
import { usePolled } from '../../api/polled.ts'
import { href } from '../../shell/router.ts'
import { enterpriseId } from '../../shell/session.ts'
import { formatList } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import {
  type Destination,
  eventName,
  formName,
  HEALTH,
  healthOf,
  loadDestinations,
  targetOf,
} from './destination-data.ts'
import { HealthView } from './health.tsx'

const FRESH_MS = 10_000

export function DestinationsPage() {
  const destinations = usePolled(loadDestinations, [enterpriseId.value], FRESH_MS)
  return (
    <>
      <PageHead title={t('destinations.title')}>
        <a class="button button-main" href={href('/settings/destinations/new')}>
          <Icon name="add" />
          <span>{t('destinations.create')}</span>
        </a>
      </PageHead>
      <Loaded resource={destinations}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={t('destinations.empty')} text={t('destinations.emptyText')} docs={t('frame.docs')}>
              <a class="button button-main" href={href('/settings/destinations/new')}>
                {t('destinations.create')}
              </a>
            </Empty>
          ) : (
            <List items={items} />
          )
        }
      </Loaded>
    </>
  )
}

function List({ items }: { items: readonly Destination[] }) {
  // those that take nothing, then the others by name
  const rank = (one: Destination): number => HEALTH.indexOf(healthOf(one))
  const shown = items.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  return (
    <div class="stack">
      <p class="weak">{t('destinations.what')}</p>
      <PlainTable
        label={t('destinations.title')}
        kind={ROWS_ON_PHONE}
        rows={shown}
        keyOf={({ id }) => id}
        columns={[
          [
            t('destinations.name'),
            (destination) => (
              <>
                <a href={href('/settings/destinations/:id', { id: destination.id })}>
                  <bdi>{destination.name}</bdi>
                </a>
                <span class="destination-target weak" dir="ltr">
                  {targetOf(destination)}
                </span>
              </>
            ),
            { isName: true, kind: 'wraps' },
          ],
          [t('destinations.form'), formName],
          [
            t('destinations.eventsTitle'),
            ({ events }) => (
              <span title={formatList(events.map(eventName))}>
                {events.length === 1
                  ? eventName(events[0] ?? '')
                  : t('destinations.eventCount', { count: events.length })}
              </span>
            ),
          ],
          [t('destinations.state'), (destination) => <HealthView destination={destination} />, { kind: 'wraps' }],
        ]}
      />
    </div>
  )
}
