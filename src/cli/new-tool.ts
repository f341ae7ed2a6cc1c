/** `bun run new-tool <group>.<name> "<English title>" "<Arabic title>"` writes a new tool and its test from a template. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newToolFiles, TEMPLATE_GROUPS, type TemplateGroup } from './tool-templates.ts'

const ROOT = join(import.meta.dir, '../..')
const USAGE = 'Usage: bun run new-tool <group>.<name> "<English title>" "<Arabic title>"'

function fail(message: string): never {
  process.stderr.write(`${message}\n${USAGE}\n`)
  process.exit(2)
}

const [id = '', title = '', arabicTitle = ''] = process.argv.slice(2)
const [group = '', name = ''] = id.split('.')
const isTemplateGroup = (text: string): text is TemplateGroup => TEMPLATE_GROUPS.some((known) => known === text)
if (!isTemplateGroup(group)) fail(`The group must be one of ${TEMPLATE_GROUPS.join(', ')}.`)
if (!/^[a-z][a-z0-9-]*$/.test(name))
  fail('The name must start with a lower-case letter and contain only lower-case letters, digits and hyphens.')
if (!/^[^'\\\r\n]+$/.test(title) || !/^[^'\\\r\n]+$/.test(arabicTitle))
  fail("Both the English and the Arabic title are required, on one line and without ' and \\.")

const files = newToolFiles({ group, name, title, arabicTitle })
for (const path of Object.keys(files)) if (existsSync(join(ROOT, path))) fail(`${path} already exists.`)
for (const [path, content] of Object.entries(files)) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), content)
  process.stdout.write(`${path}\n`)
}
// titles differ in length, so lines may have to be wrapped
spawnSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', ...Object.keys(files)], { cwd: ROOT })
process.stdout.write('Replace everything marked FILL IN; docs/new-tool.md says how.\n')
