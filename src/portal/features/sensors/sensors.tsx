/**
 * All sensors of the enterprise, the broken ones on top. States follow the event stream; values are polled every few
 * seconds.
 */

import { signal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { channelParameters } from '../../api/channel-parameters.ts'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { useLive } from '../../live.ts'
import { href, place, queryValue, setQuery } from '../../shell/router.ts'
import { may, membership } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Chips } from '../../ui/chips.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Progress } from '../../ui/progress.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, type Rows, useRows } from '../../ui/table/table-rows.ts'
import { useSelection } from '../../ui/table/table-selection.ts'
import { tableView } from '../../ui/table/table-view.ts'
import { WaitingDevices } from '../fleet-keys/waiting-devices.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { FavouritesLabel, onlyFavourites } from './favourite.tsx'
import { batch } from './list/bulk.ts'
import { BulkActions } from './list/bulk-actions.tsx'
import { BulkOutcome } from './list/bulk-outcome.tsx'
import { channelColumn, channelsAmong, columnId, type SensorRow, useChannels } from './list/channels.tsx'
import { sensorColumns } from './list/columns.tsx'
import { channelName } from './list/conditions.ts'
import { ValueFilter } from './list/value-filter.tsx'
import { keepOrder } from './list-order.ts'
import { SENSOR_STATES, State } from './state.tsx'
import { TagFilter } from './tag-filter.tsx'

type Counts = components['schemas']['StateCounts']

const PARTS = 'state,latest,sparkline,refused'
/** Sensors are known before their readings: rows appear at once, and their values a moment later. */
const QUICK_PARTS = 'state,refused'
const REFRESH_MS = 5_000
/** Rows that scroll past are not loaded. */
const SETTLED_MS = 60

export function SensorsPage() {
  const [found, setFound] = useState('')
  const known = useChannels().data.value
  const matching = useChannels(found).data.value
  // channels in the address are columns before their units are known
  const inAddress = channelsAmong(queryValue('columns')?.split(',') ?? [])
  const channels = [...new Set([...inAddress, ...(matching?.items ?? []).map(({ channel }) => channel)])]
  const columns = sensorColumns(
    channels.map((channel) =>
      channelColumn(
        channel,
        [...(known?.items ?? []), ...(matching?.items ?? [])].find((one) => one.channel === channel),
      ),
    ),
    showSorted,
    (id, favourite) =>
      rows.change(
        (row) => row.id === id,
        (row) => ({ ...row, favourite }),
      ),
  )
  const view = tableView(columns, { sort: 'state' })
  const shownChannels = channelsAmong(view.shown.map(({ id }) => id))
  const channelKey = JSON.stringify(shownChannels)
  const selection = useSelection()
  const counts = useMemo(() => signal<Counts | undefined>(undefined), [])
  // a sensor that somebody deletes keeps its name in what is said about it
  const names = useMemo(() => new Map<string, string>(), [])
  const withKnown = useMemo(knownValues, [channelKey])
  const [q, tag, state, where] = ['q', 'tag', 'state', 'where'].map(queryValue)
  const isFavourites = onlyFavourites()

  const load: LoadRows<SensorRow> = async ({ offset, limit, signal, purpose }) => {
    const listed = {
      ...(view.sort && { sort: view.sort }),
      ...(view.order && { order: view.order }),
      ...(q && { q }),
      ...(tag && { tag }),
      ...(state && { state }),
      ...(where && { where }),
      ...(isFavourites && { favourite: 'true' as const }),
    }
    const query = {
      ...listed,
      limit,
      offset,
      include: purpose === 'seen' ? QUICK_PARTS : PARTS,
      ...(shownChannels.length > 0 && { channel: channelParameters(shownChannels) }),
    }
    const page = await dataOf(api.GET('/enterprise/v1/assets/sensors', { params: { query }, signal }))
    counts.value = page.states
    for (const { id, name } of page.items) names.set(id, name)
    keepOrder(listed, offset ?? 0, page)
    return { ...page, items: withKnown(page.items) }
  }
  const rows = useRows(load, [view.sort, view.order, q, tag, state, where, isFavourites, channelKey])
  const { range, show } = useFreshRows(rows)
  const isSearched = [q, tag, where].some((one) => one !== undefined)
  const isFiltered = isSearched || isFavourites

  /** Hoisted, because the columns call it. */
  function showSorted(channel: string): void {
    const ids = [...new Set([...view.shown.map(({ id }) => id), columnId(channel)])]
    setQuery({ columns: ids.join(','), sort: channelName(channel), order: undefined }, { push: true })
  }

  useLive(
    {
      onStates(items, all) {
        const changed = new Map(items.map((item) => [item.sensorId, item]))
        rows.change(
          ({ id }) => changed.has(id),
          (row) => {
            const { lastAt, refused, state: now } = changed.get(row.id) as (typeof items)[number]
            return { ...row, state: now as SensorRow['state'], lastAt, refused }
          },
        )
        if (all !== undefined && !isFiltered) counts.value = all as Counts
      },
      refresh: () => void rows.refresh(range.current.first, range.current.last),
    },
    [isFiltered],
  )

  const hasNoFavourites = isFavourites && !isSearched && state === undefined
  const isNew = rows.count.value === 0 && !isFiltered && state === undefined
  return (
    <>
      <PageHead title={t('sensors.title')}>
        <SavedViews page="/sensors" />
        {may.value.administer && (
          <>
            <a class="button" href={href('/sensors/connect')}>
              <Icon name="sensor" />
              <span>{t('connect.title')}</span>
            </a>
            <a class="button" href={href('/sensors/new', {}, { from: 'csv' })}>
              <Icon name="upload" />
              <span>{t('sensors.fromCsv')}</span>
            </a>
            <a class="button button-main" href={href('/sensors/new')}>
              <Icon name="add" />
              <span>{t('sensors.create')}</span>
            </a>
          </>
        )}
      </PageHead>
      <WaitingDevices />
      <BatchProgress />
      <BulkOutcome names={(id) => names.get(id)} />
      {isNew ? (
        <FirstSensor />
      ) : (
        <Table
          label={t('sensors.title')}
          fileName="sensors"
          isFilling
          view={view}
          rows={rows}
          selection={selection}
          bulk={<BulkActions selection={selection} names={(id) => names.get(id)} onDone={() => rows.reload()} />}
          rowId={({ id }) => id}
          open={({ id }) => `/sensors/${encodeURIComponent(id)}`}
          countText={(count) => t('sensors.count', { count })}
          filters={<Filters counts={counts.value} />}
          onRange={show}
          {...(known?.nextCursor != null && {
            columnSearch: { label: t('sensors.values.findChannel'), value: found, onInput: setFound },
          })}
          empty={
            <Empty
              title={t(hasNoFavourites ? 'sensors.favourite.none' : 'sensors.noneFound')}
              text={t(hasNoFavourites ? 'sensors.favourite.noneText' : 'sensors.noneFoundText')}
            >
              <a class="button" href={href('/sensors')}>
                {t('sensors.clearFilters')}
              </a>
            </Empty>
          }
        />
      )}
    </>
  )
}

