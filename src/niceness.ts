/** The priority of processes that let others go first. */
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const LOWEST = 19
const TASKS = '/proc/self/task'

/** The niceness of a part of this process that lets the rest go first. */
export const nicerBy = (steps: number): number => Math.min(LOWEST, getPriority() + steps)

/**
 * Threads of this process, by the numbers that stand for one thread alone on Linux. Elsewhere the process, as 0. A thread
 * that starts later begins with the niceness of the one that starts it.
 */
export function ownThreads(): number[] {
  try {
    return readdirSync(TASKS).map(Number)
  } catch {
    return [0]
  }
}

/**
 * Lowers the priority of this process, also of the threads that the runtime has started already. One that has a lower
 * one keeps it: raising it needs a capability, without which the process would end.
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
