/** docs/rejections.md names every rule by which files are rejected, and no other. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../support/processes.ts'

/** Folders and files whose errors concern input files. */
const SOURCES = [
  'src/lib/{pdf,image,raster,geo}/**/*.ts',
  'src/lib/zip.ts',
  'src/tools/{layers,overlays}.ts',
  'src/tools/raster/*.ts',
]
/** Rules about settings and fields that are no files, and about results. */
const OTHERS = new Set([
  'range',
  'syntax',
  'parts',
  'order',
  'delete',
  'operations',
  'maximum',
  'outputBytes',
  'complex',
  'hemisphere',
  'minutes',
  'seconds',
  'sign',
  'pattern',
  'side',
])

const rules = new Set<string>()
for (const source of SOURCES)
  for (const path of new Glob(source).scanSync(ROOT)) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    for (const [, rule] of text.matchAll(/new InputError\(\s*'(\w+)'/g)) rules.add(rule as string)
    for (const [, rule] of text.matchAll(/super\('(\w+)'/g)) rules.add(rule as string)
  }
const documented = new Set(
  readFileSync(join(ROOT, 'docs/rejections.md'), 'utf8')
    .split('\n')
    .filter((row) => row.startsWith('| `'))
    .flatMap((row) => [...(row.split('|')[1] as string).matchAll(/`(\w+)`/g)].map(([, rule]) => rule as string)),
)

test('every rule of a file is in the table', () => {
  expect(rules.size).toBeGreaterThan(30)
  expect([...rules].filter((rule) => !documented.has(rule) && !OTHERS.has(rule))).toEqual([])
})

test('every rule of the table is in the code', () => {
  const everything = [...new Glob('src/{lib,tools}/**/*.ts').scanSync(ROOT)]
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n')
  expect([...documented].filter((rule) => !everything.includes(`'${rule}'`))).toEqual([])
})
