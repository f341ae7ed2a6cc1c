/** Waits until a server has computed its rollups. */
import { readFileSync } from 'node:fs'
import { childrenOf } from '../../test/support/processes.ts'

/** Processor time of the server and its processes, in milliseconds. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const own = (Number(fields[11]) + Number(fields[12])) * 10
  return childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), own)
}

/** Rollups begin up to a minute after readings have arrived; until then the server is quiet as well. */
const BEGINS_MS = 90_000
const WINDOW_MS = 10_000
/** A large fleet is never quite quiet: its states age, and ClickHouse merges. */
const MOST_WINDOWS = 18

/**
 * Rollups are computed after the hours are over and settled, and only then is the processor free.
 * @returns whether it became free; otherwise the figures that follow are of a busy server
 */
export async function untilRolled(pid: number): Promise<boolean> {
  await Bun.sleep(BEGINS_MS)
  let quiet = 0
  for (let window = 0; window < MOST_WINDOWS && quiet < 4; window++) {
    const before = cpuMs(pid)
    await Bun.sleep(WINDOW_MS)
    quiet = cpuMs(pid) - before < 1_000 ? quiet + 1 : 0
  }
  return quiet >= 4
}
