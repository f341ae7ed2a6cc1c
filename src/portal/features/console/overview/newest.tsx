/** The newest zone events, the changes of settings since yesterday, and a map that is loaded when it comes into view. */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, dataOf } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { href } from '../../../shell/router.ts'
import { enterpriseId, may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Age } from '../../../ui/age.tsx'
import { EventText } from '../../zones/event-text.tsx'

const EVENTS = 5
const MOST_CHANGES = 100
const DAY_MS = 86_400_000

export function NewestEvents({ refreshed }: { refreshed: number | undefined }) {
  const events = useResource(
    (signal) => dataOf(api.GET('/enterprise/v1/assets/events', { params: { query: { limit: EVENTS } }, signal })),
    [enterpriseId.value, refreshed],
  )
  const items = events.data.value?.items ?? []
  if (items.length === 0) return null
  return (
    <section aria-labelledby="overview-events">
      <h2 id="overview-events">{t('overview.events')}</h2>
      <ol class="overview-events">
        {items.map((event) => (
          <li key={event.id}>
            <EventText event={event} /> <Age at={event.at} />
          </li>
        ))}
      </ol>
      <a href={href('/zones')}>{t('overview.allEvents')}</a>
    </section>
  )
}

/** Administrators can read who changed what. */
export function Changes() {
  const id = enterpriseId.value ?? ''
  const changes = useResource(
    async (signal) => {
      if (!may.peek().administer) return undefined
      const from = new Date(Date.now() - DAY_MS).toISOString()
      return dataOf(
        api.GET('/manage/v1/audit', {
          params: { query: { owner: id, action: 'update', from, limit: MOST_CHANGES } },
          signal,
        }),
      )
    },
    [id],
  )
  const count = changes.data.value?.items.length ?? 0
  if (count === 0) return null
  return <a href={href('/settings/audit', {}, { action: 'update' })}>{t('overview.changes', { count })}</a>
}

export function LateMap() {
  const place = useRef<HTMLDivElement>(null)
  const [FleetMap, setFleetMap] = useState<ComponentType | undefined>(undefined)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting !== true) return
      observer.disconnect()
      // the page is complete without the map; its link in the navigation reports a failure
      import('./fleet-map.tsx').then((module) => setFleetMap(() => module.FleetMap)).catch(() => undefined)
    })
    if (place.current !== null) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return <div ref={place}>{FleetMap && <FleetMap />}</div>
}
