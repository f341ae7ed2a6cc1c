/** The outcome of a run: shown on the page of its tool, and again after a reload. */
import { useEffect, useRef } from 'preact/hooks'
import { queryValue } from '../../../shell/router.ts'
import { inDigits, t } from '../../../text/text.ts'
import type { ToolRun } from '../data/run-tool.ts'
import type { ProcessDescription } from '../process-form/process.ts'
import { RunResult } from '../result-view/run-result.tsx'

export function RunOutcome({ process, run }: { process: ProcessDescription; run: ToolRun | undefined }) {
  const state = run?.state.value
  const runId = state?.phase === 'done' ? state.answer.usage.runId : run === undefined ? queryValue('run') : undefined
  const heading = useRef<HTMLHeadingElement>(null)
  const isNew = state?.phase === 'done'
  useEffect(() => {
    // below the form on a narrow page
    if (isNew) heading.current?.scrollIntoView({ block: 'nearest' })
  }, [isNew])
  if (runId === undefined)
    return (
      <section class="tool-empty weak">
        <p>{inDigits(process.outputs.result.schema.description ?? t('tools.resultHere'))}</p>
      </section>
    )
  return (
    <section aria-labelledby="tool-result">
      <h2 id="tool-result" ref={heading}>
        {t('tools.result')}
      </h2>
      {state?.phase === 'done' && (
        <p class="weak" role="status">
          {t('tools.charged', {
            count: state.answer.usage.creditsCharged,
            left: state.answer.usage.creditsRemaining,
          })}
        </p>
      )}
      <RunResult key={runId} runId={runId} {...(state?.phase === 'done' && { data: state.answer })} />
    </section>
  )
}
