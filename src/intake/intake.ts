/**
 * Processing of owners' data in worker processes, as for tools, because the data may be large or hostile. Each other
 * module in this folder is one kind of work and is run by its id.
 */
import type { InputFile, RunContext, Tool, ToolResult } from '../tools/tool.ts'

export type Intake<Input> = {
  id: `intake.${string}`
  /** `readings` for work on incoming readings. */
  lane: Tool['lane'] | 'readings'
  run(input: Input, context: RunContext): Promise<ToolResult>
}

export type { InputFile }

export const defineIntake = <Input>(intake: Intake<Input>): Intake<Input> => intake
