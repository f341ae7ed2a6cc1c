/** Shared by the benches of queries about a fleet: keys for its enterprise, and what the server says of itself. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manage, type Server } from '../../test/support/processes.ts'

/** Headers of a new application of the first enterprise. */
export async function keysOf(server: Server, dataDir: string): Promise<Record<string, string>> {
  const token = readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
  const { items } = await manage<{ items: { id: string }[] }>(server.url, token, 'GET', '/enterprises')
  const path = `/enterprises/${items[0]?.id}/applications`
  const keys = await manage<{ publicKey: string; secretKey: string }>(server.url, token, 'POST', path, {
    name: 'Bench',
    tools: 'all',
  })
  return { 'x-api-key': keys.publicKey, 'x-api-secret': keys.secretKey }
}

async function gauge(server: Server, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)`, 'm').exec(text)?.[1] ?? 0)
}

/** The longest delay of the event loop since the last call. */
export const longestDelayMs = async (server: Server): Promise<number> =>
  1000 * (await gauge(server, 'event_loop_delay_seconds{quantile="1"}'))

/** Resolves when ClickHouse has all accepted readings. */
export async function untilLoaded(server: Server): Promise<void> {
  while ((await gauge(server, 'log_segments')) > 0) await Bun.sleep(100)
}
