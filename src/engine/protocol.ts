/** What the server and its worker processes say to each other, as JSON. Files go as paths, never as content. */
import type { FieldError } from '../errors.ts'
import type { Plan, ToolLimits, ToolResult } from '../tools/tool.ts'

export type ToWorker = {
  run: number
  tool: string
  input: Record<string, unknown>
  scratch: string
  limits: ToolLimits
  plan: Plan
}

/** What a tool failed with: on purpose, with a code of the table, or by a mistake of ours. */
export type Failure =
  | { kind: 'expected'; code: string; message: string; errors?: FieldError[]; cause?: string }
  | { kind: 'unexpected'; message: string; stack: string }

export type FromWorker =
  /** Said once, when it can take work; `missing` tells what its lane cannot do. */
  | { ready: true; missing?: string }
  | { run: number; progress: number }
  | { run: number; result: ToolResult }
  | { run: number; failure: Failure }
