/**
 * `bun run docs`: writes the parts of docs/ that are generated from declarations in the code. docs/configuration.md is
 * generated as a whole; in the other files, each block between `<!-- generated: … -->` and `<!-- end -->`. A new tool
 * gets its section.
 */
import { join } from 'node:path'
import { loadRegistry, type Registry } from '../tools/registry.ts'
import { codeTable, configurationTables, toolTable } from './tables.ts'

export const DOCS = join(import.meta.dir, '../../docs')

const CONFIGURATION = `# Configuration

<!-- Written by \`bun run docs\` from src/config/variables.ts; do not edit. -->

Groundwave is configured by environment variables. [\`src/config/variables.ts\`](../src/config/variables.ts) declares them
and [\`src/config.ts\`](../src/config.ts) reads them once, at the start. A variable that is empty counts as unset. An invalid
value stops the start with a message that names the variable and the values that it may have. Unknown variables are
ignored; \`bun run doctor\` lists names that look like mistakes.

A variable that may contain a secret can be given as a file: \`POSTGRES_URL_FILE=/run/secrets/postgres-url\` reads the value
of \`POSTGRES_URL\` from that file at the start. White space around the value is removed. Setting both, a file that is
missing, empty or has several lines stops the start. [\`secret-files.ts\`](../src/config/secret-files.ts)

MB stands for 1,048,576 bytes. Whole numbers are written without separators.

`

const END = '<!-- end -->'
const BLOCK = /(<!-- generated: (\w+)((?: [\w.-]+)*) -->\n)[\s\S]*?(<!-- end -->)/g

function blockOf(kind: string, names: readonly string[], registry: Registry): string {
  if (kind === 'codes') return codeTable(names)
  const [id = ''] = names
  const tool = registry.byId(id)
  if (kind !== 'tool' || tool === undefined) throw new Error(`"${kind} ${id}" cannot be generated`)
  return toolTable(tool)
}

/** Adds the section of a tool after the last one of its group, with its description as the first text. */
function withMissingTools(text: string, { tools }: Registry): string {
  let all = text
  for (const { id, description } of tools) {
    if (all.includes(`<!-- generated: tool ${id} -->`)) continue
    const start = all.lastIndexOf(`<!-- generated: tool ${id.split('.')[0]}.`)
    const end = start < 0 ? all.length : all.indexOf(END, start) + END.length
    const section = `\n\n#### ${id}\n\n${description.en}\n\n<!-- generated: tool ${id} -->\n${END}`
    all = all.slice(0, end) + section + all.slice(end)
  }
  return all
}

/** The expected content of every documentation file with generated parts, by name. */
export async function generatedDocs(): Promise<Map<string, string>> {
  const registry = await loadRegistry()
  const files = new Map([['configuration.md', `${CONFIGURATION}${configurationTables()}\n`]])
  for await (const name of new Bun.Glob('*.md').scan(DOCS)) {
    const text = await Bun.file(join(DOCS, name)).text()
    if (!text.includes('<!-- generated: ')) continue
    const whole = name === 'api-tools.md' ? withMissingTools(text, registry) : text
    const renewed = whole.replace(BLOCK, (_, start: string, kind: string, names: string, end: string) => {
      const block = blockOf(kind, names.split(' ').filter(Boolean), registry)
      return `${start}\n${block}\n\n${end}`
    })
    files.set(name, renewed)
  }
  return files
}

if (import.meta.main)
  for (const [name, text] of await generatedDocs()) {
    await Bun.write(join(DOCS, name), text)
    process.stdout.write(`docs/${name}\n`)
  }
