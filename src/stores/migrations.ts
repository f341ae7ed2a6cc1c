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
  const statements = sql.replace(/--.*$/gm, '').match(/(?:\$\$[^]*?\$\$|(?!;\s*$)[^])+/gm) ?? []
  return statements.map((statement) => statement.replace(/^[;\s]+/, '').trim()).filter((statement) => statement !== '')
}
