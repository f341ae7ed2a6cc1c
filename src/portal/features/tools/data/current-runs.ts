/** The newest run of each tool, kept while other pages are open; one that ends there is announced. */
import { signal } from '@preact/signals'
import { href } from '../../../shell/router.ts'
import { ownerId } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { notify } from '../../../ui/toasts.tsx'
import type { ToolRun } from './run-tool.ts'

const runs = signal<ReadonlyMap<string, ToolRun>>(new Map())
const keyOf = (processId: string): string => `${ownerId.value ?? ''} ${processId}`

/** The run that the open page shows. */
let watched: string | undefined

export const currentRun = (processId: string): ToolRun | undefined => runs.value.get(keyOf(processId))

/** While a page shows a tool, its runs are not announced. @returns a function to call when the page is left */
export function watchRuns(processId: string): () => void {
  const key = keyOf(processId)
  watched = key
  return () => {
    if (watched === key) watched = undefined
  }
}

export function keepRun(run: ToolRun): void {
  const key = keyOf(run.processId)
  runs.value = new Map(runs.peek()).set(key, run)
  void run.ended.then(() => {
    if (watched !== key) announce(run)
  })
}

export function forgetRun(processId: string): void {
  const rest = new Map(runs.peek())
  rest.delete(keyOf(processId))
  runs.value = rest
}

function announce({ title, processId, state }: ToolRun): void {
  const ended = state.peek()
  const toTool = href('/tools/:process', { process: processId })
  if (ended.phase === 'done')
    notify(t('tools.ended', { title }), {
      link: { href: href('/runs/:id', { id: ended.answer.usage.runId }), text: t('tools.showResult') },
    })
  else if (ended.phase === 'failed')
    notify(t('tools.endedBadly', { title }), { isError: true, link: { href: toTool, text: t('tools.open') } })
}
