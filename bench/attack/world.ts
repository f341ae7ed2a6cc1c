/** A server with an attacker and a victim, each with keys of every kind and things of their own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manage, type Server, startServer, stopServer } from '../../test/support/processes.ts'

export type Tenant = {
  id: string
  pair: Record<string, string>
  sensor: { id: string; bearer: Record<string, string> }
  fleetKey: Record<string, string>
  toolApi: { id: string; bearer: Record<string, string> }
  /** Ids of things that the tenant owns, by the name that routes give them. */
  ids: string[]
}
export type World = {
  server: Server
  log(): string
  operator: Record<string, string>
  attacker: Tenant
  victim: Tenant
  metric(name: string): Promise<number>
  stop(): Promise<void>
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
  [0, 0],
]

export async function startWorld(): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-attack-'))
  const logFile = join(dir, 'log')
  const env = {
    DATA_DIR: join(dir, 'data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    SENSOR_CALLS_PER_MINUTE: '1000000',
    FLEET_CALLS_PER_MINUTE: '1000000',
    // the attacks are to reach the code behind the rate limits
    CALLS_PER_MINUTE: '1000000',
    FILES_PER_HOUR: '1000000',
    TOOL_API_CALLS_PER_MINUTE: '1000000',
  }
  const server = await startServer(['src/main.ts'], env, logFile)
  while (!(await fetch(`${server.url}/health/ready`)).ok) await Bun.sleep(50)
  const token = readFileSync(join(dir, 'data/operator.token'), 'utf8').trim()
  const make = <T>(path: string, body: object): Promise<T> => manage<T>(server.url, token, 'POST', path, body)

  async function tenant(name: string): Promise<Tenant> {
    const { id } = await make<{ id: string }>('/enterprises', { name, tier: 'scale' })
    const application = await make<{ id: string; publicKey: string; secretKey: string }>(
      `/enterprises/${id}/applications`,
      { name },
    )
    const channels = [{ name: 'level', measurement: 'number' }]
    const sensor = await make<{ id: string; key: string }>(`/enterprises/${id}/sensors`, { channels, assetName: name })
    const fleet = await make<{ key: string }>(`/enterprises/${id}/fleet-keys`, { name, unknownChannels: 'ignore' })
    const geometry = { type: 'Polygon', coordinates: [SQUARE] }
    const geojson = { type: 'Feature', properties: { name }, geometry }
    const layer = await make<{ id: string }>(`/owners/${id}/layers`, { name, geojson })
    const toolApi = await make<{ id: string; key: string }>(`/owners/${id}/tool-apis`, {
      tool: 'vector.inside-check',
      name,
      binding: { kind: 'layer', id: layer.id },
      rule: { kind: 'inside' },
    })
    return {
      id,
      pair: { 'x-api-key': application.publicKey, 'x-api-secret': application.secretKey },
      sensor: { id: sensor.id, bearer: bearer(sensor.key) },
      fleetKey: bearer(fleet.key),
      toolApi: { id: toolApi.id, bearer: bearer(toolApi.key) },
      ids: [id, application.id, sensor.id, layer.id, toolApi.id],
    }
  }

  const [attacker, victim] = [await tenant('Attacker'), await tenant('Victim')]
  return {
    server,
    attacker,
    victim,
    operator: bearer(token),
    log: () => readFileSync(logFile, 'utf8'),
    async metric(name) {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      const line = text.split('\n').find((one) => one.startsWith(`${name} `))
      return Number(line?.split(' ')[1] ?? 0)
    },
    async stop() {
      await stopServer(server, 'SIGKILL')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
