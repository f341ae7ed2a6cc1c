/** The priority of processes that let others go first. */
import { getPriority, setPriority } from 'node:os'

const LOWEST = 19

/** The niceness of a part of this process that lets the rest go first. */
export const nicerBy = (steps: number): number => Math.min(LOWEST, getPriority() + steps)

/**
 * Lowers the priority of this process. A process that has a lower one already keeps it: raising it needs a capability,
 * without which the process would end.
 */
export function beNice(niceness: number): void {
  if (getPriority() < niceness) setPriority(niceness)
}
