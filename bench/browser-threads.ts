/**
 * Processor time by thread, from /proc: beside other work it says more than the clock. Of a browser, `renderer chromium`
 * is a page, `renderer DedicatedWorker` one of its workers, and `gpu-process` draws.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

type Thread = { name: string; ms: number }

const texts = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => {
    try {
      return [readFileSync(path, 'utf8')]
    } catch {
      // it has ended
      return []
    }
  })

function childrenOf(pid: number): number[] {
  const parents = new Map<number, number[]>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [stat = ''] = texts([`/proc/${entry}/stat`])
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    parents.set(parent, [...(parents.get(parent) ?? []), Number(entry)])
  }
  const found = [pid]
  for (const one of found) found.push(...(parents.get(one) ?? []))
  return found
}

/** All threads of a process and of those that it has started, by their ids. */
function threadsOf(pid: number): Map<string, Thread> {
  const threads = new Map<string, Thread>()
  for (const process of childrenOf(pid)) {
    const [command = ''] = texts([`/proc/${process}/cmdline`])
    const kind = /--type=([a-z-]+)/.exec(command)?.[1]
    let ids: string[] = []
    try {
      ids = readdirSync(`/proc/${process}/task`)
    } catch {
      // it has ended
    }
    for (const id of ids)
      for (const stat of texts([`/proc/${process}/task/${id}/stat`])) {
        const own = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
        const name = kind === undefined ? own : `${kind} ${own}`
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        threads.set(`${process}/${id}`, { name, ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS })
      }
  }
  return threads
}

/** Counts from now. @returns milliseconds by name; threads with the same name stand for themselves, the busiest first */
export function countThreads(pid: number): () => { name: string; ms: number }[] {
  const before = threadsOf(pid)
  return () =>
    [...threadsOf(pid)]
      .map(([id, { name, ms }]) => ({ name, ms: ms - (before.get(id)?.ms ?? 0) }))
      .filter(({ ms }) => ms > 0)
      .toSorted((a, b) => b.ms - a.ms)
}