/** Newest values and sparklines of rows seen before, so that a list in another order shows them at once. */
function knownValues() {
  const values = new Map<string, Pick<SensorRow, 'latest' | 'sparkline'>>()
  return (items: readonly SensorRow[]): SensorRow[] =>
    items.map((row) => {
      if (row.latest === undefined) return { ...values.get(row.id), ...row }
      values.set(row.id, { latest: row.latest, sparkline: row.sparkline ?? null })
      return row
    })
}

/** Loads the rows in view again: at once while they have no values, and every few seconds, since the stream has none. */
function useFreshRows(rows: Rows<SensorRow>) {
  const range = useRef({ first: 0, last: 0 })
  const isBusy = useRef(false)
  const soon = useRef<ReturnType<typeof setTimeout> | null>(null)
  async function refresh(): Promise<void> {
    if (isBusy.current) return
    isBusy.current = true
    const { first, last } = range.current
    try {
      await rows.refresh(first, last)
    } finally {
      isBusy.current = false
    }
    const now = range.current
    if (now.first !== first || now.last !== last) show(now.first, now.last)
  }
  function show(first: number, last: number): void {
    range.current = { first, last }
    for (let i = first; i <= last; i++) {
      const row = rows.at(i)
      if (row === undefined || row.latest !== undefined || rows.error.peek() !== undefined) continue
      clearTimeout(soon.current ?? undefined)
      soon.current = setTimeout(() => void refresh(), SETTLED_MS)
      return
    }
  }
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && !rows.isLoading.peek()) void refresh()
    }, REFRESH_MS)
    return () => {
      clearInterval(timer)
      clearTimeout(soon.current ?? undefined)
    }
  }, [])
  return { range, show }
}

function Filters({ counts }: { counts: Counts | undefined }) {
  const query = Object.fromEntries(place.value.query)
  const chosen = new Set(queryValue('state')?.split(',') ?? [])
  /** The list with a filter changed; `undefined` removes one. */
  const withFilter = (changes: Record<string, string | undefined>): string => {
    const next = { ...query, ...changes }
    return href(
      '/sensors',
      {},
      Object.fromEntries(Object.entries(next).filter((entry): entry is [string, string] => !!entry[1])),
    )
  }
  const isFavourites = onlyFavourites()
  const favourites =
    membership.value === undefined
      ? []
      : [
          {
            id: 'favourite',
            label: <FavouritesLabel />,
            isOn: isFavourites,
            href: withFilter({ favourite: isFavourites ? undefined : 'true' }),
          },
        ]
  return (
    <>
      <SearchField label={t('sensors.search')} />
      <Chips
        label={t('sensors.quickFilters')}
        chips={[
          ...favourites,
          ...SENSOR_STATES.map((state) => {
            const next = chosen.has(state) ? [...chosen].filter((one) => one !== state) : [...chosen, state]
            return {
              id: state,
              label: <State state={state} />,
              isOn: chosen.has(state),
              count: counts?.[state],
              href: withFilter({ state: next.join(',') || undefined }),
            }
          }),
        ]}
      />
      <ValueFilter />
      <TagFilter tag={queryValue('tag')} hrefOf={(tag) => withFilter({ tag })} />
    </>
  )
}

function BatchProgress() {
  const running = batch.value
  if (running === undefined) return null
  const done = running.done.value
  return (
    <div class="sensor-batch">
      <Progress
        label={running.text}
        text={`${running.text} ${t('sensors.bulk.progress', { done, count: running.total })}`}
        done={done}
        total={running.total}
        onStop={running.stop}
      />
    </div>
  )
}

function FirstSensor() {
  return (
    <Empty title={t('sensors.first')} text={t('sensors.firstText')} docs={t('sensors.docs')}>
      {may.value.administer ? (
        <div class="row">
          <a class="button button-main" href={href('/sensors/new')}>
            {t('sensors.create')}
          </a>
          <a class="button" href={href('/sensors/connect')}>
            {t('connect.title')}
          </a>
          <a class="button" href={href('/sensors/new', {}, { from: 'csv' })}>
            {t('sensors.fromCsv')}
          </a>
        </div>
      ) : (
        <p>{t('sensors.askAdministrator')}</p>
      )}
    </Empty>
  )
}
