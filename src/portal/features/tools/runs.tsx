/** Runs of tools and jobs as one list, newest first. Unfinished ones update by themselves. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../shell/router.ts'
import { ownerId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { attempt } from '../../ui/failure-text.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table/table.tsx'
import { type LoadRows, type Rows, useRows } from '../../ui/table/table-rows.ts'
import { useSelection } from '../../ui/table/table-selection.ts'
import { tableView } from '../../ui/table/table-view.ts'
import { notify } from '../../ui/toasts.tsx'
import { loadCatalogue, shownIn } from './data/catalogue.ts'
import { cancelJob, type ListedRun } from './result-view/run-data.ts'
import { DeleteOutputs } from './runs/delete-outputs.tsx'
import { loadFolders } from './runs/folders.ts'
import { MoveToFolder } from './runs/move-to-folder.tsx'
import { isUnderWay, runColumns } from './runs/run-columns.tsx'
import { RunFilters, type RunQuery, runQuery } from './runs/run-filters.tsx'

const BUSY_MS = 1_500
const QUIET_MS = 5_000

const idOf = ({ runId, jobId }: ListedRun): string => runId ?? jobId ?? ''

export function RunsPage() {
  const tools = useResource(loadCatalogue, [ownerId.value])
  const shownTools = tools.data.value?.map(shownIn) ?? []
  const titles = new Map(shownTools.map(({ id, title }) => [id, title]))
  const view = tableView(
    runColumns(
      (process) => titles.get(process) ?? process,
      (jobId) => void cancel(jobId),
    ),
  )
  const selection = useSelection()
  const folders = useResource(loadFolders, [ownerId.value])
  const known = folders.data.value ?? []
  const query = runQuery()
  const key = JSON.stringify(query)
  const load: LoadRows<ListedRun> = async ({ limit, cursor, signal }) =>
    dataOf(
      api.GET('/enterprise/v1/gis/runs', {
        params: { query: { ...query, jobs: 'true', limit, ...(cursor !== undefined && { cursor }) } },
        signal,
      }),
    )
  const rows = useRows(load, [key, ownerId.value])
  const range = useRef({ first: 0 })
  async function cancel(jobId: string): Promise<void> {
    await attempt(async () => {
      await cancelJob(jobId)
      notify(t('results.cancelled'))
      rows.reload()
    })
  }
  function onChanged(): void {
    selection.clear()
    rows.reload()
    folders.reload()
  }
  useLiveRuns(rows, query, range)
  const isFiltered = key !== '{}'
  const selected = useMemo(
    () => loadedRows(rows).filter((run) => selection.ids.value.has(idOf(run))),
    [selection.ids.value, rows.version.value],
  )
  return (
    <>
      <PageHead title={t('runs.title')} />
      {rows.count.value === 0 && !isFiltered ? (
        <Empty title={t('runs.empty')} text={t('runs.emptyText')} docs={t('frame.docs')}>
          <a class="button button-main" href={href('/tools')}>
            {t('runs.toTools')}
          </a>
        </Empty>
      ) : (
        <Table
          label={t('runs.title')}
          fileName="runs"
          isFilling
          view={view}
          rows={rows}
          selection={selection}
          bulk={
            <>
              <MoveToFolder runs={selected} folders={known} onDone={onChanged} />
              <DeleteOutputs runs={selected} onDone={onChanged} />
            </>
          }
          rowId={idOf}
          open={(run) => `/runs/${encodeURIComponent(idOf(run))}`}
          countText={(count) => t('runs.count', { count })}
          filters={<RunFilters tools={shownTools} folders={known} />}
          onRange={(first) => {
            range.current = { first }
          }}
          empty={
            <Empty title={t('runs.noneFound')} text={t('runs.noneFoundText')}>
              <a class="button" href={href('/runs')}>
                {t('runs.clearFilters')}
              </a>
            </Empty>
          }
        />
      )}
    </>
  )
}

function loadedRows(rows: Rows<ListedRun>): ListedRun[] {
  const found: ListedRun[] = []
  for (let i = 0; i < (rows.count.peek() ?? 0); i++) {
    const row = rows.at(i)
    if (row !== undefined) found.push(row)
  }
  return found
}

type Asked = RunQuery & { limit: number }

const runsOf = (query: Asked, signal: AbortSignal) =>
  dataOf(api.GET('/enterprise/v1/gis/runs', { params: { query: { ...query, jobs: 'true' } }, signal }))

/**
 * Polls unfinished runs and the newest run. When a run has started or ended, the list is loaded again, unless the
 * list is scrolled down, where rows would move.
 */
function useLiveRuns(rows: Rows<ListedRun>, query: RunQuery, range: { current: { first: number } }): void {
  const key = JSON.stringify(query)
  useEffect(() => {
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const abort = new AbortController()
    async function look(): Promise<void> {
      let isBusy = false
      try {
        if (document.visibilityState === 'visible') isBusy = await ask()
      } catch {
        // the next poll detects whether the connection is back
      }
      if (!isGone) timer = setTimeout(() => void look(), isBusy ? BUSY_MS : QUIET_MS)
    }
    async function ask(): Promise<boolean> {
      const [underWay, newest] = await Promise.all([
        runsOf({ status: 'accepted,running', limit: 1_000 }, abort.signal),
        runsOf({ ...query, limit: 1 }, abort.signal),
      ])
      const open = new Map(underWay.items.map((item) => [idOf(item), item]))
      rows.change(
        (row) => open.has(idOf(row)),
        (row) => open.get(idOf(row)) ?? row,
      )
      const [first, shown] = [newest.items[0], rows.at(0)]
      const hasBegun = (first && idOf(first)) !== (shown && idOf(shown))
      const hasEnded = loadedRows(rows).some((row) => isUnderWay(row) && !open.has(idOf(row)))
      const isLoaded = rows.count.peek() !== undefined && !rows.isLoading.peek()
      if (isLoaded && (hasBegun || hasEnded) && range.current.first === 0) rows.reload()
      return open.size > 0
    }
    timer = setTimeout(() => void look(), BUSY_MS)
    return () => {
      isGone = true
      clearTimeout(timer)
      abort.abort()
    }
  }, [ownerId.value, key])
}
