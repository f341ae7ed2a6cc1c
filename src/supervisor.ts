/** INSTANCES=n: runs n server processes on one port, each with its own log, and replaces processes that die. */
import { spawn } from 'node:child_process'

const RESTART_MS = 1_000
const STOP_DEADLINE_MS = 12_000

/** Runs until SIGTERM or SIGINT; resolves with the exit code. */
export function superviseInstances(
  count: number,
  program: string,
  env: Record<string, string | undefined>,
): Promise<number> {
  const children = new Map<number, ReturnType<typeof spawn>>()
  const ended = Promise.withResolvers<number>()
  let stopping = false
  let worst = 0

  function start(instance: number): void {
    const child = spawn(process.execPath, [program], {
      env: { ...env, INSTANCES: '1', INSTANCE: String(instance) },
      stdio: 'inherit',
    })
    const startedMs = performance.now()
    children.set(instance, child)
    child.on('exit', (code, signal) => {
      children.delete(instance)
      if (stopping || (code !== null && code !== 0 && performance.now() - startedMs < RESTART_MS)) {
        // an instance that fails right at its start would fail again
        worst = Math.max(worst, code ?? 1)
        if (!stopping) stop()
        if (children.size === 0) ended.resolve(worst)
        return
      }
      process.stderr.write(`Instance ${instance} ended with ${signal ?? `exit code ${code}`}; restarting it\n`)
      setTimeout(() => {
        if (!stopping) start(instance)
      }, RESTART_MS)
    })
  }

  function stop(): void {
    stopping = true
    for (const child of children.values()) child.kill('SIGTERM')
    if (children.size === 0) ended.resolve(worst)
    setTimeout(() => {
      for (const child of children.values()) child.kill('SIGKILL')
    }, STOP_DEADLINE_MS).unref()
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  for (let instance = 1; instance <= count; instance++) start(instance)
  return ended.promise
}
