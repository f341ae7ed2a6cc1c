/**
 * Work on what owners bring in, done in worker processes like tools are: it is large, and it may be hostile. A module
 * beside this one is a kind of work, run by its id.
 */
import type { InputFile, RunContext, Tool, ToolResult } from '../tools/tool.ts'

export type Intake<Input> = {
  id: `intake.${string}`
  /** `readings` for what is done with readings as they come. */
  lane: Tool['lane'] | 'readings'
  run(input: Input, context: RunContext): Promise<ToolResult>
}

export type { InputFile }

export const defineIntake = <Input>(intake: Intake<Input>): Intake<Input> => intake
