/** Jobs of all enterprises and people; those that have not ended can be cancelled. */
import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import { now } from '../../shell/clock.ts'
import { href, queryValue } from '../../shell/router.ts'
import { formatDuration, formatPercent } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { Age } from '../../ui/age.tsx'
import { Button } from '../../ui/button.tsx'
import { Chips } from '../../ui/chips.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, useRows } from '../../ui/table/table-rows.ts'
import { type Column, tableView } from '../../ui/table/table-view.ts'
import { notify } from '../../ui/toasts.tsx'
import { Mark } from './mark.tsx'

type Job = components['schemas']['ListedJob']
const STATES = ['accepted', 'running', 'successful', 'failed', 'dismissed'] as const
/** Unfinished jobs are shown by default. */
const OPEN = 'accepted,running'
const SHAPES = { accepted: 'new', running: 'late', successful: 'sending', failed: 'silent', dismissed: 'off' } as const
const REFRESH_MS = 5_000

export function AllJobs() {
  const state = queryValue('state') ?? OPEN
  const [cancelling, setCancelling] = useState<Job | undefined>(undefined)
  const view = tableView(columns(setCancelling))
  const load: LoadRows<Job> = ({ cursor, limit, signal }) =>
    dataOf(
      api.GET('/manage/v1/operator/jobs', {
        params: { query: { limit, state, ...(cursor && { cursor }) } },
        signal,
      }),
    )
  const rows = useRows(load, [state])
  useEffect(() => {
    const timer = setInterval(() => {
      // a person who scrolled down is reading older jobs
      if (!document.hidden && !rows.isLoading.peek() && !rows.hasMore.peek()) rows.reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [state])

  async function cancel({ id }: Job): Promise<void> {
    const isDone = await attempt(() =>
      dataOf(api.DELETE('/manage/v1/operator/jobs/{id}', { params: { path: { id } } })),
    )
    setCancelling(undefined)
    rows.reload()
    if (isDone) notify(t('operations.queues.cancelled'))
  }
  const chosen = state.split(',')
  return (
    <section class="stack" aria-labelledby="jobs">
      <h2 id="jobs">{t('operations.queues.jobs')}</h2>
      <Table
        label={t('operations.queues.jobs')}
        fileName="jobs"
        view={view}
        rows={rows}
        rowId={({ id }) => id}
        countText={(count) => t('operations.queues.count', { count })}
        filters={
          <Chips
            label={t('operations.queues.byState')}
            chips={STATES.map((one) => {
              const isOn = chosen.includes(one)
              const next = STATES.filter((other) => (other === one ? !isOn : chosen.includes(other))).join(',')
              return {
                id: one,
                isOn,
                label: <JobMark status={one} />,
                href: href('/operator/queues', {}, next === OPEN || next === '' ? {} : { state: next }),
              }
            })}
          />
        }
        empty={<p class="weak">{t('operations.queues.noJobs')}</p>}
      />
      {cancelling !== undefined && (
        <Confirm
          title={t('operations.queues.cancel')}
          dismiss={t('frame.close')}
          onConfirm={() => cancel(cancelling)}
          onClose={() => setCancelling(undefined)}
        >
          <p>
            {t('operations.queues.cancelText', {
              tool: cancelling.toolId,
              owner: cancelling.ownerName ?? cancelling.ownerId,
            })}
          </p>
        </Confirm>
      )}
    </section>
  )
}

const JobMark = ({ status }: { status: Job['status'] }) => (
  <Mark shape={SHAPES[status]}>{t(`operations.queues.jobStates.${status}`)}</Mark>
)

function tookMs({ startedAt, finishedAt }: Job): number | undefined {
  if (startedAt === null) return undefined
  return (finishedAt === null ? now.value : Date.parse(finishedAt)) - Date.parse(startedAt)
}

function columns(onCancel: (job: Job) => void): Column<Job>[] {
  return [
    {
      id: 'state',
      title: t('operations.queues.state'),
      width: 130,
      narrowWidth: 104,
      cell: ({ status }) => <JobMark status={status} />,
      csv: ({ status }) => status,
    },
    {
      id: 'tool',
      title: t('operations.queues.tool'),
      width: 190,
      narrowWidth: 150,
      isMain: true,
      cell: ({ toolId }) => <code dir="ltr">{toolId}</code>,
      csv: ({ toolId }) => toolId,
    },
    {
      id: 'owner',
      title: t('operations.queues.owner'),
      width: 160,
      isWideOnly: true,
      grow: 2,
      cell: ({ ownerId, ownerName }) => (
        <a
          class="cut"
          title={ownerName ?? ownerId}
          href={href(ownerId.startsWith('per_') ? '/operator/people/:id' : '/operator/enterprises/:id', {
            id: ownerId,
          })}
        >
          <bdi>{ownerName ?? ownerId}</bdi>
        </a>
      ),
      csv: ({ ownerName, ownerId }) => ownerName ?? ownerId,
    },
    {
      id: 'age',
      title: t('operations.queues.age'),
      width: 120,
      isWideOnly: true,
      cell: ({ createdAt }) => <Age at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
    {
      id: 'took',
      title: t('operations.queues.took'),
      width: 100,
      isNumber: true,
      isWideOnly: true,
      cell: (job) => {
        const ms = tookMs(job)
        return ms === undefined ? <span class="weak">–</span> : formatDuration(Math.max(0, ms))
      },
      csv: (job) => tookMs(job),
    },
    {
      id: 'progress',
      title: t('operations.queues.progress'),
      width: 90,
      isNumber: true,
      isWideOnly: true,
      cell: ({ progress }) => formatPercent(progress / 100),
      csv: ({ progress }) => progress,
    },
    {
      id: 'job',
      title: t('operations.queues.job'),
      width: 300,
      isExtra: true,
      cell: ({ id }) => <code dir="ltr">{id}</code>,
      csv: ({ id }) => id,
    },
    {
      id: 'cancel',
      title: t('operations.queues.cancel'),
      width: 110,
      cell: (job) =>
        job.status === 'accepted' || job.status === 'running' ? (
          <Button title={t('operations.queues.cancelOf', { id: job.id })} onClick={() => onCancel(job)}>
            {t('operations.queues.cancel')}
          </Button>
        ) : null,
      csv: () => '',
    },
  ]
}
