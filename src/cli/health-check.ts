/**
 * `bun src/cli/health-check.ts [live|ready]`: asks the server of this environment, for containers and supervisors that
 * run a program. Exit code 0 when it answers with success. `live`, the default, checks only that the process answers: a
 * server that waits for ClickHouse still accepts readings, so restarting it would not help.
 */
import { readConfig } from '../config.ts'

const TIMEOUT_MS = 4_000
const UNSPECIFIED: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

const what = process.argv[2] ?? 'live'
if (what !== 'live' && what !== 'ready') {
  process.stderr.write(`"${what}" must be "live" or "ready"\n`)
  process.exit(2)
}
const { host, port } = readConfig(process.env)
const url = `http://${UNSPECIFIED[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}/health/${what}`
try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!ok) process.stderr.write(`${url} answered with status ${status}\n`)
  process.exit(ok ? 0 : 1)
} catch (error) {
  process.stderr.write(`${url} does not answer: ${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
