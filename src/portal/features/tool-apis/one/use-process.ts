/** The description of a tool, from which the form of its settings is built. */
import { send } from '../../../api/client.ts'
import { type Resource, useResource } from '../../../api/resource.ts'
import { language } from '../../../shell/preferences.ts'
import { ownerId } from '../../../shell/session.ts'
import type { ProcessDescription } from '../../tools/process-form/process.ts'
import { loadTools, type SavableTool } from './tool-api-data.ts'

export async function loadProcess(id: string, signal: AbortSignal): Promise<ProcessDescription> {
  const lang = language.value
  const response = await send(`/enterprise/v1/gis/processes/${encodeURIComponent(id)}?lang=${lang}`, { signal })
  return (await response.json()) as ProcessDescription
}

export type ToolWithProcess = { tool: SavableTool; process: ProcessDescription }

/** @returns undefined as data for a tool that can no longer be saved */
export function useTool(id: string): Resource<ToolWithProcess | undefined> {
  return useResource(
    async (signal) => {
      const tool = (await loadTools(signal)).find((one) => one.id === id)
      return tool && { tool, process: await loadProcess(id, signal) }
    },
    [id, language.value, ownerId.value],
  )
}
