/** Figures of this process and its workers: readings in a second, memory, shares of cores. Each is a read of a counter. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { LaneReport } from '../engine/lane-report.ts'

export type ReadingTotals = { accepted: number; duplicates: number; refused: number }

export type ProcessFigures = {
  /** Rate per second since the previous call. */
  readingsPerSecond: ReadingTotals
  /** The counts of readings since the previous call. */
  readings: ReadingTotals
  serverBytes: number
  /** Cores in use: 1 is one whole core. */
  serverCpu: number
  workersBytes: number
  workersCpu: number
  cores: number
}

/** The kernel counts CPU time in hundredths of a second, on every architecture that Bun runs on. */
const TICKS_PER_SECOND = 100

/** CPU seconds of a process so far; undefined once it has ended, and on systems without /proc. */
function cpuSecondsOf(pid: number): number | undefined {
  try {
    // the name of the program, in parentheses, may contain spaces
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}

export function watchProcesses(totals: () => ReadingTotals, lanes: () => LaneReport[]): () => ProcessFigures {
  let atMs = performance.now()
  let before = totals()
  let ownCpu = process.cpuUsage()
  let workerCpu = new Map<number, number>()
  return () => {
    const nowMs = performance.now()
    const seconds = Math.max(0.001, (nowMs - atMs) / 1000)
    const now = totals()
    const used = process.cpuUsage(ownCpu)
    const processes = lanes().flatMap((lane) => lane.processes)
    const cpu = new Map<number, number>()
    let workersCpu = 0
    for (const { pid } of processes) {
      const total = cpuSecondsOf(pid)
      if (total === undefined) continue
      cpu.set(pid, total)
      workersCpu += Math.max(0, total - (workerCpu.get(pid) ?? total))
    }
    const readings = {
      accepted: now.accepted - before.accepted,
      duplicates: now.duplicates - before.duplicates,
      refused: now.refused - before.refused,
    }
    const figures = {
      readings,
      readingsPerSecond: {
        accepted: readings.accepted / seconds,
        duplicates: readings.duplicates / seconds,
        refused: readings.refused / seconds,
      },
      serverBytes: process.memoryUsage.rss(),
      serverCpu: (used.user + used.system) / 1e6 / seconds,
      workersBytes: processes.reduce((sum, { bytes }) => sum + bytes, 0),
      workersCpu: workersCpu / seconds,
      cores: availableParallelism(),
    }
    atMs = nowMs
    before = now
    ownCpu = process.cpuUsage()
    workerCpu = cpu
    return figures
  }
}
