/**
 * A worker process: runs one tool at a time until it is told to end, by Bun or by Node. It has no secrets and no
 * stores; when it hangs or grows it is killed, and nothing is lost but its run.
 */
import { setPriority } from 'node:os'
import { AppError } from '../errors.ts'
import type { Tool } from '../tools/tool.ts'
import { warmUp } from '../tools/warm-up.ts'
import type { Failure, FromWorker, ToWorker } from './protocol.ts'

/** Behind the server, which takes in readings. */
const NICENESS = 10
const PROGRESS_INTERVAL_MS = 200
const TIDY_FROM_BYTES = 256 * 2 ** 20

const say = (message: FromWorker): void => {
  process.send?.(message)
}

async function run({ run, tool: id, input, scratch, limits, plan }: ToWorker): Promise<void> {
  try {
    const module = (await import(`../tools/${id.replace('.', '/')}.ts`)) as { default: Tool }
    let toldAtMs = 0
    const progress = (share: number): void => {
      const nowMs = performance.now()
      if (nowMs - toldAtMs < PROGRESS_INTERVAL_MS) return
      toldAtMs = nowMs
      say({ run, progress: Math.min(Math.max(share, 0), 1) })
    }
    const result = await module.default.run(input as never, { scratch, limits, plan, progress })
    tidy()
    say({ run, result })
  } catch (error) {
    say({ run, failure: failureOf(error) })
  }
}

/** Bun does not know how much memory native libraries hold for objects that nobody needs any more. */
function tidy(): void {
  if (process.versions.bun !== undefined && process.memoryUsage.rss() > TIDY_FROM_BYTES) Bun.gc(true)
}

function failureOf(error: unknown): Failure {
  if (error instanceof AppError) {
    const { code, message, errors, cause } = error
    const about = cause instanceof Error ? cause.message : undefined
    return { kind: 'expected', code, message, ...(errors && { errors }), ...(about && { cause: about }) }
  }
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'unexpected', message, stack }
}

/** Loads what the first call would otherwise wait for. */
async function prepare(): Promise<string | undefined> {
  try {
    await warmUp(process.versions.bun === undefined)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

setPriority(NICENESS)
process.on('message', (message) => void run(message as ToWorker))
process.on('disconnect', () => process.exit(0))
const missing = await prepare()
say({ ready: true, ...(missing !== undefined && { missing }) })
