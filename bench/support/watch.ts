/** Resources that a server and its databases use while a bench runs. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSeconds, processesIn, residentMb, type Server } from '../../test/support/processes.ts'

export type Usage = {
  atMs: number
  server: number
  clickhouse: number
  postgres: number
  /** Resident memory of all processes, with pages that several of them share counted once (PSS). */
  memoryMb: number
  /** The sum of the resident memory of each process. */
  residentMb: number
}

function proportionalMb(pid: number): number {
  const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}

/** CPU seconds since the start of each process, and the memory of all together. */
export function usageOf(server: Server, dataDir: string): Usage {
  const clickhouse = processesIn(join(dataDir, 'clickhouse'))
  const postgres = processesIn(join(dataDir, 'postgres'))
  const sum = (pids: number[], figure: (pid: number) => number): number =>
    pids.reduce((total, pid) => {
      try {
        return total + figure(pid)
      } catch {
        // a process of PostgreSQL has ended since the folder was listed
        return total
      }
    }, 0)
  return {
    atMs: performance.now(),
    server: sum([server.pid], cpuSeconds),
    clickhouse: sum(clickhouse, cpuSeconds),
    postgres: sum(postgres, cpuSeconds),
    memoryMb: sum([server.pid, ...clickhouse, ...postgres], proportionalMb),
    residentMb: sum([server.pid, ...clickhouse, ...postgres], residentMb),
  }
}

export type Used = { seconds: number; server: number; clickhouse: number; postgres: number; all: number }

export function usedBetween(before: Usage, after: Usage): Used {
  const [server, clickhouse, postgres] = [
    after.server - before.server,
    after.clickhouse - before.clickhouse,
    after.postgres - before.postgres,
  ]
  const all = server + clickhouse + postgres
  return { seconds: (after.atMs - before.atMs) / 1000, server, clickhouse, postgres, all }
}

/** As `0.31 (server 0.10, ClickHouse 0.20, PostgreSQL 0.01)`. */
export function perUnit({ server, clickhouse, postgres, all }: Used, units: number): string {
  const [a, b, c, d] = [all, server, clickhouse, postgres].map((used) => (used / units).toFixed(3))
  return `${a} (server ${b}, ClickHouse ${c}, PostgreSQL ${d})`
}

/** Figures of /metrics by name, summed over their labels. */
export async function metricsOf(server: Server, names: readonly string[]): Promise<number[]> {
  const lines = (await (await fetch(`${server.url}/metrics`)).text()).split('\n')
  return names.map((name) =>
    lines
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0),
  )
}
