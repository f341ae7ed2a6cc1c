/** A strip of time for each part, as status pages have it, and the changes of state in words. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { usePolled } from '../../api/polled.ts'
import { place } from '../../shell/router.ts'
import { formatMoment, formatPercent } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import type { Range } from '../../ui/chart/range.ts'
import { lengthOf } from '../../ui/chart/range.ts'
import { PlainTable, ROWS_ON_PHONE } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Instance, type Period, segmentsOf, shareOfWork } from './health-data.ts'
import { IdEnd, partName } from './health-parts.tsx'
import { PartMark } from './mark.tsx'

/** Enough for the timelines of a bad month. */
const MAX_EVENTS = 1_000
const SHOWN_EVENTS = 20
const RELOAD_MS = 15_000

async function loadPeriod(range: Range, signal: AbortSignal): Promise<Period> {
  // a range relative to now has moved since the address was read
  const toMs = range.preset === undefined ? range.toMs : Date.now()
  const fromMs = toMs - lengthOf(range)
  const query = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), limit: MAX_EVENTS }
  const { items, before } = await dataOf(api.GET('/manage/v1/operator/health/events', { params: { query }, signal }))
  return { fromMs, toMs, events: items, before }
}

export function HealthHistory({ instances, range }: { instances: Instance[]; range: Range }) {
  const period = usePolled((signal) => loadPeriod(range, signal), [place.value.query.toString()], RELOAD_MS)
  return (
    <Loaded resource={period} lines={8}>
      {(found) => (
        <>
          <Strips instances={instances} period={found} />
          <Changes instances={instances} period={found} />
        </>
      )}
    </Loaded>
  )
}

function Strips({ instances, period }: { instances: Instance[]; period: Period }) {
  const { fromMs, toMs } = period
  const parts = ['process', ...new Set(instances.flatMap(({ report }) => report.parts.map(({ part }) => part)))]
  const percent = (ms: number): string => `${(100 * (ms - fromMs)) / (toMs - fromMs)}%`
  return (
    <div class="health-strips">
      {parts.map((part) => {
        const segments = segmentsOf(period, instances, part)
        const share = shareOfWork(segments)
        const name = partName(part)
        const text =
          share === undefined
            ? t('operations.health.unknownPart', { part: name })
            : t('operations.health.historyOf', {
                part: name,
                share: formatPercent(Math.floor(share * 1000) / 1000),
                from: formatMoment(fromMs),
                to: formatMoment(toMs),
              })
        return (
          <div key={part} class="health-line" data-history={part}>
            <span class="health-name cut" title={name}>
              {name}
            </span>
            <div class="health-strip" dir="ltr" role="img" aria-label={text}>
              {segments.map(({ fromMs: start, toMs: end, state }) => (
                <span
                  key={start}
                  class={`health-segment health-${state}`}
                  style={{ left: percent(start), width: `calc(${percent(end)} - ${percent(start)})` }}
                  title={t('operations.health.segmentTitle', {
                    state: t(`operations.health.states.${state}`),
                    from: formatMoment(start),
                    to: formatMoment(end),
                  })}
                />
              ))}
            </div>
            <span class="health-share number weak" title={text}>
              {share === undefined ? '–' : formatPercent(Math.floor(share * 1000) / 1000)}
            </span>
          </div>
        )
      })}
      <div class="health-line weak" aria-hidden="true">
        <span class="health-name" />
        <div class="health-times number" dir="ltr">
          <bdi>{formatMoment(fromMs)}</bdi>
          <bdi>{formatMoment(toMs)}</bdi>
        </div>
        <span class="health-share" />
      </div>
    </div>
  )
}

function Changes({ instances, period }: { instances: Instance[]; period: Period }) {
  const [most, setMost] = useState(SHOWN_EVENTS)
  const names = new Map(instances.map(({ id, name }) => [id, name]))
  const own = period.events.filter(({ instanceId }) => names.has(instanceId))
  return (
    <section class="stack" aria-labelledby="state-changes">
      <h3 id="state-changes">{t('operations.health.changes')}</h3>
      {own.length === 0 ? (
        <p class="weak">{t('operations.health.noChanges')}</p>
      ) : (
        <PlainTable
          label={t('operations.health.changes')}
          kind={`health-changes ${ROWS_ON_PHONE}`}
          rows={own.slice(0, most)}
          keyOf={({ id }) => id}
          attributesOf={({ part, state }) => ({ 'data-event': part, 'data-state': state })}
          columns={[
            [t('operations.health.when'), ({ at }) => <Age at={at} />],
            [t('operations.health.part'), ({ part }) => partName(part)],
            [t('operations.health.state'), ({ state }) => <PartMark state={state} />],
            [
              t('operations.health.detail'),
              ({ detail }) => detail !== null && <bdi dir="auto">{detail}</bdi>,
              { kind: 'health-error' },
            ],
            names.size > 1 && [
              t('operations.health.instance'),
              ({ instanceId }) => (
                <>
                  <bdi>{names.get(instanceId)}</bdi> <IdEnd id={instanceId} />
                </>
              ),
            ],
          ]}
        />
      )}
      {own.length > most && (
        <div class="row">
          <Button onClick={() => setMost((count) => count + 5 * SHOWN_EVENTS)}>{t('operations.health.more')}</Button>
        </div>
      )}
    </section>
  )
}
