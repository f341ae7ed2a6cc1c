/**
 * Lets the server's thread keep its core while chDB begins an insert or a merge. On Linux a thread that wakes up may
 * preempt the running one; under SCHED_BATCH (sched(7)) it waits for its turn.
 */
import { dlopen } from 'bun:ffi'
import { ownThreads } from '../../../niceness.ts'

const SCHED_BATCH = 3

/** New threads inherit the policy of the thread that starts them. Has no effect on systems that do not allow it. */
export function scheduleAsBatch(): void {
  if (process.platform !== 'linux') return
  const { symbols, close } = dlopen('libc.so.6', {
    sched_setscheduler: { args: ['int', 'int', 'ptr'], returns: 'int' },
  })
  // a struct sched_param, whose priority is 0
  const parameters = new Int32Array(1)
  for (const thread of ownThreads()) symbols.sched_setscheduler(thread, SCHED_BATCH, parameters)
  close()
}
