/**
 * Runs the first example of every tool many times in one worker process, which must succeed each time and keep its
 * memory: `bun bench/endurance.ts [runs] [part of a tool's id]`. Exits with 1 if any run fails.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startEngine } from '../src/engine/engine.ts'
import { unconfined } from '../src/engine/sandbox.ts'
import { checkInput, isFileField, isFilesField } from '../src/tools/check.ts'
import { loadRegistry } from '../src/tools/registry.ts'
import type { Tool } from '../src/tools/tool.ts'
import { childrenOf, ROOT, residentMb } from '../test/support/processes.ts'
import { say } from './tool-harness.ts'

const [runs = '2000', filter = ''] = process.argv.slice(2)
/** How often memory is measured for a tool. */
const POINTS = 10
const FIXTURES = join(ROOT, 'test/fixtures/tools')
const home = mkdtempSync(join(tmpdir(), 'groundwave-endurance-'))
const engine = startEngine({
  workers: { bun: 1, node: 1 },
  waiting: { total: 4, perTenant: 4 },
  runningPerTenant: 4,
  sandbox: unconfined('measured without it'),
  maxMemoryBytes: 2 ** 30,
  limits: { maxFeatures: 1e6, maxUnpackedBytes: 500 * 2 ** 20, maxPixels: 1e8, maxSamples: 4e9, maxPages: 2_000 },
  nodePath: join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`),
  onEvent: () => undefined,
})

async function runOnce(tool: Tool, scratch: string): Promise<void> {
  const place = (name: string) => {
    const path = join(scratch, `input-${basename(name)}`)
    copyFileSync(join(FIXTURES, name), path)
    return { path, filename: name, bytes: statSync(path).size }
  }
  const input = Object.entries(tool.examples[0]?.input ?? {}).map(([field, value]) => {
    const schema = tool.input.properties[field]
    if (schema === undefined || !isFileField(schema)) {
      // examples hold the text of a form
      const isText = schema?.['x-svc-encoding'] === 'json-text' && typeof value === 'string'
      return [field, isText ? JSON.parse(value) : value]
    }
    return [field, isFilesField(schema) ? (value as string[]).map(place) : place(value as string)]
  })
  const checked = checkInput(tool, Object.fromEntries(input))
  await engine.run(tool, checked, { scratch, deadlineMs: 120_000, plan: 'max', tenant: 'bench' })
}

await engine.ready()
const memory = async (): Promise<number> => Math.round(Math.max(0, ...(await childrenOf(process.pid)).map(residentMb)))
let failures = 0
for (const tool of (await loadRegistry()).tools.filter(({ id }) => id.includes(filter))) {
  const started = performance.now()
  const faults = new Map<string, number>()
  const curve: number[] = []
  for (let i = 0; i < Number(runs); i++) {
    const scratch = join(home, `${tool.id}-${i}`)
    mkdirSync(scratch)
    await runOnce(tool, scratch).catch((error: Error) => {
      failures++
      const text = `${error.message}${error.cause ? `: ${(error.cause as Error).message}` : ''}`.slice(0, 200)
      faults.set(text, (faults.get(text) ?? 0) + 1)
    })
    rmSync(scratch, { recursive: true })
    if ((i + 1) % Math.ceil(Number(runs) / POINTS) === 0) curve.push(await memory())
  }
  const msEach = (performance.now() - started) / Number(runs)
  const failed = [...faults].map(([text, count]) => `  ${count} × ${text}`)
  say(`${tool.id}: ${runs} runs, ${msEach.toFixed(1)} ms each, ${curve.join(' → ')} MB resident`)
  for (const line of failed) say(line)
}
await engine.stop()
rmSync(home, { recursive: true })
process.exit(failures > 0 ? 1 : 0)
