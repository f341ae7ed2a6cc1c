/** Messages between the server and its worker processes, as JSON (channel.ts). Files are sent as paths, never as content. */
import type { FieldError } from '../errors.ts'
import type { Plan, ToolLimits, ToolResult } from '../tools/tool.ts'

/** A run, or one part of a run that another process owns. */
export type Order = {
  run: number
  /** Id of a tool or of a task (worker-task.ts). */
  tool: string
  input: Record<string, unknown>
  /** Path of a JSON body that holds the input, which is parsed and checked here; `input` is empty then. */
  bodyPath?: string | undefined
  /** The part to work on, if the run is shared. */
  part?: unknown
  /** The folder for results. The process creates it when it needs it. */
  scratch: string
  /** Whether the run has files, so that its tool needs the folder. */
  hasFolder: boolean
  limits: ToolLimits
  plan: Plan
  /** Id of the call that started it, for log lines. */
  requestId?: string | undefined
  /** Whether the process is to measure its work. */
  isTraced?: boolean
  /** Where to write the result's data as JSON text if it is long, so that the reply is short. */
  dataPath?: string | undefined
}

export type ToWorker =
  | Order
  /** The part to do next; null when none are left. */
  | { run: number; grantedPart: number | null }
  /** The outcome of a part that another process did. */
  | { run: number; part: number; outcome: Outcome }
  /** The process is replaced unless it releases memory. */
  | { tidy: true }

/** `lost`: its process was killed, so the owner does the part itself. */
export type Outcome = { value: unknown } | { failure: Failure } | { lost: true }

/** A tool's failure: an error code, or an unexpected error from a bug. */
export type Failure =
  | { kind: 'expected'; code: string; message: string; messageAr: string; errors?: FieldError[]; cause?: string }
  | { kind: 'unexpected'; message: string; stack: string }

export type FromWorker =
  /** Sent when the process can take work, and again after it has cleaned up. `missing`: why it works without GDAL. */
  | { ready: true; missing?: string }
  | { run: number; progress: number }
  /** The parts of a run, which idle processes may work on. */
  | { run: number; share: unknown[] }
  | { run: number; requestPart: true }
  | Finished

/** When the process worked on a run, in milliseconds since 1970. */
export type Worked = { fromMs: number; toMs: number }

/** `hasFolder`: the process has created the folder for results. */
export type Finished = { worked?: Worked; hasFolder?: boolean } & (
  | /** `cachedBytes`: memory of the process's caches, kept for later runs. */
  { run: number; result: ToolResult; cachedBytes: number }
  /** The result of a part. */
  | { run: number; value: unknown }
  | { run: number; failure: Failure }
)
