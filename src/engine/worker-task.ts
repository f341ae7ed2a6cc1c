/**
 * Work for worker processes that is not a tool: it is heavy, or its input may be hostile. The default export of
 * `src/<folder>/<name>.ts` is the task with the id `<folder>.<name>`.
 */
import type { RunContext, ToolResult } from '../tools/tool.ts'
import type { LaneName } from './engine.ts'

export const TASK_FOLDERS = ['intake', 'zones', 'alerts'] as const

export type WorkerTask<Input> = {
  id: `${(typeof TASK_FOLDERS)[number]}.${string}`
  lane: LaneName
  run(input: Input, context: RunContext): Promise<ToolResult>
}

export const defineWorkerTask = <Input>(task: WorkerTask<Input>): WorkerTask<Input> => task
