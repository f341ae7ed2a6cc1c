/** Queued and running work: lanes of worker processes, owners of runs, ingestion, uploads, and everybody's jobs. */

import { usePolled } from '../../api/polled.ts'
import { href } from '../../shell/router.ts'
import type { TextKey } from '../../text/catalogue.ts'
import { formatBytes, formatDuration, formatWhole } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainTable, ROWS_ON_PHONE, TableRows } from '../../ui/plain-table.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AllJobs } from './all-jobs.tsx'
import { HEALTH_MS, type Instance, loadHealth, type OpenUploads, type Owner } from './health-data.ts'
import { Mark } from './mark.tsx'

export function OperatorQueuesPage() {
  const health = usePolled(loadHealth, [], HEALTH_MS)
  return (
    <>
      <PageHead title={t('operations.queues.title')} />
      <div class="stack">
        <Loaded resource={health} lines={8}>
          {({ items, owners, openUploads }) => (
            <>
              {items
                .filter(({ status }) => status === 'running')
                .map((instance, _, all) => (
                  <Process key={instance.id} instance={instance} owners={owners} isNamed={all.length > 1} />
                ))}
              <Resumable uploads={openUploads} owners={owners} />
            </>
          )}
        </Loaded>
        <AllJobs />
      </div>
    </>
  )
}

export const laneName = (lane: string): string => t(`operations.queues.lane.${lane}` as TextKey) || lane

function Process({ instance, owners, isNamed }: { instance: Instance; owners: Owner[]; isNamed: boolean }) {
  const { report, name, id } = instance
  return (
    <section class="stack" aria-label={name}>
      {isNamed && (
        <h2>
          <bdi>{name}</bdi>{' '}
          <code dir="ltr" class="weak">
            …{id.slice(-4)}
          </code>
        </h2>
      )}
      <div class="lanes">
        {report.lanes.map((lane) => (
          <Lane key={lane.lane} lane={lane} owners={owners} />
        ))}
        {report.ingest !== null && <Ingest ingest={report.ingest} />}
      </div>
      <Workers lanes={report.lanes} owners={owners} />
      <Uploads uploads={report.uploads} />
    </section>
  )
}

type LaneState = Instance['report']['lanes'][number]

/** The owner of the run: an enterprise or a person with a page, or a part of the server. */
function Tenant({ tenant, owners }: { tenant: string; owners: Owner[] }) {
  const owner = owners.find(({ id }) => id === tenant)
  if (owner === undefined)
    return (
      <span class="weak">
        {t('operations.queues.ofServer')} <code dir="ltr">{tenant}</code>
      </span>
    )
  const route = tenant.startsWith('per_') ? '/operator/people/:id' : '/operator/enterprises/:id'
  return (
    <a class="cut" href={href(route, { id: tenant })} title={owner.name}>
      <bdi>{owner.name}</bdi>
    </a>
  )
}

function Lane({ lane, owners }: { lane: LaneState; owners: Owner[] }) {
  const busy = lane.processes.filter(({ state }) => state === 'running').length
  const all = Math.max(lane.workers, lane.processes.length)
  return (
    <section class="panel lane" data-lane={lane.lane} aria-label={laneName(lane.lane)}>
      <h2>{laneName(lane.lane)}</h2>
      {!lane.isAvailable && (
        <p>
          <Mark shape="late">{t('operations.queues.unavailable', { reason: lane.reason ?? '–' })}</Mark>
        </p>
      )}
      <p class="number">{t('operations.queues.busy', { busy: formatWhole(busy), all: formatWhole(all) })}</p>
      <div class="lane-slots" aria-hidden="true">
        {Array.from({ length: all }, (_, i) => (
          <span key={i} class={i < busy ? 'lane-slot lane-busy' : 'lane-slot'} />
        ))}
      </div>
      <p class="number">
        {t('operations.queues.waiting', { count: lane.waiting })} ·{' '}
        {t('operations.queues.background', { count: lane.background })}
      </p>
      <div title={t('operations.queues.tenantsText')}>
        {lane.tenants.length === 0 ? (
          <p class="weak">{t('operations.queues.noTenants')}</p>
        ) : (
          <table class="lane-tenants">
            <caption class="visually-hidden">{t('operations.queues.tenants')}</caption>
            <TableRows
              rows={lane.tenants}
              keyOf={({ tenant }) => tenant}
              attributesOf={({ tenant }) => ({ 'data-tenant': tenant })}
              columns={[
                [t('operations.queues.tenant'), ({ tenant }) => <Tenant tenant={tenant} owners={owners} />],
                [t('operations.queues.running'), ({ running }) => formatWhole(running), { kind: 'number number-cell' }],
                [
                  t('operations.queues.waitingShort'),
                  ({ waiting }) => formatWhole(waiting),
                  { kind: 'number number-cell' },
                ],
                [
                  t('operations.queues.jobsShort'),
                  ({ background }) => formatWhole(background),
                  { kind: 'number number-cell' },
                ],
              ]}
            />
          </table>
        )}
      </div>
    </section>
  )
}

