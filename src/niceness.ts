/** Lowers the priority of processes and threads. */
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const LOWEST = 19
const TASKS = '/proc/self/task'

/** The niceness for a part of this process that should yield to the rest. */
export const nicerBy = (steps: number): number => Math.min(LOWEST, getPriority() + steps)

/**
 * Ids of this process's threads on Linux; elsewhere 0, the process. A new thread inherits the niceness of the thread
 * that starts it.
 */
export function ownThreads(): number[] {
  try {
    return readdirSync(TASKS).map(Number)
  } catch {
    return [0]
  }
}

/**
 * Lowers the priority of this process, including threads that the runtime has already started. A thread with a lower
 * priority keeps it: raising it needs a capability, without which the process would end.
 */
export function beNice(niceness: number): void {
  for (const thread of ownThreads()) lower(thread, niceness)
}

function lower(thread: number, niceness: number): void {
  try {
    if (getPriority(thread) < niceness) setPriority(thread, niceness)
  } catch (error) {
    // a thread that has ended meanwhile
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error
  }
}
