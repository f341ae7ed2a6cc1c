/** The priority of processes that let others go first. */
import { dlopen } from 'bun:ffi'
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
 * one keeps it: raising it needs a capability, without which the process would end. On Linux its threads no longer
 * interrupt others when they wake up either.
 */
export function beNice(niceness: number): void {
  const threads = ownThreads()
  for (const thread of threads) lower(thread, niceness)
  if (process.platform === 'linux') runInBatches(threads)
}

const SCHED_BATCH = 3

/** Sets the policy of sched(7) for work that nobody waits for. A system that does not allow it has longer latencies. */
function runInBatches(threads: readonly number[]): void {
  const { symbols, close } = dlopen('libc.so.6', {
    sched_setscheduler: { args: ['int', 'int', 'ptr'], returns: 'int' },
  })
  // a struct sched_param, whose priority is 0
  const parameters = new Int32Array(1)
  for (const thread of threads) symbols.sched_setscheduler(thread, SCHED_BATCH, parameters)
  close()
}

function lower(thread: number, niceness: number): void {
  try {
    if (getPriority(thread) < niceness) setPriority(thread, niceness)
  } catch (error) {
    // a thread that has ended meanwhile
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error
  }
}
