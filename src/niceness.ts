/** The priority of processes that let others go first. */
import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of this process. A process that has a lower one already keeps it: raising it needs a capability,
 * without which the process would end.
 */
export function beNice(niceness: number): void {
  if (getPriority() < niceness) setPriority(niceness)
}
