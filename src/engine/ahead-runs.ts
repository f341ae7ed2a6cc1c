/**
 * Runs that read a file while it arrives. They take processes that nothing else needs, and make way as soon as another
 * run waits: a slow upload costs nobody a turn.
 */
import type { Order, ToWorker } from './protocol.ts'
import type { Run, RunOptions, Worker } from './worker-process.ts'

/** A file that a process reads while it arrives. */
export type AheadRun = {
  /** So many bytes of it are on disk. @param isWhole whether that is all of it */
  arrived(bytes: number, isWhole: boolean): void
  /** The rest does not come, or nobody needs it. */
  giveUp(): void
  /** Resolves when the process no longer reads it, with or without success. */
  done: Promise<void>
}

/** A process that does not make way in this time is replaced. */
const GIVE_UP_MS = 1_000

type Actions = {
  /** Reading failed, which is not because it was given up. */
  failed(run: Run, error: unknown): void
  replace(worker: Worker): void
  /** Gives the run its time from now on. */
  setDeadline(worker: Worker, run: Run): void
}

type UnderWay = { isWhole: boolean; giveUp(): void }

export class AheadRuns {
  private readonly underWay = new Map<Run, UnderWay>()
  private readonly actions: Actions

  constructor(actions: Actions) {
    this.actions = actions
  }

  /**
   * @param start gives the run to an idle process; `started` resolves when the process has it
   * @returns undefined when no process is idle
   */
  begin(
    message: Order,
    options: RunOptions,
    start: (run: Run) => { worker: Worker; started: Promise<void> } | undefined,
  ): AheadRun | undefined {
    const { actions, underWay } = this
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const end = (): void => {
      underWay.delete(run)
      resolve()
    }
    // if this fails, the run of the call reads the file, and reports what is wrong with it
    const run: Run = {
      ...{ tenant: options.tenant, message, options, hasFolder: message.hasFolder },
      resolve: end,
      reject(error) {
        if (!isGivenUp) actions.failed(run, error)
        end()
      },
    }
    let isGivenUp = false
    const begun = start(run)
    if (begun === undefined) return undefined
    const { worker, started } = begun
    const send = (order: ToWorker): void => void worker.process.send(order)
    const isReading = (): boolean => worker.run === run && worker.killedFor === undefined
    let bytes = 0
    let isTelling = false
    // several steps that come together are one message
    const tell = (): void => {
      if (isTelling) return
      isTelling = true
      void started.then(() => {
        isTelling = false
        if (isReading()) send({ run: message.run, arrived: bytes, isWhole: file.isWhole, isGivenUp })
      })
    }
    const file: UnderWay = {
      isWhole: false,
      giveUp() {
        if (isGivenUp || !isReading()) return
        isGivenUp = true
        tell()
        setTimeout(() => isReading() && actions.replace(worker), GIVE_UP_MS).unref()
      },
    }
    underWay.set(run, file)
    return {
      arrived(count, isWhole) {
        bytes = count
        // until then, whoever receives the file has a limit of time
        if (isWhole && !file.isWhole && isReading()) actions.setDeadline(worker, run)
        file.isWhole = isWhole
        tell()
      },
      giveUp: file.giveUp,
      done,
    }
  }

  /** Other runs wait for a process. The call of a file that is whole is about to need what is read. */
  makeWay(): void {
    for (const { isWhole, giveUp } of this.underWay.values()) if (!isWhole) giveUp()
  }
}
