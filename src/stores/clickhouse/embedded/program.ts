/**
 * The process that chDB runs in: serves statements to the server that started it, over HTTP on a Unix socket. Results
 * pass through as bytes. A statement that is killed, or takes this process with it, costs the server only its answer.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile, lockHolder } from '../../file-lock.ts'
import { openEngine } from './engine.ts'
import { type ChdbProcessOptions, FAILED, type OwnLine, type RunRequest, type StreamRequest } from './protocol.ts'
import { chdbArguments } from './settings.ts'

const LOCK_TIMEOUT_MS = 10_000
const LOCK_POLL_MS = 20
const PARENT_POLL_MS = 500

const { dir, socketPath, parentPid, memoryBytes } = JSON.parse(process.argv[2] ?? '{}') as ChdbProcessOptions

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Waits for the process of a server that was killed, which may still have the folder. */
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

/** Where the kernel does not signal the server's death, this does. */
function endWithParent(): void {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
}

async function main(): Promise<void> {
  endWithParent()
  setInterval(endWithParent, PARENT_POLL_MS)
  // an init system that stops all processes of a service must leave this one to the server, which needs it to the end
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  await lockFolder()
  // of an earlier process
  await rm(socketPath, { force: true })
  const engine = await openEngine(dir, chdbArguments(memoryBytes))
  const failures = new Map<string, string>()

  /** The first piece is awaited, so that a query that fails at once is answered as failed. */
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
              // Bun would print an error that the stream ends with
              failures.set(request.id, textOf(error))
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
    '/run': async (request) => new Response(await engine.run((await request.json()) as RunRequest, request.signal)),
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
        if (answer === undefined) throw new Error(`there is no ${request.url}`)
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
