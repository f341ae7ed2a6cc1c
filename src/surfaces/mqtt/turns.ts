/**
 * Work of all MQTT connections, in turns of the event loop: the server's thread also serves everybody else. One read of
 * the kernel may contain tens of thousands of small packets, and one sync of the log ends the wait of thousands.
 */

/** The time that all connections together use before other work has its turn. */
const TURN_MS = 4

let waiting: (() => void)[] = []
let usedMs = 0
let isScheduled = false

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    usedMs = 0
    const works = waiting
    waiting = []
    let next = 0
    while (next < works.length && !isTurnSpent()) works[next++]?.()
    if (next === works.length) return
    waiting = works.slice(next).concat(waiting)
    schedule()
  })
}

export const isTurnSpent = (): boolean => usedMs > TURN_MS

/** Does work now, in this turn. */
export function spend(work: () => void): void {
  const startedMs = performance.now()
  work()
  usedMs += performance.now() - startedMs
  schedule()
}

/** Does work in a later turn; it counts its time with `spend`. */
export function later(work: () => void): void {
  waiting.push(work)
  schedule()
}
