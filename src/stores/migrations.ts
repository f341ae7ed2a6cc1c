/**
 * Forward-only, numbered SQL files: `0001-name.sql`, applied in order, each once.
 *
 * A migration adds tables, columns and indexes, so that the previous release still works with the data: a rollback then
 * needs no backup. A migration that earlier releases cannot work with is named `0001-name.breaking.sql`; they refuse to
 * start.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnsupportedStoreError } from './requirements.ts'

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

const BREAKING = '.breaking.sql'

/** Migrations that a newer release applied, recognized by number. */
export const unknownAmong = <M extends { number: number }>(applied: readonly M[], own: readonly Migration[]): M[] =>
  applied.filter(({ number }) => !own.some((migration) => migration.number === number))

/**
 * @param product as the message names it
 * @returns names of the migrations of a newer release that this one can work with
 * @throws UnsupportedStoreError when it cannot
 */
export function checkUnknown(
  product: string,
  applied: readonly { number: number; name: string }[],
  own: readonly Migration[],
): string[] {
  const unknown = unknownAmong(applied, own).map(({ name }) => name)
  const breaking = unknown.filter((name) => name.endsWith(BREAKING))
  if (breaking.length > 0)
    throw new UnsupportedStoreError(
      `a newer release changed the tables of ${product} (${breaking.join(', ')}), and this release cannot work with them; start the newer release, or restore a backup from before the upgrade`,
    )
  return unknown
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
