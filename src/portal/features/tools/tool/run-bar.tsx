/** The buttons that run a tool, and the progress of the run. */
import { useEffect, useState } from 'preact/hooks'
import { formatBytes, formatDuration } from '../../../text/format.ts'
import { t } from '../../../text/text.ts'
import { Button, CopyButton } from '../../../ui/button.tsx'
import { failureText } from '../../../ui/form.ts'
import { Progress } from '../../../ui/progress.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { creditsText } from '../data/data-flow.tsx'
import { isUnderWay, type RunState, type ToolRun } from '../data/run-tool.ts'
import { canBeJob, runsLong } from '../data/stored-inputs.ts'
import type { ProcessDescription } from '../process-form/process.ts'
import type { FormContent } from '../process-form/values.ts'

export function RunBar(props: {
  process: ProcessDescription
  content: FormContent
  /** Number of runs. */
  count: number
  /** Number of fields that keep the form from being sent. */
  faults: number
  run: ToolRun | undefined
  onRun: (asJob: boolean) => void
  onReset: () => void
}) {
  const { process, content, count, faults, run } = props
  const state = run?.state.value
  const isLong = count === 1 && runsLong(process, content)
  if (run !== undefined && state !== undefined && isUnderWay(state)) return <UnderWay run={run} state={state} />
  return (
    <div class="run-bar">
      {faults > 0 && (
        <p class="form-error run-faults" role="alert">
          {t('tools.faults', { count: faults })}
        </p>
      )}
      {state?.phase === 'failed' && state.error.status !== 401 && (
        <div class="form-error" role="alert">
          <p dir="auto">{failureWords(state, process)}</p>
          {state.error.requestId !== undefined && (
            <CopyButton text={state.error.requestId}>{t('frame.copyRequestId')}</CopyButton>
          )}
        </div>
      )}
      {state?.phase === 'failed' && state.error.status === 401 && (
        <p class="form-error" role="alert">
          {t('tools.signInAgain')}
        </p>
      )}
      {state?.phase === 'cancelled' && <p role="status">{t('tools.cancelled')}</p>}
      <div class="row">
        <Button kind="main" icon="play" type="submit">
          {count > 1 ? t('batch.run', { count }) : isLong ? t('tools.runInBackground') : t('tools.run')}
        </Button>
        {count === 1 && canBeJob(process) && !isLong && (
          <Button onClick={() => props.onRun(true)}>{t('tools.runInBackground')}</Button>
        )}
        <span class="weak number run-price">{creditsText(process.svc.credits * count)}</span>
        <span class="run-bar-end">
          <Button kind="quiet" icon="reload" onClick={props.onReset}>
            {t('tools.reset')}
          </Button>
        </span>
      </div>
      {isLong && <p class="weak">{t('tools.largeFiles')}</p>}
    </div>
  )
}

/** Errors of fields are shown at the fields; other failures of the server are shown here. */
function failureWords({ error }: Extract<RunState, { phase: 'failed' }>, { inputs }: ProcessDescription): string {
  const areAtFields = error.faults.length > 0 && error.faults.every(({ field }) => inputs[field.split('.')[0] ?? ''])
  return areAtFields ? t('tools.faults', { count: error.faults.length }) : failureText(error)
}

function UnderWay({ run, state }: { run: ToolRun; state: RunState }) {
  const cancel = (): Promise<void> =>
    run.cancel().catch(() => {
      notify(t('tools.notCancelled'), { isError: true })
    })
  return (
    <div class="run-bar" role="status">
      {state.phase === 'sending' && (
        <Progress
          label={t('tools.sending')}
          done={state.sentBytes}
          total={state.totalBytes === 0 ? undefined : state.totalBytes}
          isPaused={state.isWaiting}
          text={
            state.isWaiting
              ? t('tools.waiting')
              : t('tools.sent', { sent: formatBytes(state.sentBytes), total: formatBytes(state.totalBytes) })
          }
          rateText={(perSecond) => t('tools.perSecond', { rate: formatBytes(perSecond) })}
        />
      )}
      {state.phase === 'running' && (
        <>
          <Progress label={t('tools.running')} done={0} total={undefined} text={t('tools.running')} />
          <Elapsed />
        </>
      )}
      {state.phase === 'job' && (
        <>
          <Progress
            label={t('tools.running')}
            done={state.job.progress}
            total={state.job.status === 'accepted' ? undefined : 100}
            text={state.job.status === 'accepted' ? t('tools.queued') : t('tools.running')}
          />
          <p class="weak">{t('tools.mayLeave')}</p>
        </>
      )}
      {/* not in the place of the run button: the second click of a double click must not cancel */}
      <div class="run-bar-cancel">
        <Button icon="close" onClick={cancel}>
          {t('tools.cancel')}
        </Button>
      </div>
    </div>
  )
}

const TICK_MS = 1_000

/** Shows that the page is waiting and not frozen. */
function Elapsed() {
  const [started] = useState(() => Date.now())
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const elapsedMs = Math.floor((Date.now() - started) / TICK_MS) * TICK_MS
  return elapsedMs < TICK_MS * 2 ? null : <p class="weak number">{formatDuration(elapsedMs)}</p>
}
