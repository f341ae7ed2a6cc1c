/** Disagreements among the runs, credits, jobs and files of a server with embedded stores. */
import { join } from 'node:path'
import { openFolderStore } from '../../../src/stores/files/folder.ts'
import { examineLedger } from '../../../src/stores/ledger.ts'
import { attachEmbeddedPostgres, type Database } from '../../../src/stores/postgres/client.ts'
import type { Disagreement } from '../../../src/stores/postgres/runs/ledger.ts'
import type { Instance } from './instance.ts'

/** @param since checks everything by default, as the doctor does */
export async function disagreementsIn(db: Database, dir: string, since = new Date(0)): Promise<Disagreement[]> {
  const { found } = await examineLedger(db, await openFolderStore(join(dir, 'files')), {
    since,
    listAfter: null,
    mostListed: Number.POSITIVE_INFINITY,
    minAgeMs: 0,
    timeoutMs: 60_000,
  })
  return found
}

/** Checks a running server. */
export async function ledgerOf({ dir }: Pick<Instance, 'dir'>): Promise<Disagreement[]> {
  const postgres = attachEmbeddedPostgres(join(dir, 'run/postgres'))
  try {
    return await disagreementsIn(postgres.db, dir)
  } finally {
    await postgres.close()
  }
}
