/** A run: its output and its input. A job that has not become a run yet shows its progress. */
import { useEffect, useState } from 'preact/hooks'
import { ApiError, api, dataOf } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { ownerId } from '../../shell/session.ts'
import { t } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { EditableName } from '../../ui/editable-name.tsx'
import { attempt } from '../../ui/failure-text.tsx'
import { failureText } from '../../ui/form.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Loaded } from '../../ui/states.tsx'
import { loadCatalogue, shownIn } from './data/catalogue.ts'
import { fillTool } from './data/run-again.ts'
import { SaveAsRecipe } from './recipes/save-as-recipe.tsx'
import { loadOutcome, loadRun, type RunDetail, stateOf } from './result-view/run-data.ts'
import { prefetchViews, RunOutcome, UnderWay } from './result-view/run-result.tsx'
import { RunFacts } from './run/run-facts.tsx'
import { RunState } from './run-state.tsx'

const AGAIN_MS = 1_000

const parent = () => ({ href: href('/runs'), label: t('runs.title') })

export function RunPage({ parameters: { id = '' } }: PageProps) {
  return id.startsWith('job_') ? <JobProgress key={id} id={id} /> : <OpenRun key={id} id={id} />
}

function useTitle(process: string | undefined): string {
  const tools = useResource(loadCatalogue, [ownerId.value])
  return tools.data.value?.map(shownIn).find(({ id }) => id === process)?.title ?? process ?? t('runs.run')
}

function JobProgress({ id }: { id: string }) {
  const job = useResource(
    (signal) => dataOf(api.GET('/enterprise/v1/gis/jobs/{id}', { params: { path: { id } }, signal })),
    [id],
  )
  const { status, runId } = job.data.value ?? {}
  const title = useTitle(job.data.value?.processID)
  const isUnderWay = status === 'accepted' || status === 'running'
  useEffect(() => {
    // the job now has a run
    if (status !== undefined && !isUnderWay && runId) navigate(`/runs/${encodeURIComponent(runId)}`, { replace: true })
    if (!isUnderWay) return
    const timer = setInterval(job.reload, AGAIN_MS)
    return () => clearInterval(timer)
  }, [status, runId])
  return (
    <>
      <PageHead title={title} parent={parent()} beside={status && <RunState state={status} />} />
      <Loaded resource={job} record={{ kind: 'run', isBelowHead: true }}>
        {({ progress }) =>
          isUnderWay ? (
            <UnderWay jobId={id} progress={progress} isWaiting={status === 'accepted'} onCancelled={job.reload} />
          ) : (
            <p class="result-note">{status === 'dismissed' ? t('runs.wasCancelled') : t('runs.neverBegan')}</p>
          )
        }
      </Loaded>
    </>
  )
}

function OpenRun({ id }: { id: string }) {
  const run = useResource(async () => {
    const found = await loadRun(id)
    prefetchViews(found)
    return { run: found, outcome: await loadOutcome(found) }
  }, [id, ownerId.value])
  const isRunning = run.data.value?.run.status === 'running'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(run.reload, AGAIN_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  const title = useTitle(run.data.value?.run.processID)
  const loaded = run.data.value?.run
  return (
    <>
      <PageHead
        title={loaded?.name ?? title}
        isName={loaded?.name !== null}
        parent={parent()}
        {...(loaded && {
          heading: <RunName run={loaded} title={title} onNamed={run.reload} />,
          beside: <RunState state={stateOf(loaded)} />,
        })}
      >
        {loaded && <SaveAsRecipe run={loaded} />}
        {loaded && (
          <Button icon="reload" title={t('runs.againHelp')} onClick={() => runAgain(loaded)}>
            {t('runs.again')}
          </Button>
        )}
      </PageHead>
      <Loaded resource={run} lines={12} record={{ kind: 'run', isBelowHead: true }}>
        {({ run: shown, outcome }) => (
          <div class="run">
            <RunOutcome run={shown} outcome={outcome} />
            <RunFacts run={shown} title={title} />
          </div>
        )}
      </Loaded>
    </>
  )
}

/** Opens the tool with the files and the settings of the run. */
async function runAgain(run: RunDetail): Promise<void> {
  await attempt(async () => {
    navigate(await fillTool(run))
  })
}

function RunName({ run, title, onNamed }: { run: RunDetail; title: string; onNamed: () => void }) {
  const [error, setError] = useState<string | undefined>(undefined)
  async function save(typed: string): Promise<boolean> {
    const name = typed === '' || typed === title ? null : typed
    setError(undefined)
    try {
      const params = { path: { id: run.runId ?? '' } }
      await api.PATCH('/enterprise/v1/gis/runs/{id}', { params, body: { name } })
      onNamed()
      return true
    } catch (failure) {
      setError(failure instanceof ApiError ? failureText(failure) : String(failure))
      return false
    }
  }
  return (
    <EditableName
      value={run.name ?? title}
      label={t('runs.nameOfResult')}
      action={run.name === null ? t('runs.giveName') : t('runs.changeName')}
      error={error}
      onSave={save}
    />
  )
}
