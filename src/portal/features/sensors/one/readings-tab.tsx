/** Raw readings of a range, page by page, and their export. New ones appear above while the range follows the clock. */
import { useMemo, useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { type LiveReading, useLive } from '../../../live.ts'
import { place, queryValue, setQuery } from '../../../shell/router.ts'
import { formatExact, formatMoment, formatValue } from '../../../text/format.ts'
import { isolated, t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { rangeOf } from '../../../ui/chart/range.ts'
import { RangePicker } from '../../../ui/chart/range-picker.tsx'
import { channelColumn, PlainTable, VALUES_ON_PHONE } from '../../../ui/plain-table.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { ExportReadings } from './export.tsx'
import type { SensorRecord } from './sensor-data.ts'

const PAGE = 100
const MAX_LIVE = 20

type Reading = Pick<LiveReading, 'at' | 'values' | 'location'>
type Page = { items: Reading[]; nextCursor: string | null }

async function loadReadings(id: string, query: Record<string, string>, signal: AbortSignal): Promise<Page> {
  const text = new URLSearchParams({ ...query, limit: String(PAGE) })
  const response = await send(`/enterprise/v1/assets/sensors/${encodeURIComponent(id)}/readings?${text}`, { signal })
  return ((await response.json()) as { data: Page }).data
}

export function ReadingsTab({ sensor }: { sensor: SensorRecord }) {
  const query = place.value.query.toString()
  const range = useMemo(() => rangeOf(Date.now()), [query])
  const cursor = queryValue('after')
  const order = queryValue('order') === 'asc' ? 'asc' : 'desc'
  const [before, setBefore] = useState<(string | undefined)[]>([])
  const [arrived, setArrived] = useState<Reading[]>([])
  const channels = sensor.channels.filter(({ active }) => active)
  const readings = useResource(
    (signal) =>
      loadReadings(
        sensor.id,
        {
          from: new Date(range.fromMs).toISOString(),
          to: new Date(range.toMs).toISOString(),
          order,
          ...(cursor !== undefined && { cursor }),
        },
        signal,
      ),
    [sensor.id, query],
  )
  useLive(
    {
      sensors: [sensor.id],
      onReadings: (items) => setArrived((rows) => [...items.toReversed(), ...rows].slice(0, MAX_LIVE)),
    },
    [sensor.id],
  )
  function restart(): void {
    setBefore([])
    setQuery({ after: undefined })
  }

  return (
    <div class="stack">
      <div class="row readings-tools">
        <RangePicker range={range} canGoBack={false} onBack={restart} onChange={restart} />
        <ExportReadings sensor={sensor} range={range} />
      </div>
      {range.preset !== undefined && arrived.length > 0 && (
        <section aria-label={t('sensor.arrived')}>
          <h3>{t('sensor.arrived')}</h3>
          <Rows rows={arrived} channels={channels} />
        </section>
      )}
      <Loaded resource={readings}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <p class="weak">{t('chart.none')}</p>
          ) : (
            <section aria-label={t('sensor.tabs.readings')}>
              <div class="row readings-order">
                <h3>{t('sensor.tabs.readings')}</h3>
                <select
                  aria-label={t('sensor.order')}
                  value={order}
                  onChange={(event) => {
                    setBefore([])
                    setQuery({ after: undefined, order: event.currentTarget.value === 'asc' ? 'asc' : undefined })
                  }}
                >
                  <option value="desc">{t('sensor.orders.desc')}</option>
                  <option value="asc">{t('sensor.orders.asc')}</option>
                </select>
              </div>
              <Rows rows={items} channels={channels} />
              <div class="row readings-pages">
                <Button
                  icon="back"
                  disabled={cursor === undefined}
                  onClick={() => {
                    setQuery({ after: before.at(-1) })
                    setBefore(before.slice(0, -1))
                  }}
                >
                  {t(before.length === 0 ? 'sensor.firstPage' : 'sensor.pageBefore')}
                </Button>
                <Button
                  disabled={nextCursor === null}
                  onClick={() => {
                    setBefore([...before, cursor])
                    setQuery({ after: nextCursor ?? undefined })
                  }}
                >
                  {t('sensor.nextPage')}
                </Button>
                <span class="weak number">
                  <bdi>{formatMoment(Date.parse(items[0]?.at ?? ''))}</bdi> –{' '}
                  <bdi>{formatMoment(Date.parse(items.at(-1)?.at ?? ''))}</bdi>
                </span>
              </div>
            </section>
          )
        }
      </Loaded>
    </div>
  )
}

function Rows({ rows, channels }: { rows: readonly Reading[]; channels: SensorRecord['channels'] }) {
  return (
    <PlainTable
      label={t('sensor.tabs.readings')}
      kind={VALUES_ON_PHONE}
      rows={rows}
      keyOf={({ at }) => at}
      columns={[
        [
          t('chart.time'),
          ({ at }) => <bdi>{formatMoment(Date.parse(at))}</bdi>,
          { isName: true, kind: 'number', attributes: ({ at }) => ({ title: formatExact(Date.parse(at)) }) },
        ],
        ...channels.map((channel) =>
          channelColumn<Reading>(channel, isolated(channel.name), <bdi>{channel.name}</bdi>, ({ values }) =>
            formatValue(values[channel.name] ?? null),
          ),
        ),
        [
          t('sensor.location'),
          ({ location }) =>
            location === undefined ? '–' : <bdi>{location.map((degrees) => degrees.toFixed(5)).join(', ')}</bdi>,
          { kind: 'number value-wide' },
        ],
      ]}
    />
  )
}
