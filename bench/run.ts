/**
 * Runs a bench: `bun run bench NAME [arguments]`. Without a name it lists the benches, each a file of this folder whose
 * first comment says what it measures, its arguments and its limits.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const names = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.path))
  .map((file) => basename(file, '.ts'))
  .sort()

/** The text of a file's first comment. */
function describe(name: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(readFileSync(join(import.meta.dir, `${name}.ts`), 'utf8'))?.[1] ?? ''
  return comment
    .replace(/^ *\* ?/gm, '')
    .replaceAll('\n', ' ')
    .trim()
}

const [name = '', ...args] = process.argv.slice(2)
if (names.includes(name)) {
  // as src/setup/run.mjs does for the server
  const env = { UV_THREADPOOL_SIZE: '16', ...process.env }
  const bench = Bun.spawn([process.execPath, `bench/${name}.ts`, ...args], {
    stdio: ['inherit', 'inherit', 'inherit'],
    env,
  })
  process.exit(await bench.exited)
}
console.error(name === '' ? 'bun run bench NAME [arguments], with NAME one of:' : `There is no bench ${name}. One of:`)
for (const one of names) console.error(`\n${one}\n  ${describe(one)}`)
process.exit(name === '' ? 0 : 1)
