/** The files that were chosen for each tool, kept while other pages are open; they cannot be stored like texts. */
import { type Signal, signal } from '@preact/signals'
import { ownerId } from '../../../shell/session.ts'
import type { FormFiles } from '../process-form/values.ts'

/** The name of a tool's form: each owner has one for each tool. */
export const draftName = (process: string): string => `tool.${ownerId.value ?? ''}.${process}`

const chosen = new Map<string, Signal<FormFiles>>()

/** @param name identifies the form, like its draft */
export function filesOf(name: string): Signal<FormFiles> {
  const known = chosen.get(name)
  if (known !== undefined) return known
  const files = signal<FormFiles>({})
  chosen.set(name, files)
  return files
}
