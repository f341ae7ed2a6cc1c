/** Events of zone rules, newest first: filtered by rule, sensor and range, with new ones as they happen. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { components } from '../../api/schema.d.ts'
import { useLive } from '../../live.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Loaded } from '../../ui/states.tsx'
import { EventText } from './event-text.tsx'
import type { ZoneRule } from './zone-data.ts'

export type ZoneEvent = Pick<
  components['schemas']['NamedZoneEvent'],
  'id' | 'ruleId' | 'when' | 'sensorId' | 'at' | 'location' | 'ruleName' | 'sensorName' | 'layerName'
>

const PAGE = 100
const HOUR_MS = 3_600_000
const RANGES = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS }
type Range = keyof typeof RANGES

type Wanted = { rule?: string | undefined; sensor?: string | undefined; range: Range | undefined }

function load({ rule, sensor, range }: Wanted, cursor: string | undefined, signal?: AbortSignal) {
  const query = {
    ...(rule && { rule }),
    ...(sensor && { sensor }),
    ...(range && { from: new Date(Date.now() - RANGES[range]).toISOString() }),
    ...(cursor !== undefined && { cursor }),
    limit: PAGE,
  }
  return dataOf(api.GET('/enterprise/v1/assets/events', { params: { query }, ...(signal && { signal }) }))
}

/** @param rule only events of this rule, which the person cannot change */
export function ZoneEvents(props: {
  rule?: string
  rules?: ZoneRule[]
  selected?: string | undefined
  onSelect?: (event: ZoneEvent) => void
  onEvents?: (events: ZoneEvent[]) => void
}) {
  const rule = props.rule ?? queryValue('rule')
  const sensor = queryValue('sensor')
  const text = queryValue('range')
  const range = text !== undefined && text in RANGES ? (text as Range) : undefined
  const wanted = { rule, sensor, range }
  const first = useResource((signal) => load(wanted, undefined, signal), [rule, sensor, range])
  /** Events since the list was loaded, and older pages. */
  const newer = useSignal<ZoneEvent[]>([])
  const older = useSignal<{ items: ZoneEvent[]; nextCursor: string | null } | undefined>(undefined)
  const data = first.data.value
  useEffect(() => {
    newer.value = []
    older.value = undefined
  }, [data])
  useLive(
    {
      onEvents(events) {
        const fitting = events.filter(
          (event) =>
            (rule === undefined || event.ruleId === rule) && (sensor === undefined || event.sensorId === sensor),
        )
        newer.value = [...fitting.toReversed(), ...newer.peek()]
      },
      refresh: () => first.reload(),
    },
    [rule, sensor],
  )
  const all = new Map<string, ZoneEvent>()
  for (const event of [...newer.value, ...(data?.items ?? []), ...(older.value?.items ?? [])])
    if (!all.has(event.id)) all.set(event.id, event)
  const events = [...all.values()].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
  useEffect(() => props.onEvents?.(events), [data, newer.value, older.value])

  async function loadOlder(cursor: string): Promise<void> {
    await attempt(async () => {
      const page = await load(wanted, cursor)
      older.value = { items: [...(older.peek()?.items ?? []), ...page.items], nextCursor: page.nextCursor }
    })
  }

  return (
    <div class="zone-events">
      <div class="row zone-event-filters">
        {props.rules && (
          <select
            aria-label={t('zones.events.rule')}
            value={rule ?? ''}
            onChange={(event) => setQuery({ rule: event.currentTarget.value })}
          >
            <option value="">{t('zones.events.allRules')}</option>
            {props.rules.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        <select
          aria-label={t('zones.events.range')}
          value={range ?? ''}
          onChange={(event) => setQuery({ range: event.currentTarget.value })}
        >
          <option value="">{t('zones.events.anyTime')}</option>
          {(Object.keys(RANGES) as Range[]).map((one) => (
            <option key={one} value={one}>
              {t(`zones.events.ranges.${one}`)}
            </option>
          ))}
        </select>
        {sensor !== undefined && (
          <Button icon="close" onClick={() => setQuery({ sensor: undefined })}>
            {t('zones.events.allSensors')}
          </Button>
        )}
      </div>
      <Loaded resource={first}>
        {(page) =>
          events.length === 0 ? (
            <p class="weak zone-none">{t('zones.events.none')}</p>
          ) : (
            <>
              <EventList {...props} events={events} isOneRule={props.rule !== undefined} />
              {(older.value ?? page).nextCursor !== null && (
                <Button onClick={() => loadOlder((older.value ?? page).nextCursor as string)}>
                  {t('zones.events.older')}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </div>
  )
}

function EventList(props: {
  events: ZoneEvent[]
  isOneRule: boolean
  selected?: string | undefined
  onSelect?: (event: ZoneEvent) => void
}) {
  return (
    <ol class="event-list" aria-label={t('zones.events.title')}>
      {props.events.map((event) => (
        <li key={event.id} class={event.id === props.selected ? 'event event-selected' : 'event'}>
          <p>
            <EventText event={event} />
          </p>
          <p class="row weak">
            <Age at={event.at} />
            {!props.isOneRule && event.ruleName !== null && (
              <a href={href('/zones/:id', { id: event.ruleId })}>
                <bdi>{event.ruleName}</bdi>
              </a>
            )}
            {props.onSelect && (
              <Button kind="quiet" icon="map" onClick={() => props.onSelect?.(event)}>
                {t('zones.events.show')}
              </Button>
            )}
            {event.sensorId !== null && (
              <Button kind="quiet" icon="filter" onClick={() => setQuery({ sensor: event.sensorId ?? undefined })}>
                {t('zones.events.onlySensor')}
              </Button>
            )}
          </p>
        </li>
      ))}
    </ol>
  )
}
