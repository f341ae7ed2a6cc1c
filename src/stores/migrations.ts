/** Forward-only, numbered SQL files: `0001-name.sql`, applied in order, each once. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Migration = { number: number; name: string; statements: string[] }

export async function readMigrations(dir: string): Promise<Migration[]> {
  const names = (await readdir(dir)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => ({
      number: Number(name.slice(0, 4)),
      name,
      statements: splitStatements(await readFile(join(dir, name), 'utf8')),
    })),
  )
}

/**
 * Statements end with a semicolon at the end of a line, unless it is between `$$`, in the body of a function. Comments
 * are removed: some clients reject them alone.
 */
function splitStatements(sql: string): string[] {
  const statements: string[] = []
  let isOpen = false
  for (const part of sql.replace(/--.*$/gm, '').split(/;\s*$/m)) {
    if (isOpen) statements.push(`${statements.pop()};${part}`)
    else statements.push(part)
    isOpen = (statements.at(-1) as string).split('$$').length % 2 === 0
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
