/** Has a worker process read the file of a call while it arrives, in case the call turns out to be valid. */
import { link, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AheadRun } from '../engine/ahead-runs.ts'
import type { Engine } from '../engine/engine.ts'
import { newId } from '../stores/postgres/ids.ts'
import { readAheadOf } from '../tools/read-ahead.ts'
import type { InputFile, Plan, Tool } from '../tools/tool.ts'

/** What is smaller is read in less time than it takes to have it read ahead. */
const MIN_BYTES = 4e6
/** The rate of an upload is known after this time. */
const MIN_MS = 50
/** In bytes a millisecond. A faster upload takes the processor time that reading would need. */
const MAX_RATE = 400_000

export type ReadAheadCall = {
  tool: Tool
  tenant: string
  plan: Plan
  requestId: string
  /** In which the file must be read once it is whole. */
  deadlineMs: number
  signal: AbortSignal
}

/** Follows the files of a call. At most one of them is read ahead. */
export type CallReadAhead = {
  /** A file begins. @returns what learns how much of it is on disk; undefined when it is not read ahead */
  follow(
    field: string,
    file: InputFile,
    maxBytes: number,
  ): { written(bytes: number, isWhole: boolean): void } | undefined
  /** Waits until the file has been read. @returns the id for the run; undefined when none is read ahead */
  id(): Promise<string | undefined>
  /** Ends reading, if it is under way, and removes its folder. */
  end(): Promise<void>
}

export function createReadAhead(
  { engine, scratchDir }: { engine: Engine; scratchDir: string },
  { tool, tenant, plan, requestId, deadlineMs, signal }: ReadAheadCall,
): CallReadAhead {
  const id = newId('run')
  // the process could replace files of the folder that the server still writes to, so it gets another one
  const scratch = join(scratchDir, id)
  let begun: Promise<AheadRun | undefined> | undefined

  async function begin(field: string, { path, filename }: InputFile, maxBytes: number): Promise<AheadRun | undefined> {
    const file: InputFile = { path: join(scratch, basename(path)), filename, bytes: 0 }
    await mkdir(scratch)
    await link(path, file.path)
    signal.addEventListener('abort', () => withRun((run) => run.giveUp()), { once: true })
    return engine.readAhead(
      tool,
      { field, file, maxBytes },
      { scratch, deadlineMs, plan, tenant, requestId, ahead: id },
    )
  }

  // a failure is thrown by `id`
  const withRun = (work: (run: AheadRun) => void): void => {
    begun?.then((run) => run && work(run)).catch(() => undefined)
  }

  return {
    follow(field, file, maxBytes) {
      if (begun !== undefined || maxBytes < MIN_BYTES || readAheadOf(tool, field, file.filename) === undefined)
        return undefined
      const startedMs = performance.now()
      const arrived = { bytes: 0, isWhole: false }
      let isBegun = false
      return {
        written(bytes, isWhole) {
          Object.assign(arrived, { bytes, isWhole })
          const ms = performance.now() - startedMs
          if (begun === undefined && !isWhole && ms >= MIN_MS && bytes < ms * MAX_RATE) {
            begun = begin(field, file, maxBytes)
            isBegun = true
          }
          if (isBegun) withRun((run) => run.arrived(arrived.bytes, arrived.isWhole))
        },
      }
    },
    async id() {
      const run = await begun
      await run?.done
      return run && id
    },
    async end() {
      if (begun === undefined) return
      const run = await begun.catch(() => undefined)
      run?.giveUp()
      await run?.done
      await rm(scratch, { recursive: true, force: true })
    },
  }
}
