/** Waits until a server has computed its rollups. */
import { readFileSync } from 'node:fs'
import { childrenOf } from '../test/support/processes.ts'

/** Processor time of the server and its processes, in milliseconds. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const own = (Number(fields[11]) + Number(fields[12])) * 10
  return childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), own)
}

/** Rollups are computed after the hours are over and settled, and only then is the processor free. */
export async function untilRolled(pid: number): Promise<void> {
  for (let quiet = 0; quiet < 4; ) {
    const before = cpuMs(pid)
    await Bun.sleep(10_000)
    quiet = cpuMs(pid) - before < 1_000 ? quiet + 1 : 0
  }
}
