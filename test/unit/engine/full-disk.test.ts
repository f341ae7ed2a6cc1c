/** Tools on a full disk: a failure of the service, never an incomplete result or an error about the file. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { $ } from 'bun'
import { type Engine, startEngine } from '../../../src/engine/engine.ts'
import type { AppError } from '../../../src/errors.ts'
import { checkInput, isFileField, isFilesField } from '../../../src/tools/check.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import { NODE } from '../../support/workers/engine.ts'
import { FIXTURES } from '../../support/workers/tools.ts'
import { unconfined } from '../../support/workers/unconfined.ts'

const { tools } = await loadRegistry()
const disk = mkdtempSync(join(tmpdir(), 'groundwave-full-'))
/** Only root can mount, and not in every container. */
const isMounted = (await $`mount -t tmpfs -o size=2m tmpfs ${disk}`.quiet().nothrow()).exitCode === 0
let engine: Engine

beforeAll(async () => {
  engine = startEngine({
    workers: { bun: 1, node: 1 },
    waiting: { total: 4, perTenant: 4 },
    runningPerTenant: 4,
    sandbox: unconfined(disk),
    maxMemoryBytes: 2 ** 30,
    limits: { maxFeatures: 1e6, maxUnpackedBytes: 2 ** 26, maxPixels: 1e8, maxSamples: 4e9, maxPages: 2_000 },
    nodePath: NODE,
    onEvent: () => undefined,
  })
  await engine.ready()
})
afterAll(async () => {
  await engine.stop()
  if (isMounted) await $`umount --lazy ${disk}`.quiet()
  rmSync(disk, { recursive: true, force: true })
})

/** The input of the first example with its files in `scratch`. */
function inputIn(scratch: string, tool: Tool, changes: Record<string, unknown>): Record<string, unknown> {
  const place = (name: string) => {
    const path = join(scratch, `input-${basename(name)}`)
    copyFileSync(join(FIXTURES, name), path)
    return { path, filename: name, bytes: statSync(path).size }
  }
  const given = { ...tool.examples[0]?.input, ...changes }
  const input = Object.entries(given).map(([field, value]) => {
    const schema = tool.input.properties[field]
    if (schema === undefined || !isFileField(schema)) {
      const isText = schema?.['x-svc-encoding'] === 'json-text' && typeof value === 'string'
      return [field, isText ? JSON.parse(value) : value]
    }
    return [field, isFilesField(schema) ? (value as string[]).map(place) : place(value as string)]
  })
  return checkInput(tool, Object.fromEntries(input))
}

function fill(folder: string): void {
  const file = openSync(join(folder, 'filler'), 'a')
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch {
    // the disk is full
  } finally {
    closeSync(file)
  }
}

const FORMATS = ['shp', 'kml', 'gml', 'gpkg', 'fgb', 'kmz', 'parquet']
type Case = [name: string, tool: Tool, changes: Record<string, unknown>]
const cases = tools.flatMap((tool): Case[] => [
  [tool.id, tool, {}],
  ...(tool.id === 'vector.explode' ? FORMATS : []).map(
    (format): Case => [`${tool.id} as ${format}`, tool, { target_format: format }],
  ),
])

test.skipIf(!isMounted).each(cases)('%s', async (_, tool, changes) => {
  const scratch = join(disk, 'run')
  mkdirSync(scratch)
  try {
    const input = inputIn(scratch, tool, changes)
    fill(scratch)
    const run = engine.run(tool, input, { scratch, deadlineMs: 120_000, plan: 'max', tenant: 'test' })
    const error = await run.then(
      ({ files = [] }) => (files.length === 0 ? undefined : new Error('a result was returned')),
      (failure: unknown) => failure,
    )
    // tools that return data do not need the disk
    if (error !== undefined) expect((error as AppError).code ?? error).toBe('TOOL_FAILED')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
})
