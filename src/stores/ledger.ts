/**
 * Checks that runs, credits, jobs and files agree: within the database (postgres/runs/ledger.ts), and with the file
 * store.
 */
import type { FileStore } from './files/client.ts'
import type { Database } from './postgres/client.ts'
import { firstIdAt } from './postgres/ids.ts'
import {
  type Disagreement,
  disagreementsSince,
  MAX_SHOWN_ROWS,
  type RecordedFile,
  recordedAfter,
  recordedAmong,
  unrecordedAmong,
} from './postgres/runs/ledger.ts'

export type LedgerScope = {
  /** Earlier changes are not checked. */
  since: Date
  /** The key in the file store after which the listing begins; null for the first one. */
  listAfter: string | null
  mostListed: number
  /**
   * Minimum age of files without a record. A younger file may still be being written, or is being removed for the
   * second time.
   */
  minAgeMs: number
  timeoutMs: number
  signal?: AbortSignal | undefined
}

const PAGE = 1_000
/** Requests at a time, where files are in S3. */
const PARALLEL = 16
/** How long before its record the key of a file may be made. */
const RECORD_MS = 3_600_000
/** Twice the time after which an object is removed for the second time (postgres/files/file-removals.ts). */
export const CLEAN_UP_MS = 7_200_000

type Found = { bytes: number; modifiedMs: number } | undefined

/** @returns undefined when there is no such file */
async function statOf(files: FileStore, key: string): Promise<Found> {
  const file = files.open(key)
  try {
    const stat = await file.stat()
    return { bytes: stat.size, modifiedMs: ('mtime' in stat ? stat.mtime : stat.lastModified).getTime() }
  } catch (error) {
    if (!(await file.exists())) return undefined
    throw error
  }
}

async function statAll(files: FileStore, keys: readonly string[]): Promise<Map<string, Found>> {
  const found = new Map<string, Found>()
  for (let at = 0; at < keys.length; at += PARALLEL)
    await Promise.all(keys.slice(at, at + PARALLEL).map(async (key) => found.set(key, await statOf(files, key))))
  return found
}

function disagreementOf(rule: Disagreement['rule'], rows: readonly string[]): Disagreement[] {
  return rows.length === 0 ? [] : [{ rule, count: rows.length, rows: rows.slice(0, MAX_SHOWN_ROWS) }]
}

/** Records whose file is missing, or has another size. */
async function missingFiles(db: Database, files: FileStore, { since, signal }: LedgerScope): Promise<Disagreement[]> {
  const rows: string[] = []
  for (let after = firstIdAt('fil', since.getTime() - RECORD_MS); ; ) {
    signal?.throwIfAborted()
    const page = await recordedAfter(db, after, PAGE)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.key
    const found = await statAll(
      files,
      page.map(({ key }) => key),
    )
    const isWrong = ({ key, bytes }: RecordedFile): boolean => found.get(key)?.bytes !== bytes
    // files that were deleted meanwhile are missing in both
    const wrong = await recordedAmong(
      db,
      page.filter(isWrong).map(({ key }) => key),
    )
    for (const { key, bytes } of wrong.filter(isWrong)) {
      const stat = found.get(key)
      rows.push(`${key}: has ${bytes} bytes, ${stat ? `and its file ${stat.bytes}` : 'and no file'}`)
    }
  }
  return disagreementOf('file-missing', rows)
}

/** Files without a record. @returns the files, and the last key that was listed; null after the end */
async function unrecordedFiles(
  db: Database,
  files: FileStore,
  { listAfter, mostListed, minAgeMs, signal }: LedgerScope,
): Promise<{ found: Disagreement[]; listedTo: string | null }> {
  const rows: string[] = []
  let page: string[] = []
  let listed = 0
  const look = async (): Promise<void> => {
    signal?.throwIfAborted()
    for (const [key, stat] of await statAll(files, await unrecordedAmong(db, page)))
      if (stat !== undefined && stat.modifiedMs <= Date.now() - minAgeMs)
        rows.push(`${key}: has ${stat.bytes} bytes, and no record`)
    page = []
  }
  let listedTo: string | null = null
  for await (const key of files.list(listAfter ?? undefined)) {
    page.push(key)
    if (page.length === PAGE) await look()
    if (++listed < mostListed) continue
    listedTo = key
    break
  }
  await look()
  return { found: disagreementOf('file-unrecorded', rows), listedTo }
}

/** @returns the disagreements, and the key after which the next listing begins */
export async function examineLedger(
  db: Database,
  files: FileStore,
  scope: LedgerScope,
): Promise<{ found: Disagreement[]; listedTo: string | null }> {
  const inDatabase = await disagreementsSince(db, scope.since, scope.timeoutMs)
  const missing = await missingFiles(db, files, scope)
  const unrecorded = await unrecordedFiles(db, files, scope)
  return { found: [...inDatabase, ...missing, ...unrecorded.found], listedTo: unrecorded.listedTo }
}
