/** `?input=fil_…&name=…`: the result of another tool as the first file, without sending it again. */
import type { Signal } from '@preact/signals'
import { queryValue } from '../../../shell/router.ts'
import { isFile, type ProcessDescription } from '../process-form/process.ts'
import type { FormFiles } from '../process-form/values.ts'

export function takeInputOfAddress(process: ProcessDescription, files: Signal<FormFiles>): void {
  const key = queryValue('input')
  const field = Object.entries(process.inputs).find(([, input]) => isFile(input))?.[0]
  if (key === undefined || field === undefined) return
  const chosen = files.peek()[field] ?? []
  if (chosen.some((file) => file.kind === 'stored' && file.key === key)) return
  const input = process.inputs[field]
  const stored = { kind: 'stored' as const, id: key, key, name: queryValue('name') ?? key }
  // a field for a single file replaces its file
  const others = input === undefined || input.maxOccurs === 1 ? [] : chosen
  files.value = { ...files.peek(), [field]: [stored, ...others].slice(0, input?.maxOccurs ?? 1) }
}