function Ingest({ ingest }: { ingest: NonNullable<Instance['report']['ingest']> }) {
  const { bytesWaiting, segmentsWaiting, segmentsChecked, lagSeconds, takesMore } = ingest
  return (
    <section class="panel lane" aria-label={t('operations.queues.ingest')}>
      <h2>{t('operations.queues.ingest')}</h2>
      {!takesMore && <Mark shape="silent">{t('operations.queues.closed')}</Mark>}
      <p class="number">
        {segmentsWaiting === 0 || bytesWaiting === 0
          ? t('operations.queues.noBacklog')
          : t('operations.queues.backlog', {
              bytes: formatBytes(bytesWaiting),
              segments: t('operations.health.segments', { count: segmentsWaiting }),
              age: formatDuration(lagSeconds * 1000),
            })}
      </p>
      <p class="number weak">{t('operations.queues.zoneChecks', { count: segmentsChecked })}</p>
    </section>
  )
}

const PROCESS_SHAPES = { starting: 'new', idle: 'off', running: 'sending', ending: 'late' } as const

function Workers({ lanes, owners }: { lanes: LaneState[]; owners: Owner[] }) {
  const nothing = <span class="weak">–</span>
  const processes = lanes.flatMap((lane) => lane.processes.map((process) => ({ ...process, lane: lane.lane })))
  return (
    <section class="stack" aria-labelledby="workers">
      <h3 id="workers">{t('operations.queues.processes')}</h3>
      {processes.length === 0 ? (
        <p class="weak">{t('operations.queues.noProcesses')}</p>
      ) : (
        <PlainTable
          label={t('operations.queues.processes')}
          kind={ROWS_ON_PHONE}
          rows={processes}
          keyOf={({ pid }) => pid}
          attributesOf={({ pid }) => ({ 'data-pid': pid })}
          columns={[
            [t('operations.queues.pid'), ({ pid }) => <bdi dir="ltr">{pid}</bdi>, { kind: 'number' }],
            [
              t('operations.queues.laneTitle'),
              ({ lane, isReserved }) => (
                <>
                  {laneName(lane)}
                  {isReserved && <span class="weak"> ({t('operations.queues.reserved')})</span>}
                </>
              ),
            ],
            [
              t('operations.queues.state'),
              ({ state }) => <Mark shape={PROCESS_SHAPES[state]}>{t(`operations.queues.states.${state}`)}</Mark>,
            ],
            [t('operations.queues.tool'), ({ tool }) => (tool === null ? nothing : <code dir="ltr">{tool}</code>)],
            [
              t('operations.queues.tenant'),
              ({ tenant }) => (tenant === null ? nothing : <Tenant tenant={tenant} owners={owners} />),
            ],
            [
              t('operations.queues.since'),
              ({ runningMs }) => (runningMs === null ? nothing : formatDuration(runningMs)),
              { kind: 'number' },
            ],
            [t('operations.queues.memory'), ({ bytes }) => formatBytes(bytes), { kind: 'number number-cell' }],
            [t('operations.queues.runs'), ({ runs }) => formatWhole(runs), { kind: 'number number-cell' }],
          ]}
        />
      )}
    </section>
  )
}

function Uploads({ uploads }: { uploads: Instance['report']['uploads'] }) {
  return (
    <section class="stack" aria-labelledby="uploads">
      <h3 id="uploads">{t('operations.queues.uploads')}</h3>
      {uploads.length === 0 ? (
        <p class="weak">{t('operations.queues.noUploads')}</p>
      ) : (
        <PlainTable
          label={t('operations.queues.uploads')}
          kind={ROWS_ON_PHONE}
          rows={uploads}
          keyOf={({ startedAt, path, caller }) => startedAt + path + caller}
          columns={[
            [t('operations.queues.path'), ({ path }) => <code dir="ltr">{path}</code>],
            [t('operations.queues.caller'), ({ caller }) => <bdi>{caller}</bdi>],
            [t('operations.queues.received'), ({ bytes }) => formatBytes(bytes), { kind: 'number number-cell' }],
            [t('operations.health.since'), ({ startedAt }) => <Age at={startedAt} />],
          ]}
        />
      )}
    </section>
  )
}

/** Uploads that can be resumed: they last longer than a request, and belong to no process. */
function Resumable({ uploads, owners }: { uploads: OpenUploads[]; owners: Owner[] }) {
  const sumOf = (part: 'count' | 'receivedBytes' | 'bytes'): number => uploads.reduce((sum, one) => sum + one[part], 0)
  return (
    <section class="stack" aria-labelledby="resumable">
      <h3 id="resumable">{t('operations.queues.resumable')}</h3>
      {uploads.length === 0 ? (
        <p class="weak">{t('operations.queues.noResumable')}</p>
      ) : (
        <>
          <p class="number">
            {t('operations.queues.resumableSum', {
              count: sumOf('count'),
              received: formatBytes(sumOf('receivedBytes')),
              bytes: formatBytes(sumOf('bytes')),
            })}
          </p>
          <PlainTable
            label={t('operations.queues.resumable')}
            kind={ROWS_ON_PHONE}
            rows={uploads}
            keyOf={({ ownerId }) => ownerId}
            attributesOf={({ ownerId }) => ({ 'data-uploads-of': ownerId })}
            columns={[
              [t('operations.queues.tenant'), ({ ownerId }) => <Tenant tenant={ownerId} owners={owners} />],
              [t('operations.queues.uploadCount'), ({ count }) => formatWhole(count), { kind: 'number number-cell' }],
              [
                t('operations.queues.received'),
                ({ receivedBytes }) => formatBytes(receivedBytes),
                { kind: 'number number-cell' },
              ],
              [t('operations.queues.ofBytes'), ({ bytes }) => formatBytes(bytes), { kind: 'number number-cell' }],
            ]}
          />
        </>
      )}
    </section>
  )
}
