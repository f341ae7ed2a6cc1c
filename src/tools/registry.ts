/** All tools: every file in a group's folder is a tool. */
import { join } from 'node:path'
import type { Tool } from './tool.ts'

export type Registry = {
  /** Sorted by id. */
  tools: readonly Tool[]
  byId(id: string): Tool | undefined
}

export const TOOLS_DIR = import.meta.dirname

/** Path of a tool's module. */
export const modulePathOf = (id: string): string => join(TOOLS_DIR, `${id.replace('.', '/')}.ts`)

export async function loadRegistry(): Promise<Registry> {
  const ids = [...new Bun.Glob('*/*.ts').scanSync(TOOLS_DIR)].map((path) => path.replace('/', '.').replace(/\.ts$/, ''))
  const tools = await Promise.all(
    ids.sort().map(async (id) => ((await import(modulePathOf(id))) as { default: Tool }).default),
  )
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  return { tools, byId: (id) => byId.get(id) }
}
