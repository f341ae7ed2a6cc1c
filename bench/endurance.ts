/**
 * Runs the first example of every tool many times in one worker process, which must succeed each time, with the same
 * data, and keep its memory: `bun run bench endurance [runs] [part of a tool's id]`. Exits with 1 if any run fails.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { startEngine } from '../src/engine/engine.ts'
import { openSandbox } from '../src/engine/sandbox.ts'
import { checkInput, isFileField, isFilesField } from '../src/tools/check.ts'
import { loadRegistry } from '../src/tools/registry.ts'
import type { Tool } from '../src/tools/tool.ts'
import { childrenOf, ROOT, residentMb } from '../test/support/processes.ts'
import { say } from './support/tool-harness.ts'

const [runs = '2000', filter = ''] = process.argv.slice(2)
/** How often memory is measured for a tool. */
const POINTS = 10
const FIXTURES = join(ROOT, 'test/fixtures/tools')
const home = mkdtempSync(join(tmpdir(), 'groundwave-endurance-'))
/** Why processes ended that should have served every run. */
const replaced: string[] = []
const engine = startEngine({
  workers: { bun: 1, node: 1 },
  waiting: { total: 4, perTenant: 4 },
  runningPerTenant: 4,
  sandbox: await openSandbox({ home: join(home, 'sandbox'), scratch: home }, 'limits'),
  maxMemoryBytes: 2 ** 30,
  limits: { maxFeatures: 1e6, maxUnpackedBytes: 500 * 2 ** 20, maxPixels: 1e8, maxSamples: 4e9, maxPages: 2_000 },
  nodePath: join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`),
  onEvent: ({ event, reason }) => {
    if (event !== 'started') replaced.push(reason ?? event)
  },
})

/** A part of a fixture, for tools that need seconds for the whole. */
async function smaller(name: string, part: (picture: Sharp) => Sharp): Promise<string> {
  const path = join(home, name)
  await part(sharp(join(FIXTURES, name))).toFile(path)
  return path
}
/** Instead of the input of the first example. */
const SMALL: Record<string, Record<string, unknown>> = {
  'document.ocr': {
    // its first line
    file: await smaller('page.png', (page) => page.extract({ left: 20, top: 20, width: 330, height: 68 })),
    lang: 'eng',
  },
  'image.remove-background': { file: await smaller('dull.jpg', (photo) => photo.resize(64, 64)) },
}

/** @returns the data as JSON */
async function runOnce(tool: Tool, scratch: string): Promise<string> {
  const place = (name: string) => {
    const path = join(scratch, `input-${basename(name)}`)
    copyFileSync(isAbsolute(name) ? name : join(FIXTURES, name), path)
    return { path, filename: basename(name), bytes: statSync(path).size }
  }
  const input = Object.entries(SMALL[tool.id] ?? tool.examples[0]?.input ?? {}).map(([field, value]) => {
    const schema = tool.input.properties[field]
    if (schema === undefined || !isFileField(schema)) {
      // examples hold the text of a form
      const isText = schema?.['x-svc-encoding'] === 'json-text' && typeof value === 'string'
      return [field, isText ? JSON.parse(value) : value]
    }
    return [field, isFilesField(schema) ? (value as string[]).map(place) : place(value as string)]
  })
  const checked = checkInput(tool, Object.fromEntries(input))
  const { data } = await engine.run(tool, checked, { scratch, deadlineMs: 86_400_000, plan: 'max', tenant: 'bench' })
  return JSON.stringify(data)
}

await engine.ready()
const memory = async (): Promise<number> => Math.round(Math.max(0, ...(await childrenOf(process.pid)).map(residentMb)))
let failures = 0
for (const tool of (await loadRegistry()).tools.filter(({ id }) => id.includes(filter))) {
  const started = performance.now()
  const faults = new Map<string, number>()
  const curve: number[] = []
  let first: string | undefined
  for (let i = 0; i < Number(runs); i++) {
    const scratch = join(home, `${tool.id}-${i}`)
    mkdirSync(scratch)
    try {
      const data = await runOnce(tool, scratch)
      first ??= data
      if (data !== first) throw new Error('the data differs from that of the first run')
    } catch (error) {
      failures++
      const { message, cause } = error as Error
      const text = `${message}${cause ? `: ${(cause as Error).message}` : ''}`.slice(0, 200)
      faults.set(text, (faults.get(text) ?? 0) + 1)
    }
    rmSync(scratch, { recursive: true })
    if ((i + 1) % Math.ceil(Number(runs) / POINTS) === 0) curve.push(await memory())
  }
  const msEach = (performance.now() - started) / Number(runs)
  const failed = [...faults].map(([text, count]) => `  ${count} × ${text}`)
  const processes = replaced.length === 0 ? 'one process' : `${replaced.length} processes replaced (${replaced[0]})`
  replaced.length = 0
  say(`${tool.id}: ${runs} runs, ${processes}, ${msEach.toFixed(1)} ms each, ${curve.join(' → ')} MB resident`)
  for (const line of failed) say(line)
}
await engine.stop()
rmSync(home, { recursive: true })
process.exit(failures > 0 ? 1 : 0)
