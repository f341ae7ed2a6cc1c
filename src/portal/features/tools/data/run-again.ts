/** Fills the form of a tool with the input of a run. */
import { keepDraft } from '../../../ui/form.ts'
import { isFile, type ProcessDescription } from '../process-form/process.ts'
import { type FormFiles, type FormValues, initialValues } from '../process-form/values.ts'
import type { RunDetail } from '../result-view/run-data.ts'
import { loadProcess } from './catalogue.ts'
import { draftName, filesOf } from './chosen-files.ts'
import { forgetRun } from './current-runs.ts'

/** A long list is recorded by its length only, and has to be entered again. */
export const isRecorded = (value: unknown): boolean =>
  !(typeof value === 'object' && value !== null && Object.keys(value).join() === 'items' && !Array.isArray(value))

function filesIn(process: ProcessDescription, { inputs }: RunDetail): FormFiles {
  const files: FormFiles = {}
  const fields = Object.entries(process.inputs).filter(([, input]) => isFile(input))
  for (const { key, field, filename } of inputs) {
    const name = fields.find(([one]) => one === field)?.[0]
    if (name === undefined) continue
    files[name] = [...(files[name] ?? []), { kind: 'stored', id: key, key, name: filename }]
  }
  return files
}

/** The values and files of a form that repeats the run. */
export function contentOf(process: ProcessDescription, run: RunDetail): { values: FormValues; files: FormFiles } {
  const settings = Object.fromEntries(Object.entries(run.settings).filter(([, value]) => isRecorded(value)))
  return { values: initialValues(process, settings), files: filesIn(process, run) }
}

/** @returns the address of the tool below /portal. @throws ApiError, also where the person may not use the tool */
export async function fillTool(run: RunDetail): Promise<string> {
  const process = await loadProcess(run.processID)
  const { values, files } = contentOf(process, run)
  const name = draftName(run.processID)
  keepDraft(name, values)
  filesOf(name).value = files
  forgetRun(run.processID)
  return `/tools/${encodeURIComponent(run.processID)}`
}
