/**
 * Stops the parts of a process in the reverse order of opening, so that each part still runs while the parts that use it
 * stop. Code that opens a part registers its stop at that moment.
 */
import type { Logger } from 'pino'

export type Stops = {
  /** @param name is in the log when the part fails to stop, or does not stop in time */
  onStop(name: string, stop: () => unknown): void
}

export type Shutdown = Stops & {
  /**
   * For parts that must not wait for each other: they begin to stop at the same moment, when the turn of this call has
   * come.
   */
  together(): Stops
  /** Stops all parts, even if some of them fail. @returns whether none failed */
  stop(): Promise<boolean>
  /** Names of the parts that are stopping. */
  stopping(): string[]
}

const STOP_DEADLINE_MS = 10_000

export function createShutdown(logger: Logger): Shutdown {
  const stack = new AsyncDisposableStack()
  const stopping = new Set<string>()
  let isClean = true

  const step = (name: string, stop: () => unknown) => async (): Promise<void> => {
    stopping.add(name)
    try {
      await stop()
    } catch (error) {
      isClean = false
      logger.error({ err: error, part: name }, 'a part failed to stop')
    } finally {
      stopping.delete(name)
    }
  }

  return {
    onStop: (name, stop) => stack.defer(step(name, stop)),
    together() {
      const steps: (() => Promise<void>)[] = []
      stack.defer(async () => {
        await Promise.all(steps.toReversed().map((stopPart) => stopPart()))
      })
      return { onStop: (name, stop) => void steps.push(step(name, stop)) }
    },
    async stop() {
      await stack.disposeAsync()
      return isClean
    },
    stopping: () => [...stopping],
  }
}

/**
 * Opens the parts of a process, and stops them at SIGTERM or SIGINT. The exit code is 0 if all stopped within
 * `STOP_DEADLINE_MS`. If a part cannot be opened, the parts before it are stopped and the exit code is 1.
 */
export async function runUntilSignal(
  logger: Logger,
  open: (shutdown: Shutdown) => Promise<void>,
  writeStartError: (error: unknown) => void,
  deadlineMs = STOP_DEADLINE_MS,
): Promise<void> {
  const shutdown = createShutdown(logger)
  const exit = (code: number): void => logger.flush(() => process.exit(code))

  async function stop(): Promise<boolean> {
    setTimeout(() => {
      logger.error({ parts: shutdown.stopping() }, 'some parts did not stop in time; all accepted readings are on disk')
      exit(1)
    }, deadlineMs)
    return shutdown.stop()
  }

  try {
    await open(shutdown)
  } catch (error) {
    writeStartError(error)
    await stop()
    return exit(1)
  }
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, async () => {
      if (isStopping) return
      isStopping = true
      logger.info({ signal }, 'stopping')
      const isClean = await stop()
      logger.info('stopped')
      exit(isClean ? 0 : 1)
    })
}
