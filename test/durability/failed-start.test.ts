/** A server that cannot start leaves nothing behind: its stores are closed, and no process runs. */
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processesIn, refusedStart } from '../support/processes.ts'

test('a start that fails at its last step, the port, closes the stores', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'failed-start-'))
  const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  try {
    const message = await refusedStart({ DATA_DIR: dir, PORT: String(taken.port) })
    expect(message).toContain(`${taken.port}`)
    expect(existsSync(join(dir, 'postgres/PG_VERSION'))).toBe(true)
    // PostgreSQL removes it when it shuts down; a killed one leaves it
    expect(existsSync(join(dir, 'postgres/postmaster.pid'))).toBe(false)
    expect(processesIn(dir)).toEqual([])
  } finally {
    await taken.stop(true)
    rmSync(dir, { recursive: true, force: true })
  }
})
