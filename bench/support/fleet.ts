/**
 * Shared by the benches of a fleet: a data folder with its sensors, keys for its enterprise, what the server says of
 * itself, and the load generator as a child process.
 */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedPostgres } from '../../src/stores/postgres/client.ts'
import { manage, ROOT, type Server, startServer, stopServer } from '../../test/support/processes.ts'
import type { LoadPlan, LoadResult } from './load-client.ts'

export const LIMITS = { SENSOR_CALLS_PER_MINUTE: '1000000000', FLEET_CALLS_PER_MINUTE: '1000000000', PORT: '0' }

export type Fleet = { id: string; key: string }[]

/** Creates a data folder with an enterprise and its sensors; each run uses a copy of it. */
export async function provision(
  seedDir: string,
  sensors: number,
  log: string,
  servers: Record<string, string> = {},
): Promise<Fleet> {
  const server = await startServer(['src/main.ts'], { ...LIMITS, ...servers, DATA_DIR: seedDir }, log)
  const token = readFileSync(join(seedDir, 'operator.token'), 'utf8').trim()
  const { id } = await manage<{ id: string }>(server.url, token, 'POST', '/enterprises', {
    name: 'Bench',
    tier: 'scale',
  })
  await manage(server.url, token, 'PATCH', `/enterprises/${id}`, { readingsPerDay: 1e15 })
  const channels = ['temperature', 'humidity', 'pressure'].map((name) => ({ name, measurement: 'number' }))
  const fleet: Fleet = []
  for (let i = 0; i < sensors; i++)
    fleet.push(
      await manage(server.url, token, 'POST', `/enterprises/${id}/sensors`, {
        channels,
        assetName: 'Fleet',
        externalId: `s${String(i).padStart(5, '0')}`,
      }),
    )
  await stopServer(server)
  return fleet.map(({ id, key }) => ({ id, key }))
}

/**
 * The same with sensors written straight to the database: through the API, 100,000 of them would take minutes.
 * @param tags SQL for the tags of sensor n
 */
export async function provisionInBulk(
  seedDir: string,
  sensors: number,
  log: string,
  tags = "'{}'::text[]",
): Promise<Fleet> {
  await provision(seedDir, 0, log)
  const socketDir = join(seedDir, 'run/postgres')
  const postgres = await openEmbeddedPostgres({ dir: join(seedDir, 'postgres'), socketDir, onLog: () => undefined })
  const id = (kind: string): string => `'${kind}_' || lpad(to_hex(n), 32, '0')`
  await postgres.script(`
    INSERT INTO assets (id, enterprise_id, name) SELECT ${id('ass')}, (SELECT id FROM enterprises), 'Asset ' || n
      FROM generate_series(1, ${sensors}) AS n;
    INSERT INTO sensors (id, enterprise_id, asset_id, name, tags)
      SELECT ${id('sen')}, (SELECT id FROM enterprises), ${id('ass')}, 'Sensor ' || n, ${tags}
      FROM generate_series(1, ${sensors}) AS n;
    INSERT INTO channels (sensor_id, number, name, measurement) SELECT ${id('sen')}, c, (ARRAY['temperature', 'humidity', 'pressure'])[c], 'number'
      FROM generate_series(1, ${sensors}) AS n, generate_series(1, 3) AS c;
    INSERT INTO sensor_keys (id, sensor_id, key_sha256, last_four) SELECT ${id('key')}, ${id('sen')}, encode(sha256(('svcsn_bench' || n)::bytea), 'hex'), 'none'
      FROM generate_series(1, ${sensors}) AS n;
    ANALYZE`)
  await postgres.close()
  return Array.from({ length: sensors }, (_, i) => ({
    id: `sen_${(i + 1).toString(16).padStart(32, '0')}`,
    key: `svcsn_bench${i + 1}`,
  }))
}

/** @param onCounting called when the warm-up ends and counting starts */
export function generate(plan: LoadPlan, onCounting: () => void): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    // a large fleet is too long for an argument
    const path = join(tmpdir(), `groundwave-plan-${crypto.randomUUID()}.json`)
    writeFileSync(path, JSON.stringify(plan))
    const child = spawn(process.execPath, ['bench/support/load-client.ts', path], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.startsWith('counting\n')) {
        output = output.slice(9)
        onCounting()
      }
    })
    child.on('close', (code) => {
      rmSync(path)
      if (code === 0) resolve(JSON.parse(output) as LoadResult)
      else reject(new Error(`the load generator ended with ${code}`))
    })
  })
}

/** A new key for all sensors of the first enterprise. */
export async function fleetKeyOf(server: Server, dataDir: string): Promise<string> {
  const token = readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
  const { items } = await manage<{ items: { id: string }[] }>(server.url, token, 'GET', '/enterprises')
  const path = `/enterprises/${items[0]?.id}/fleet-keys`
  return (await manage<{ key: string }>(server.url, token, 'POST', path, { name: 'Bench' })).key
}

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

async function gauge(server: Pick<Server, 'url'>, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)`, 'm').exec(text)?.[1] ?? 0)
}

/** The longest delay of the event loop since the last call. */
export const longestDelayMs = async (server: Pick<Server, 'url'>): Promise<number> =>
  1000 * (await gauge(server, 'event_loop_delay_seconds{quantile="1"}'))

/** Resolves when ClickHouse has all accepted readings. */
export async function untilLoaded(server: Server): Promise<void> {
  while ((await gauge(server, 'log_segments')) > 0) await Bun.sleep(100)
}
