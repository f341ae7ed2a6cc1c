/** One tool: its form, the run, the result, and the same call as a command. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { language } from '../../shell/preferences.ts'
import { href, queryValue, setQuery } from '../../shell/router.ts'
import { formatMoment } from '../../text/format.ts'
import { inDigits, t } from '../../text/text.ts'
import { useDraft } from '../../ui/form.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { currentBatch, forgetBatch, reopenBatch, startBatch } from './batch/batch.ts'
import { BatchResults } from './batch/batch-results.tsx'
import { knownProcess, loadProcess } from './data/catalogue.ts'
import { draftName, filesOf } from './data/chosen-files.ts'
import { currentRun, forgetRun, keepRun, watchRuns } from './data/current-runs.ts'
import { creditsText, DataFlow } from './data/data-flow.tsx'
import { rememberTool } from './data/recent.ts'
import { rememberRun, reopenRun } from './data/reopened-run.ts'
import { isUnderWay, resumeRun, startRun } from './data/run-tool.ts'
import { runsLong } from './data/stored-inputs.ts'
import type { ProcessDescription } from './process-form/process.ts'
import { focusFirstFault, ProcessForm } from './process-form/process-form.tsx'
import {
  batchFieldOf,
  callsOf,
  type FormContent,
  type FormValues,
  faultsIn,
  initialValues,
} from './process-form/values.ts'
import { takeInputOfAddress } from './tool/address-input.ts'
import { RunBar } from './tool/run-bar.tsx'
import { RunOutcome } from './tool/run-outcome.tsx'
import { SameCall } from './tool/same-call.tsx'
import { SaveAsApi } from './tool/save-as-api.tsx'

export function ToolPage({ parameters }: { parameters: Record<string, string> }) {
  const id = parameters.process ?? ''
  const loading = useResource(() => loadProcess(id), [id, language.value])
  // a preloaded description is shown at once; after a change of language the old one stays until the new one is loaded
  const process = knownProcess(id) ?? loading.data.value
  const error = loading.error.value
  const parent = { href: href('/tools'), label: t('tools.title') }
  if (process !== undefined) return <Tool process={process} />
  if (error?.status === 404)
    return (
      <>
        <PageHead title={t('tools.tool')} parent={parent} />
        <Empty title={t('tools.missing')} text={t('tools.missingText')}>
          <a class="button button-main" href={href('/tools')}>
            {t('tools.showAll')}
          </a>
        </Empty>
      </>
    )
  return (
    <>
      <PageHead title={t('tools.tool')} parent={parent} />
      {error === undefined ? <Skeleton lines={8} /> : <Failure error={error} onRetry={loading.reload} />}
    </>
  )
}

function Tool({ process }: { process: ProcessDescription }) {
  const { id, svc } = process
  const name = draftName(id)
  const draft = useDraft<FormValues>(name, initialValues(process))
  const files = useMemo(() => filesOf(name), [name])
  const [isChecked, setChecked] = useState(false)
  const run = currentRun(id)
  const state = run?.state.value
  const batchField = batchFieldOf(process)
  const content: FormContent = { process, values: draft.values.value, files: files.value, batchField }
  const calls = callsOf(content)
  const batch = currentBatch(id)
  const failure = state?.phase === 'failed' ? state.error : undefined

  useEffect(() => watchRuns(id), [id])
  useEffect(() => reopenBatch(process), [id])
  useEffect(() => takeInputOfAddress(process, files), [id])
  useEffect(() => {
    const runId = queryValue('run')
    if (runId !== undefined && currentRun(id) === undefined) void reopenRun(process, runId, draft, files)
  }, [id])
  useEffect(() => {
    const job = queryValue('job')
    // a job that was started before the page was reloaded
    if (job !== undefined && currentRun(id) === undefined)
      resumeRun(process, job).then(keepRun, () => setQuery({ job: undefined }))
  }, [id])
  useEffect(() => {
    if (state?.phase === 'done') {
      rememberRun(id, state.answer.usage.runId)
      setQuery({ run: state.answer.usage.runId, job: undefined })
    } else if (state?.phase === 'failed') {
      setQuery({ job: undefined })
      if (state.error.faults.length > 0) focusFirstFault()
    }
  }, [state?.phase])

  function start(asJob: boolean): void {
    if (batch?.isRunning.peek() || (state !== undefined && isUnderWay(state))) return
    if (faultsIn(content).size > 0) {
      setChecked(true)
      focusFirstFault()
      return
    }
    rememberTool(id)
    if (calls.length > 1) {
      const folder = `${process.title.slice(0, MAX_TITLE)} · ${formatMoment(Date.now())}`
      startBatch(process, calls, folder)
      forgetRun(id)
      setQuery({ run: undefined, job: undefined })
      return
    }
    forgetBatch(id)
    setQuery({ run: undefined, job: undefined })
    keepRun(startRun(process, content, { asJob, onJob: (job) => setQuery({ job }) }))
  }
  function reset(): void {
    draft.clear()
    files.value = {}
    setChecked(false)
    forgetRun(id)
    forgetBatch(id)
    setQuery({ run: undefined, job: undefined, input: undefined, name: undefined })
  }

  return (
    <>
      <PageHead
        title={process.title}
        parent={{ href: href('/tools'), label: t('tools.title') }}
        beside={
          <span class="tool-facts weak">
            <DataFlow input={svc.input} output={svc.output} />
            <span>{creditsText(svc.credits)}</span>
          </span>
        }
      />
      <p class="tool-description weak">{inDigits(process.description)}</p>
      <div class="tool-page">
        <form
          class="tool-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            start(runsLong(process, content))
          }}
        >
          <ProcessForm
            process={process}
            values={draft.values}
            onChange={draft.set}
            files={files}
            batchField={batchField}
            isChecked={isChecked}
            serverFaults={failure?.faults ?? NO_FAULTS}
          />
          <RunBar
            process={process}
            content={content}
            count={Math.max(1, calls.length)}
            faults={isChecked ? faultsIn(content).size : 0}
            run={run}
            onRun={start}
            onReset={reset}
          />
        </form>
        <div class="tool-side">
          {batch === undefined ? (
            <RunOutcome process={process} run={run} />
          ) : (
            <BatchResults batch={batch} onClose={() => forgetBatch(id)} />
          )}
          <SameCall process={process} content={calls[0]?.content ?? content} state={state} />
          <SaveAsApi id={id} values={draft.values} />
        </div>
      </div>
    </>
  )
}

/** So that a folder's name with its time fits. */
const MAX_TITLE = 60

/** One list for all renders: a new list would look like a new answer of the server. */
const NO_FAULTS: [] = []
