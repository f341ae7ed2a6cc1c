/**
 * A worker's earlier calls do not change its results: examples of tools give the same results in two orders, each in
 * separate workers. Libraries cache glyphs, coordinate systems and pictures of earlier calls.
 */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { loadRegistry } from '../../../src/tools/registry.ts'
import { run } from '../../support/formats/pdfs.ts'
import { isLong, sampleOf } from '../../support/rounds.ts'
import { replaceWorkers, runTool } from '../../support/workers/engine.ts'

type Call = { id: string; name: string; input: Record<string, unknown> }

const { tools } = await loadRegistry()
/** Texts with similar letters. */
const TEXTS = ['Žé Ä ќ fi', 'Zebra, the Ao к f i', 'لا كِتَاب', 'كتاب ل ا']
/** Forms hold lists and objects as text. */
const parsed = (value: unknown): unknown =>
  typeof value === 'string' && /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value
const EXAMPLES: Call[] = tools.flatMap(({ id, examples }) =>
  examples.map(({ name, input }) => {
    const entries = Object.entries(input).map(([field, value]) => [field, parsed(value)])
    return { id, name, input: Object.fromEntries(entries) as Record<string, unknown> }
  }),
)
const WITH_TEXT: Call[] = TEXTS.flatMap((text) => [
  { id: 'document.pdf-watermark', name: text, input: { file: 'report.pdf', text } },
  { id: 'document.fill-pdf', name: text, input: { file: 'form.pdf', values: { name: text }, flatten: 'true' } },
  { id: 'image.image-watermark', name: text, input: { file: 'logo.png', text } },
])
/** Tools that take seconds; in `npm test` their results are only compared with the truth. */
const SLOW = new Set(['image.remove-background', 'document.ocr', 'document.pdf-to-word'])

/** The time of writing, and identifiers that are new in each file, are ignored. */
const MOMENTS = [
  /\/(CreationDate|ModDate) \([^)]*\)/g,
  /\/ID \[.*\]/g,
  /<dcterms:(created|modified)[^<]*<[^>]*>/g,
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g,
]
const withoutMoments = (bytes: Buffer): string =>
  MOMENTS.reduce((text, moment) => text.replace(moment, ''), bytes.toString('latin1'))

function contentOf(path: string, filename: string): string {
  const kind = filename.split('.').at(-1) ?? ''
  if (kind === 'pdf') return withoutMoments(Buffer.from(run('qpdf', '--qdf', '--static-id', path, '-'), 'utf8'))
  if (kind === 'gpkg') return run('ogr2ogr', '-f', 'GeoJSONSeq', '/vsistdout/', path)
  const bytes = readFileSync(path)
  if (!['zip', 'docx', 'xlsx'].includes(kind)) return withoutMoments(bytes)
  return run('unzip', '-Z1', path)
    .split('\n')
    .filter((name) => name !== '' && !name.endsWith('/'))
    .map((name) => `${name}\n${run('unzip', '-p', path, name.replace(/[[*?\\]/g, '\\$&'))}`)
    .map((entry) => withoutMoments(Buffer.from(entry)))
    .join('\n')
}

async function resultOf({ id, input }: Call): Promise<string> {
  const { data, warnings, path, filename } = await runTool(id, input)
  const content = path === '' ? '' : contentOf(path, filename)
  return `${JSON.stringify([data, warnings])} ${Bun.hash(content)}`
}

test(
  'examples of all tools in two orders',
  async () => {
    const examples = isLong
      ? EXAMPLES
      : sampleOf(
          EXAMPLES.filter(({ id }) => !SLOW.has(id)),
          12,
        )
    const calls = [...examples, ...WITH_TEXT]
    const results = new Map<Call, string>()
    for (const call of calls) results.set(call, await resultOf(call))
    await replaceWorkers()
    for (const call of calls.toReversed())
      expect([call.id, call.name, await resultOf(call)]).toEqual([call.id, call.name, results.get(call) as string])
  },
  isLong ? 1_200_000 : 120_000,
)
