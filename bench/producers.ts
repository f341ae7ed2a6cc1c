/**
 * CPU time and highest memory of every tool on files of other programs, compared with files of the same content that our
 * own tools wrote, each in a fresh process, alternating. `SCALE=16 bun test/producers/make.ts FOLDER` makes larger files.
 * `bun run bench producers [rounds] [part of a tool's id] [pattern of files' names] [FOLDER]`. Limit: twice.
 */
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { isFileField } from '../src/tools/check.ts'
import type { Tool } from '../src/tools/tool.ts'
import { filesOf, GROUPS, type Group, inputOf, SLOW, type Source, toolsOf } from '../test/support/producers.ts'
import { outputOf } from '../test/support/program.ts'
import { NODE } from '../test/support/workers/engine.ts'
import { FIXTURES } from '../test/support/workers/tools.ts'

const [rounds = '3', only = '', pattern = '.', folder] = process.argv.slice(2)
const MAX_RATIO = 2
const home = mkdtempSync(join(tmpdir(), 'groundwave-producers-'))
const given = (path: string) => ({ path, filename: path.replace(/^.*\//, ''), bytes: statSync(path).size })
type Measured = { cpuMs: number; peakMb: number; path: string; scratch: string }

function run(tool: Tool, input: Record<string, unknown>, keep?: string): Measured {
  const placed = Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const schema = tool.input.properties[name]
      return [name, schema && isFileField(schema) && typeof value === 'string' ? given(join(FIXTURES, value)) : value]
    }),
  )
  const script = join(import.meta.dir, 'support/one-run.ts')
  const program = tool.lane === 'node' ? NODE : process.execPath
  const text = outputOf(program, [script, tool.id, JSON.stringify(placed)])
    .toString()
    .trim()
  const measured = JSON.parse(text.slice(text.lastIndexOf('\n') + 1)) as Measured
  if (keep !== undefined) copyFileSync(measured.path, keep)
  rmSync(measured.scratch, { recursive: true })
  return measured
}

/** Our own tools write no CSV, which is compared with GeoJSON. */
const FORMATS: Record<string, string> = { zip: 'shp', jpg: 'jpeg', tif: 'tiff', csv: 'geojson' }
const all = GROUPS.flatMap(toolsOf)
const byId = (id: string): Tool => all.find((tool) => tool.id === id) as Tool

/** The same content, from our own writer of the format. */
function ownFile(group: Group, { name, path }: Source): string {
  const end = extname(name).slice(1)
  const format = FORMATS[end] ?? end
  const own = join(home, end === 'csv' ? `${name}.${format}` : name)
  if (group === 'pdf') {
    const pages = outputOf('qpdf', ['--show-npages', path]).toString().trim()
    run(byId('document.split-pdf'), { file: given(path), ranges: `1-${pages}` }, own)
  } else if (group === 'raster') run(byId('raster.cog-optimize'), { file: given(path) }, own)
  else if (group === 'vector') run(byId('convert.validate-convert'), { file: given(path), target_format: format }, own)
  else {
    // a file is only copied into its own format
    const between = join(home, `between.${format === 'png' ? 'tif' : 'png'}`)
    const convert = byId('image.convert-format')
    run(convert, { file: given(path), target_format: format === 'png' ? 'tiff' : 'png' }, between)
    run(convert, { file: given(between), target_format: format }, own)
  }
  return own
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number
process.stdout.write(
  '| file | tool | CPU ms | of our own | MB | of our own | |\n| --- | --- | --- | --- | --- | --- | --- |\n',
)
for (const group of GROUPS) {
  const tools = toolsOf(group).filter(({ id }) => id.includes(only) && !(id in SLOW))
  if (tools.length === 0) continue
  for (const file of filesOf(group, folder).filter(({ name }) => new RegExp(pattern).test(name))) {
    let own: string
    try {
      own = ownFile(group, file)
    } catch (error) {
      process.stdout.write(`| ${file.name} | not written: ${String(error).slice(-200).replaceAll('\n', ' ')} |\n`)
      continue
    }
    for (const tool of tools)
      try {
        const [theirs, ours]: [Measured[], Measured[]] = [[], []]
        for (let round = 0; round < Number(rounds); round++) {
          theirs.push(run(tool, inputOf(tool, group, given(file.path))))
          ours.push(run(tool, inputOf(tool, group, given(own))))
        }
        const [a, b] = [theirs, ours].map((list) => median(list.map(({ cpuMs }) => cpuMs))) as [number, number]
        const [c, d] = [theirs, ours].map((list) => median(list.map(({ peakMb }) => peakMb))) as [number, number]
        const note = a > MAX_RATIO * b || c > MAX_RATIO * d ? 'more than twice' : ''
        process.stdout.write(`| ${file.name} | ${tool.id} | ${[a, b, c, d].map(Math.round).join(' | ')} | ${note} |\n`)
      } catch {
        process.stdout.write(`| ${file.name} | ${tool.id} | refused |\n`)
      }
  }
}
rmSync(home, { recursive: true })
