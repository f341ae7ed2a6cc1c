/** A real server in a temporary folder, and the requests that tests send to it. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manage, type Server, startServer, stopServer, untilUnused } from '../processes.ts'
import { sharedFolder } from '../run-end.ts'
import { until } from '../until.ts'

let seed: Promise<string> | undefined

/** A data folder as after a first start, created once: copying it takes less time than creating two databases. */
async function seedDir(): Promise<string> {
  seed ??= (async () => {
    const dir = sharedFolder('seed')
    const server = await startServer(['src/main.ts'], { DATA_DIR: join(dir, 'data'), PORT: '0' }, join(dir, 'log'))
    await stopServer(server)
    await untilUnused(dir)
    // each copy is a separate instance
    rmSync(join(dir, 'data/instance.id'))
    // a PostgreSQL that was killed, because it took too long to stop, leaves its socket, which cannot be copied
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }))
      if (entry.isSocket()) rmSync(join(entry.parentPath, entry.name))
    return join(dir, 'data')
  })()
  return seed
}

export type Envelope<T = Record<string, unknown>> = {
  ok: boolean
  statusCode: number
  code: string
  message: string
  messageAr?: string
  data: T
  errors?: { field: string; rule: string; message: string; messageAr?: string; feature?: number }[]
  path: string
  method: string
  timestamp: string
  requestId: string
}
export type Outcome = {
  accepted: string[]
  duplicates: string[]
  refused: { at: unknown; reason: string; channel?: string }[]
}
export type MadeSensor = { id: string; key: string; number: number; keys: { id: string }[] }
export type Organization = { id: string; publicKey: string; secretKey: string; applicationId: string }
export type Channel = { name: string; measurement: 'number' | 'whole' | 'boolean'; unit?: string }

export type Instance = {
  dir: string
  url(): string
  port(): number
  pid(): number
  /** @param from number of leading bytes to skip */
  log(from?: number): string
  operatorToken(): string
  manage<T = Record<string, unknown>>(method: string, path: string, body?: object): Promise<T>
  organization(tier?: string): Promise<Organization>
  sensor(enterpriseId: string, channels: Channel[], assetName?: string): Promise<MadeSensor>
  /** Sends readings; a string or bytes are sent unchanged. */
  send(sensor: { id: string; key: string }, body: unknown, headers?: Record<string, string>): Promise<Response>
  query<T = Record<string, unknown>>(organization: Organization, path: string): Promise<Envelope<T>>
  kill(signal: NodeJS.Signals): Promise<number | null>
  /** Starts the server again on the same folder, with additional environment variables if given. */
  restart(env?: Record<string, string>): Promise<void>
  remove(): Promise<void>
}

/**
 * @param home folder of the data and the logs; existing data is used
 * @param program the server, or a program that starts it
 */
export async function createInstance(
  env: Record<string, string> = {},
  home: string = mkdtempSync(join(tmpdir(), 'groundwave-test-')),
  program = 'src/main.ts',
): Promise<Instance> {
  const dir = join(home, 'data')
  if (!existsSync(dir)) cpSync(await seedDir(), dir, { recursive: true })
  let server: Server
  let starts = 0
  const logFile = (n: number): string => join(home, `log-${n}`)

  async function start(more: Record<string, string> = {}): Promise<void> {
    starts++
    server = await startServer([program], { DATA_DIR: dir, PORT: '0', ...env, ...more }, logFile(starts))
  }
  await start()
  const operatorToken = (): string => readFileSync(join(dir, 'operator.token'), 'utf8').trim()

  const instance: Instance = {
    dir,
    url: () => server.url,
    port: () => server.port,
    pid: () => server.pid,
    log(from = 0) {
      const files = Array.from({ length: starts }, (_, i) => logFile(i + 1)).filter(existsSync)
      return Buffer.concat(files.map((file) => readFileSync(file)))
        .subarray(from)
        .toString()
    },
    operatorToken,
    manage: (method, path, body) => manage(server.url, operatorToken(), method, path, body),
    async organization(tier = 'business') {
      const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Test', tier })
      const application = await instance.manage<{ id: string; publicKey: string; secretKey: string }>(
        'POST',
        `/enterprises/${id}/applications`,
        { name: 'Test', tools: 'all' },
      )
      const { publicKey, secretKey } = application
      return { id, publicKey, secretKey, applicationId: application.id }
    },
    sensor: (enterpriseId, channels, assetName = 'Asset') =>
      instance.manage('POST', `/enterprises/${enterpriseId}/sensors`, { channels, assetName }),
    send: (sensor, body, headers = {}) =>
      fetch(`${server.url}/sensors/${sensor.id}/readings`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sensor.key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    async query<T>({ publicKey, secretKey }: Organization, path: string) {
      const response = await fetch(`${server.url}/enterprise/v1/assets${path}`, {
        headers: { 'x-api-key': publicKey, 'x-api-secret': secretKey },
      })
      return (await response.json()) as Envelope<T>
    },
    kill: (signal) => stopServer(server, signal),
    restart: start,
    async remove() {
      await stopServer(server, 'SIGKILL')
      await untilUnused(home)
      rmSync(home, { recursive: true, force: true })
    },
  }
  return instance
}

/** Whether a fault has no text in Arabic. */
export const lacksArabic = ({ messageAr = '' }: { messageAr?: string }): boolean =>
  !/\p{Script=Arabic}/u.test(messageAr)

/** `YYYY-MM-DDTHH:MM:SS.sssZ` some milliseconds from now. */
export const fromNow = (ms: number): string => new Date(Date.now() + ms).toISOString()

export async function outcomeOf(response: Response): Promise<Outcome> {
  const envelope = (await response.json()) as Envelope<Outcome>
  if (envelope.code !== 'SENSOR_READINGS_RESULT') throw new Error(`${envelope.code}: ${envelope.message}`)
  return envelope.data
}

/** `count` readings of channel `a`, a second apart, ending `secondsAgo` ago. */
export function batch(count: number, secondsAgo = 60) {
  const endMs = Date.now() - secondsAgo * 1000
  return {
    readings: Array.from({ length: count }, (_, i) => ({
      at: new Date(endMs - (count - i) * 1000).toISOString(),
      values: { a: i },
    })),
  }
}

/** Waits until queries see a number of readings of a sensor: large batches become visible piece by piece. */
export const untilStored = (
  instance: () => Instance,
  organization: Organization,
  sensor: { id: string },
  count: number,
): Promise<void> =>
  until(async () => (await readingTimes(instance, organization, sensor)).length >= count, `storing ${count} readings`)

/** Times of all stored readings of a sensor; `instance` is called for each page. */
export async function readingTimes(
  instance: () => Instance,
  organization: Organization,
  sensor: { id: string },
): Promise<string[]> {
  const times: string[] = []
  for (let cursor = ''; ; ) {
    const { data } = await instance().query<{ items: { at: string }[]; nextCursor: string | null }>(
      organization,
      `/sensors/${sensor.id}/readings?limit=1000${cursor}`,
    )
    times.push(...data.items.map(({ at }) => at))
    if (data.nextCursor === null) return times
    cursor = `&cursor=${data.nextCursor}`
  }
}
