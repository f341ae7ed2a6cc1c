/**
 * Shared by the ingestion benches: a data folder with a fleet of sensors, and the load generator as a child process.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manage, ROOT, startServer, stopServer } from '../test/support/processes.ts'
import type { LoadPlan, LoadResult } from './load-client.ts'

export const LIMITS = { SENSOR_CALLS_PER_MINUTE: '1000000000', PORT: '0' }

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
    fleet.push(await manage(server.url, token, 'POST', `/enterprises/${id}/sensors`, { channels, assetName: 'Fleet' }))
  await stopServer(server)
  return fleet.map(({ id, key }) => ({ id, key }))
}

/** @param onCounting called when the warm-up ends and counting starts */
export function generate(plan: LoadPlan, onCounting: () => void): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['bench/load-client.ts', JSON.stringify(plan)], {
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
      if (code === 0) resolve(JSON.parse(output) as LoadResult)
      else reject(new Error(`the load generator ended with ${code}`))
    })
  })
}
