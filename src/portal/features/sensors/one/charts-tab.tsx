/** Charts of a sensor with their range, zone events and refusals. */
import { useMemo, useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { useResource } from '../../../api/resource.ts'
import { type LiveZoneEvent, useLive } from '../../../live.ts'
import { now } from '../../../shell/clock.ts'
import { BASE, href, navigate, place, queryValue, setQuery } from '../../../shell/router.ts'
import { may } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { Button } from '../../../ui/button.tsx'
import { Chart, type Mark } from '../../../ui/chart/chart.tsx'
import { chooseRange, rangeOf, rangeQuery } from '../../../ui/chart/range.ts'
import { RangePicker } from '../../../ui/chart/range-picker.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useSensorSpans } from '../../alerts/episodes.ts'
import { AddSensors } from '../../compare/add-sensors.tsx'
import { compareAddress } from '../../compare/compared.ts'
import { useAlertLine } from '../../rules/alert-line.tsx'
import { Notes, noteMarks, useNotes } from './notes.tsx'
import { Positions } from './positions.tsx'
import { loadRefusals } from './refusal-data.ts'
import type { Activity, Latest, SensorRecord } from './sensor-data.ts'

const MAX_EVENTS = 200
const NO_SPANS: never[] = []
/** How often the range of a live chart is recomputed for the lists beside it. */
const EVENTS_MS = 60_000

async function loadEvents(id: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<LiveZoneEvent[]> {
  const query = new URLSearchParams({
    sensor: id,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    limit: String(MAX_EVENTS),
  })
  const response = await send(`/enterprise/v1/assets/events?${query}`, { signal })
  return ((await response.json()) as { data: { items: LiveZoneEvent[] } }).data.items
}

export function markOf(event: LiveZoneEvent): Mark {
  const values = { sensor: event.sensorName ?? '–', layer: event.layerName ?? '–', rule: event.ruleName ?? '–' }
  const key =
    event.when === 'enter' ? 'sensor.eventEnter' : event.when === 'leave' ? 'sensor.eventLeave' : 'sensor.eventOther'
  return { atMs: Date.parse(event.at), kind: 'zone', text: t(key, values) }
}

export function ChartsTab(props: { sensor: SensorRecord; activity: Activity | undefined; latest: Latest | undefined }) {
  const { sensor, activity, latest } = props
  const query = place.value.query.toString()
  const minute = Math.floor(now.value / EVENTS_MS)
  const range = useMemo(() => rangeOf(Date.now()), [query])
  const [steps, setSteps] = useState(0)
  const [isComparing, setComparing] = useState(false)
  const hide = queryValue('hide') ?? ''
  const hidden = useMemo(() => new Set(hide === '' ? [] : hide.split('\n')), [hide])
  const channels = useMemo(
    () =>
      sensor.channels
        .filter(({ active }) => active)
        .map(({ name, unit, measurement }) => ({ name, unit, measurement })),
    [sensor.channels],
  )
  const sensorIds = useMemo(() => [sensor.id], [sensor.id])
  const events = useResource(
    (signal) => loadEvents(sensor.id, range.fromMs, range.preset === undefined ? range.toMs : Date.now(), signal),
    [sensor.id, query],
  )
  const notes = useNotes(sensor.id, range)
  const spans = useSensorSpans(sensor.id, range, query)
  const refusals = useResource((signal) => loadRefusals(sensor.id, signal), [sensor.id, minute, activity?.refused])
  useLive(
    {
      onEvents: (items) => {
        const own = items.filter(({ sensorId }) => sensorId === sensor.id)
        if (own.length > 0) events.data.value = [...own, ...(events.data.peek() ?? [])].slice(0, MAX_EVENTS)
      },
    },
    [sensor.id],
  )
  const marks = useMemo(
    () => [
      ...(events.data.value ?? []).map(markOf),
      ...noteMarks(notes.data.value ?? []),
      ...(refusals.data.value ?? []).map(
        (refused): Mark => ({ atMs: Date.parse(refused.lastAt), kind: 'refused', text: refused.text }),
      ),
    ],
    [events.data.value, notes.data.value, refusals.data.value],
  )
  const line = useAlertLine({
    sensor,
    channels,
    range,
    newestOf(channel) {
      const newest = latest?.values[channel]?.value
      return typeof newest === 'number' ? newest : undefined
    },
  })
  const zoom = (fromMs: number, toMs: number): void => {
    setSteps((count) => count + 1)
    chooseRange(fromMs, toMs, { push: true })
  }

  if (latest !== undefined && latest.at === null)
    return (
      <Empty title={t('sensor.noReading')} text={t('sensor.noReadingText')} docs={t('sensors.docs')}>
        {may.value.administer && (
          <a class="button button-main" href={href('/sensors/:id', { id: sensor.id }, { tab: 'settings' })}>
            {t('sensor.toKeys')}
          </a>
        )}
      </Empty>
    )
  return (
    <div class="stack">
      <div class="row">
        <RangePicker
          range={range}
          canGoBack={steps > 0}
          onBack={() => {
            setSteps((count) => count - 1)
            history.back()
          }}
          onChange={() => setSteps((count) => count + 1)}
        />
        <Button icon="compare" onClick={() => setComparing(true)}>
          {t('compare.with')}
        </Button>
        {may.value.administer && channels.some(({ measurement }) => measurement !== 'boolean') && (
          <Button icon="limit" onClick={line.open} disabled={line.isOpen}>
            {t('rules.line.open')}
          </Button>
        )}
      </div>
      {isComparing && (
        <AddSensors
          picked={[sensor]}
          onChoose={(ids) => navigate(compareAddress(ids, rangeQuery()).slice(BASE.length))}
          onClose={() => setComparing(false)}
        />
      )}
      {line.bar}
      <Chart
        title={sensor.name}
        sensorIds={sensorIds}
        channels={channels}
        range={range}
        marks={marks}
        line={line.line}
        spans={line.isOpen ? (line.spans ?? NO_SPANS) : spans}
        hidden={hidden}
        newestAt={latest?.at}
        onHide={(next) => setQuery({ hide: [...next].join('\n') })}
        onZoom={zoom}
      />
      <Notes sensorId={sensor.id} notes={notes} />
      {latest?.location != null && <Positions sensorId={sensor.id} range={range} location={latest.location} />}
    </div>
  )
}
