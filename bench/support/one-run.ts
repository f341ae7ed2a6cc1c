/** One run of a tool in this process; prints its CPU time, the highest memory of the process, and the result's path. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkInput } from '../../src/tools/check.ts'
import type { Tool } from '../../src/tools/tool.ts'

const [id = '', input = '{}'] = process.argv.slice(2)
// without the other tools, as in a worker process
const module = join(import.meta.dirname, `../../src/tools/${id.replace('.', '/')}.ts`)
const { default: tool } = (await import(module)) as { default: Tool }
const most = Number.MAX_SAFE_INTEGER
const limits = { maxFeatures: most, maxUnpackedBytes: most, maxPixels: 1e9, maxSamples: most, maxPages: most }
const context = {
  scratch: mkdtempSync(join(tmpdir(), 'groundwave-run-')),
  limits,
  plan: 'max' as const,
  openFolder: undefined,
  warn: () => undefined,
  progress: () => undefined,
  share: async <Part, Done>(parts: readonly Part[]): Promise<Done[]> => {
    const done: Done[] = []
    for (const part of parts) done.push((await tool.part?.(part as never, context)) as Done)
    return done
  },
}
const before = process.cpuUsage()
const { files } = await tool.run(checkInput(tool, JSON.parse(input)) as never, context)
const { user, system } = process.cpuUsage(before)
const [, peakKb] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
process.stdout.write(
  `\n${JSON.stringify({ cpuMs: (user + system) / 1000, peakMb: Number(peakKb) / 1024, path: files?.[0]?.path, scratch: context.scratch })}\n`,
)
process.exit(0)
