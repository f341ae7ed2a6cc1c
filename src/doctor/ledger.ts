/** Whether runs, credits, jobs and files agree: all of them, in the database and in the file store. */
import { existsSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import { openFolderStore } from '../stores/files/folder.ts'
import { openS3Store } from '../stores/files/s3.ts'
import { CLEAN_UP_MS, examineLedger } from '../stores/ledger.ts'
import { attachEmbeddedPostgres, openServerPostgres, type Postgres } from '../stores/postgres/client.ts'
import { rowsOf } from '../stores/postgres/rows.ts'
import type { Disagreement, LedgerRule } from '../stores/postgres/runs/ledger.ts'
import { holderOf } from './disk.ts'
import { type Finding, ok, problem, skipped } from './finding.ts'

const CHECK = 'ledger'
const TIMEOUT_MS = 600_000

const TEXTS: Record<LedgerRule, string> = {
  credits: 'the credits charged differ from the credits of the runs',
  usage: 'counts of a day differ from the runs',
  'charged-failure': 'failed runs cost credits',
  'abandoned-run': 'runs are running on instances that are lost',
  'run-of-job': 'successful runs do not match their jobs',
  'job-without-run': 'ended jobs have no such run',
  'abandoned-job': 'jobs are running without a lease',
  artifact: 'files belong to no run',
  upload: 'uploads differ from their pieces',
  'file-missing': 'records have no file',
  'file-unrecorded': 'files have no record',
}
const ADVICE = 'See "The ledger" in docs/operations.md.'

export const ledgerFinding = ({ rule, count, rows }: Disagreement): Finding =>
  problem(CHECK, `${TEXTS[rule]}, ${count}: ${rows.join('; ')}${count > rows.length ? '; …' : ''}`, ADVICE)

async function open({ postgresUrl, dataDir, postgresSocketDir }: Config): Promise<Postgres | undefined> {
  if (postgresUrl !== undefined) return openServerPostgres(postgresUrl)
  return holderOf(dataDir).isRunning ? attachEmbeddedPostgres(postgresSocketDir) : undefined
}

export async function ledgerFindings(config: Config): Promise<Finding[]> {
  const postgres = await open(config)
  if (postgres === undefined) return [skipped(CHECK, 'the embedded PostgreSQL runs with its server only')]
  try {
    const [state] = rowsOf<{ has: boolean }>(
      await postgres.db.execute(sql`SELECT to_regclass('ledger_checks') IS NOT NULL AS has`),
    )
    if (state?.has !== true) return [skipped(CHECK, 'its tables are not there yet')]
    const { s3Url, filesDir } = config
    if (s3Url === undefined && !existsSync(filesDir)) return [skipped(CHECK, `${filesDir} does not exist yet`)]
    const files = s3Url === undefined ? await openFolderStore(filesDir) : openS3Store(s3Url)
    const { found } = await examineLedger(postgres.db, files, {
      since: new Date(0),
      listAfter: null,
      mostListed: Number.POSITIVE_INFINITY,
      minAgeMs: CLEAN_UP_MS,
      timeoutMs: TIMEOUT_MS,
    })
    return found.length > 0 ? found.map(ledgerFinding) : [ok(CHECK, 'runs, credits, jobs and files agree')]
  } finally {
    await postgres.close()
  }
}
