/**
 * Gives chDB's merges a lower priority than inserts, queries and the server have. chDB ignores ClickHouse's setting for it
 * (os_threads_nice_value_merge_mutate).
 */
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { nicerBy, ownThreads } from '../../../niceness.ts'

/** Name of the threads, from ClickHouse's pool of merges and mutations. */
const THREADS = 'MergeMutate'
/** Added to the niceness of this process. */
const NICER_BY = 9

/** @returns the number of threads whose priority was set; 0 on systems other than Linux */
export function lowerMergePriority(): number {
  const niceness = nicerBy(NICER_BY)
  let lowered = 0
  for (const thread of ownThreads())
    try {
      if (readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() !== THREADS) continue
      setPriority(thread, niceness)
      lowered++
    } catch {
      // the thread has ended
    }
  return lowered
}
