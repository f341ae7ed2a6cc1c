/** Data that a newer release has changed, as after a rollback. */
import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServerPostgres } from '../../../src/stores/postgres/client.ts'
import { migratePostgres } from '../../../src/stores/postgres/migrate.ts'
import { ROOT } from '../../support/processes.ts'
import { createInstance } from '../../support/server/instance.ts'
import { startPostgres } from '../../support/stores/postgres.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-newer-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

test('a release works with migrations of a newer one and names them, and refuses those that are marked as breaking', async () => {
  const server = await startPostgres()
  const postgres = await openServerPostgres(server.url)
  try {
    const own = join(ROOT, 'sql/postgres')
    const newer = join(home, 'newer')
    cpSync(own, newer, { recursive: true })
    writeFileSync(join(newer, '9001-more.sql'), 'CREATE TABLE newer_things (id text PRIMARY KEY);\n')
    expect(await migratePostgres(postgres, newer)).toEqual([])
    // the rollback
    expect(await migratePostgres(postgres, own)).toEqual(['9001-more.sql'])
    // and the next upgrade
    expect(await migratePostgres(postgres, newer)).toEqual([])
    writeFileSync(join(newer, '9002-gone.breaking.sql'), 'ALTER TABLE tiers RENAME TO plans;\n')
    await expect(migratePostgres(postgres, newer)).rejects.toThrow('the table tiers is missing')
    await expect(migratePostgres(postgres, own)).rejects.toThrow(
      'a newer release changed the tables of PostgreSQL (9002-gone.breaking.sql), and this release cannot work with them; start the newer release, or restore a backup from before the upgrade',
    )
  } finally {
    await postgres.close()
    await server.remove()
  }
}, 120_000)

test('a server logs unknown migrations of its data', async () => {
  const instance = await createInstance()
  try {
    expect(instance.log()).not.toContain('a newer release')
    const insert = 'INSERT INTO migrations (number, name) VALUES (9001, $$9001-more.sql$$)'
    const socket = join(instance.dir, 'run/postgres')
    const client = new Bun.SQL({
      adapter: 'postgres',
      path: join(socket, '.s.PGSQL.5432'),
      username: 'groundwave',
      database: 'postgres',
    })
    await client.unsafe(insert)
    await client.close()
    await instance.kill('SIGTERM')
    await instance.restart()
    await instance.kill('SIGTERM')
    const line = instance
      .log()
      .split('\n')
      .find((text) => text.includes('a newer release has changed the tables of PostgreSQL'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 40, migrations: ['9001-more.sql'] })
  } finally {
    await instance.remove()
  }
}, 120_000)
