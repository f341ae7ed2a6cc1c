/**
 * Records of runs that charged nothing and stored no files. They go to the database together, a moment after their
 * answers; waiting for the database would take longer than such a run. Until then they are in a file, which outlives a
 * killed process and is read when the server starts again.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isStoreLost } from '../store-errors.ts'
import type { Database } from '../stores/postgres/client.ts'
import { type FinishedRun, insertFinishedRuns } from '../stores/postgres/runs.ts'

export type FinishedRuns = {
  /** @returns false for a run with text that the database cannot hold, which is not recorded */
  add(run: FinishedRun): boolean
  /** Resolves once the runs added so far can be read from the database, if it can be reached. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const FLUSH_MS = 50
const RETRY_MS = 1_000
const BATCH = 1_000
/** What JSON writes as an escape and PostgreSQL rejects: NUL and halves of surrogate pairs. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** @param dir of this server alone; records in it that a killed process left behind are written first */
export async function openFinishedRuns(
  db: Database,
  dir: string,
  onError: (error: unknown) => void,
): Promise<FinishedRuns> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  let waiting: FinishedRun[] = []
  let file: number | undefined
  /** Files with records that may not be in the database yet. */
  let paths: string[] = []
  let lastFile = 0
  let timer: Timer | undefined
  let writing: Promise<void> = Promise.resolve()

  for (const name of (await readdir(dir)).sort((a, b) => Number(a) - Number(b))) {
    const path = join(dir, name)
    await insert(recordsIn(await readFile(path, 'utf8')))
    await rm(path)
  }

  async function insert(records: readonly FinishedRun[]): Promise<void> {
    for (let at = 0; at < records.length; at += BATCH) {
      const batch = records.slice(at, at + BATCH)
      try {
        await insertFinishedRuns(db, batch)
      } catch (error) {
        if (isStoreLost(error)) throw error
        // one bad record must not hold up the others
        for (const record of batch)
          await insertFinishedRuns(db, [record]).catch((cause) => {
            if (isStoreLost(cause)) throw cause
            onError(cause)
          })
      }
    }
  }

  function schedule(afterMs: number): void {
    timer ??= setTimeout(() => void flush(), afterMs)
  }

  function flush(): Promise<void> {
    writing = writing.then(async () => {
      clearTimeout(timer)
      timer = undefined
      if (waiting.length === 0) return
      const [batch, done] = [waiting, paths]
      waiting = []
      if (file !== undefined) closeSync(file)
      file = undefined
      paths = []
      try {
        await insert(batch)
        await Promise.all(done.map((path) => rm(path)))
      } catch (error) {
        waiting = [...batch, ...waiting]
        paths = [...done, ...paths]
        onError(error)
        schedule(RETRY_MS)
      }
    })
    return writing
  }

  return {
    add(run) {
      const line = `${JSON.stringify(run)}\n`
      if (UNSTORABLE.test(line)) return false
      if (file === undefined) {
        const path = join(dir, String(++lastFile))
        file = openSync(path, 'ax', 0o600)
        paths.push(path)
      }
      writeSync(file, line)
      waiting.push(run)
      schedule(FLUSH_MS)
      return true
    },
    flush,
    async stop() {
      await flush()
      clearTimeout(timer)
    },
  }
}

/** The last line may be incomplete: its run has no answer then. */
const recordsIn = (text: string): FinishedRun[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as FinishedRun)
