/** A result that is opened by its address: the form gets the settings and the input that made it. */
import type { Signal } from '@preact/signals'
import { ApiError } from '../../../api/client.ts'
import { type Draft, keepDraft } from '../../../ui/form.ts'
import type { ProcessDescription } from '../process-form/process.ts'
import type { FormFiles, FormValues } from '../process-form/values.ts'
import { loadRun } from '../result-view/run-data.ts'
import { draftName } from './chosen-files.ts'
import { contentOf } from './run-again.ts'

const placeOf = (process: string): string => `groundwave.run-of.${draftName(process)}`

/** The form in this tab made the run, and may have been changed since. */
export const rememberRun = (process: string, runId: string): void => sessionStorage.setItem(placeOf(process), runId)

export async function reopenRun(
  process: ProcessDescription,
  runId: string,
  draft: Draft<FormValues>,
  files: Signal<FormFiles>,
): Promise<void> {
  try {
    const run = await loadRun(runId)
    if (run.processID !== process.id) return
    const content = contentOf(process, run)
    if (sessionStorage.getItem(placeOf(process.id)) !== runId) {
      keepDraft(draftName(process.id), content.values)
      draft.values.value = content.values
      files.value = content.files
      rememberRun(process.id, runId)
      // chosen files do not survive a reload of the page, but the run has them
    } else if (Object.values(files.peek()).every((chosen) => chosen.length === 0)) files.value = content.files
  } catch (error) {
    // the result's own place says why the run cannot be read
    if (!(error instanceof ApiError)) throw error
  }
}
