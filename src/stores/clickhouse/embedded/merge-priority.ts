/**
 * Gives chDB's merges a lower priority than inserts, queries and the server have. chDB ignores ClickHouse's setting for it
 * (os_threads_nice_value_merge_mutate).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { nicerBy } from '../../../niceness.ts'

/** Name of the threads, from ClickHouse's pool of merges and mutations. */
const THREADS = 'MergeMutate'
const TASKS = '/proc/self/task'
/** What is added to the niceness of this process. */
const NICER_BY = 9

/** @returns the number of threads whose priority was set; 0 on systems other than Linux */
export function lowerMergePriority(): number {
  const niceness = nicerBy(NICER_BY)
  let lowered = 0
  for (const thread of threads())
    try {
      if (readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim() !== THREADS) continue
      // on Linux the number of a thread stands for that thread alone
      setPriority(Number(thread), niceness)
      lowered++
    } catch {
      // the thread has ended
    }
  return lowered
}

function threads(): string[] {
  try {
    return readdirSync(TASKS)
  } catch {
    return []
  }
}
