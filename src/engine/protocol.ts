/** What the server and its worker processes say to each other, as JSON. Files go as paths, never as content. */
import type { FieldError } from '../errors.ts'
import type { Plan, ToolLimits, ToolResult } from '../tools/tool.ts'

/** A run, or a part of one that another process works on. */
export type Order = {
  run: number
  /** Of what runs: a tool's id, or `intake.<name>` for work on what owners bring in. */
  tool: string
  input: Record<string, unknown>
  /** Of a run that is shared: what this process does of it. */
  part?: unknown
  scratch: string
  limits: ToolLimits
  plan: Plan
  /** A path that the result's data goes to as JSON text, instead of coming back. */
  dataPath?: string | undefined
}

export type ToWorker =
  | Order
  /** The part that it may do next; none are left when it is null. */
  | { run: number; grantedPart: number | null }
  /** What came of a part that another process did. */
  | { run: number; part: number; outcome: Outcome }

export type Outcome = { value: unknown } | { failure: Failure }

/** What a tool failed with: on purpose, with a code of the table, or by a mistake of ours. */
export type Failure =
  | { kind: 'expected'; code: string; message: string; errors?: FieldError[]; cause?: string }
  | { kind: 'unexpected'; message: string; stack: string }

export type FromWorker =
  /** Said once, when it can take work; `missing` tells what its lane cannot do. */
  | { ready: true; missing?: string }
  | { run: number; progress: number }
  /** Of a run that can be shared: its parts, which idle processes may take on. */
  | { run: number; share: unknown[] }
  | { run: number; requestPart: true }
  /** `cachedBytes`: memory that the process holds on purpose for later runs. */
  | { run: number; result: ToolResult; cachedBytes: number }
  /** Of a part. */
  | { run: number; value: unknown }
  | { run: number; failure: Failure }
