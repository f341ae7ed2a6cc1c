/** Runs a tool in a worker process, after the last checks of the order of checks of a Tool API. */
import { AppError } from '../errors.ts'
import type { InputFile, RunContext, Tool, ToolResult } from '../tools/tool.ts'

/**
 * A call of a saved tool is checked here, so that no tool can open the item that it is bound to before the caller's
 * input is known to be valid.
 * @throws AppError as `readInput` does; then TOOL_API_BINDING_MISSING; then as the tool does
 */
export async function runTool(
  tool: Pick<Tool, 'saved' | 'run'>,
  input: Record<string, unknown>,
  context: RunContext,
): Promise<ToolResult> {
  const file = input.file as InputFile | undefined
  if (file?.body === undefined) return tool.run(input as never, context)
  // loaded only for saved tools, because it needs the libraries of vector tools
  const { readInput } = await import('../tools/saved-input.ts')
  const layer = readInput(file, file.body, tool.saved)
  const second = tool.saved?.second && (input[tool.saved.second.field] as InputFile)
  if (second?.bound === 'missing') throw new AppError('TOOL_API_BINDING_MISSING')
  return tool.run({ ...input, file: { ...file, layer } } as never, context)
}
