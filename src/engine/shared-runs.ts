/** Runs whose parts idle processes work on, together with the process that owns the run. */
import type { Outcome, ToWorker } from './protocol.ts'
import { failureOf } from './sharing.ts'
import type { Run, Worker } from './worker-process.ts'

type Share = { owner: Worker; parts: unknown[]; next: number; helpers: Set<Run> }

export class SharedRuns {
  private readonly shares = new Map<Run, Share>()
  private readonly send: (worker: Worker, message: ToWorker) => void

  constructor(send: (worker: Worker, message: ToWorker) => void) {
    this.send = send
  }

  /** Whether there is work for a process that helps. */
  get hasParts(): boolean {
    return [...this.shares.values()].some(({ next, parts }) => next < parts.length)
  }

  /** Whether the run is a part of a shared run with parts left. */
  isContinued({ message }: Run): boolean {
    for (const [run, { next, parts }] of this.shares)
      if (run.message.scratch === message.scratch && next < parts.length) return true
    return false
  }

  open(owner: Worker, run: Run, parts: unknown[]): void {
    this.shares.set(run, { owner, parts, next: 0, helpers: new Set() })
  }

  /** The part that the owner does next; null when none are left. */
  grantPart(run: Run): number | null {
    const share = this.shares.get(run)
    return share !== undefined && share.next < share.parts.length ? share.next++ : null
  }

  /** The next part for one of the idle processes. A job leaves one of them to other calls. */
  nextHelper(idle: number, newId: () => number): Run | undefined {
    if (idle === 0) return undefined
    for (const [run, share] of this.shares) {
      const { owner, parts, next, helpers } = share
      if (next >= parts.length || (run.options.background === true && idle < 2)) continue
      share.next++
      const { signal: _signal, onProgress: _onProgress, watch: _watch, ...options } = run.options
      const done = (outcome: Outcome): void => {
        helpers.delete(helper)
        if (this.shares.has(run)) this.send(owner, { run: run.message.run, part: next, outcome })
      }
      const helper: Run = {
        tenant: run.tenant,
        message: { ...run.message, run: newId(), input: {}, part: parts[next] },
        options,
        owner,
        resolve: (value) => done({ value }),
        reject: (error) => done({ failure: failureOf(error) }),
        lost: () => done({ lost: true }),
      }
      helpers.add(helper)
      return helper
    }
    return undefined
  }

  /** @returns the helpers still working on it */
  close(run: Run): Run[] {
    const helpers = [...(this.shares.get(run)?.helpers ?? [])]
    this.shares.delete(run)
    return helpers
  }
}
