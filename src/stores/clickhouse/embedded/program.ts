/**
 * The process that chDB runs in. It runs statements for the server that started it, over HTTP on a Unix socket, and
 * passes results on as bytes. When it crashes or is killed, the server loses only the statements that were running.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beNice, nicerBy } from '../../../niceness.ts'
import { lockFile, lockHolder } from '../../file-lock.ts'
import { scheduleAsBatch } from './batch-scheduling.ts'
import { openEngine } from './engine.ts'
import { lowerMergePriority } from './merge-priority.ts'
import { type ChdbProcessOptions, FAILED, type OwnLine, type RunRequest, type StreamRequest } from './protocol.ts'
import { chdbArguments } from './settings.ts'
import type { WriteBackOrder } from './write-back.ts'

/**
 * Added niceness, because the server's thread answers calls while this process loads readings: on two busy cores it
 * would wait for its turn.
 */
const NICER_BY = 5
const LOCK_TIMEOUT_MS = 10_000
const LOCK_POLL_MS = 20
const PARENT_POLL_MS = 500
const MERGE_POLL_MS = 1_000

const { dir, socketPath, parentPid, memoryBytes } = JSON.parse(process.argv[2] ?? '{}') as ChdbProcessOptions

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Waits while another process holds the folder: the chDB process of a killed server needs a moment to end. */
async function lockFolder(): Promise<void> {
  const lockPath = join(dir, 'lock')
  const startedMs = performance.now()
  while (lockFile(lockPath) === undefined) {
    if (performance.now() - startedMs > LOCK_TIMEOUT_MS) {
      process.stderr.write(`${dir} is in use by another process${lockHolder(lockPath)}; stop it\n`)
      process.exit(1)
    }
    await Bun.sleep(LOCK_POLL_MS)
  }
}

/** Ends this process after the server has ended, on systems whose kernel does not do so. */
function endWithParent(): void {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
}

async function main(): Promise<void> {
  beNice(nicerBy(NICER_BY))
  scheduleAsBatch()
  endWithParent()
  setInterval(endWithParent, PARENT_POLL_MS)
  // a service manager may signal every process of the service, but the server needs this one until it has stopped
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  await lockFolder()
  // left by an earlier process
  await rm(socketPath, { force: true })
  const engine = await openEngine(dir, chdbArguments(memoryBytes))
  // its threads begin some time after the first statement
  const lowering = setInterval(() => {
    if (lowerMergePriority() > 0) clearInterval(lowering)
  }, MERGE_POLL_MS)
  // Linux only; without it, calls occasionally wait for the disk
  if (process.platform === 'linux') {
    const writeBack = new Worker(join(import.meta.dir, 'write-back.ts'), { smol: true })
    writeBack.onmessage = ({ data }: MessageEvent<string>) => process.stderr.write(`${data}\n`)
    writeBack.postMessage({ dir } satisfies WriteBackOrder)
  }
  const failures = new Map<string, string>()

  /** Waits for the first piece, so that the answer to a query that fails at once is the error. */
  async function stream(request: StreamRequest, signal: AbortSignal): Promise<Response> {
    const pieces = engine.stream(request, signal)
    const first = await pieces.next()
    let next: IteratorResult<Uint8Array> | undefined = first
    return new Response(
      new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            try {
              const { value, done } = next ?? (await pieces.next())
              next = undefined
              if (done) controller.close()
              else controller.enqueue(value)
            } catch (error) {
              // kept for /failure: Bun prints the error when a stream ends with one
              if (!signal.aborted) failures.set(request.id, textOf(error))
              controller.close()
            }
          },
          async cancel() {
            await pieces.return(undefined)
          },
        },
        { highWaterMark: 0 },
      ),
    )
  }

  const answers: Record<string, (request: Request) => Promise<Response>> = {
    '/run': async (request) => {
      const { file, ...statement } = (await request.json()) as RunRequest
      try {
        return new Response(await engine.run(statement, request.signal))
      } finally {
        // the caller has deleted it, but the statement may have begun to write after that
        if (file !== undefined && request.signal.aborted) await rm(file, { force: true })
      }
    },
    '/stream': async (request) => stream((await request.json()) as StreamRequest, request.signal),
    '/failure': async (request) => {
      const { id } = (await request.json()) as { id: string }
      const reason = failures.get(id) ?? ''
      failures.delete(id)
      return new Response(reason)
    },
    '/close': async () => {
      await engine.close()
      return new Response()
    },
  }
  Bun.serve({
    unix: socketPath,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      try {
        const answer = answers[new URL(request.url).pathname]
        if (answer === undefined) throw new Error(`no route for ${request.url}`)
        return await answer(request)
      } catch (error) {
        return new Response(textOf(error), { status: FAILED })
      }
    },
  })
  process.stdout.write(`${JSON.stringify({ event: 'ready' } satisfies OwnLine)}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`${textOf(error)}\n`)
  process.exit(1)
})
