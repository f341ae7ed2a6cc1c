/** Whether the server can listen where its variables say. */
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { holderOf } from './disk.ts'
import { type Finding, ok, problem } from './finding.ts'

const CHECK = 'ports'

type Place = { name: string; hostName: string; host: string; port: number }

/** The code of the system's error; undefined when the port is free. */
const reasonNot = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })

function explain({ name, hostName, host, port }: Place, reason: string): Finding {
  const set = `${name}=${port}`
  if (reason === 'EADDRINUSE')
    return problem(
      CHECK,
      `${set} is in use by another program`,
      `Find it with "ss -ltnp sport = :${port}" and stop it, or set ${name} to another port.`,
    )
  if (reason === 'EACCES')
    return problem(
      CHECK,
      `this account may not listen on ${set}`,
      'Use a port from 1024, with a reverse proxy in front, or AmbientCapabilities=CAP_NET_BIND_SERVICE in systemd.',
    )
  return problem(
    CHECK,
    `${hostName}=${host} is no address of this machine (${reason})`,
    `Set ${hostName} to 127.0.0.1, to 0.0.0.0 for all addresses, or to one that "ip address" shows.`,
  )
}

export async function portFindings(config: Config): Promise<Finding[]> {
  const { host, adminHost } = config
  const places: Place[] = [
    { name: 'PORT', hostName: 'HOST', host, port: config.port },
    { name: 'ADMIN_PORT', hostName: 'ADMIN_HOST', host: adminHost, port: config.adminPort },
    { name: 'MQTT_PORT', hostName: 'HOST', host, port: config.mqtt?.port ?? 0 },
  ]
  const folders = [config.dataDir, join(config.home, 'instance-1')]
  const isRunning = folders.some((folder) => holderOf(folder).isRunning)
  const free: string[] = []
  const used: string[] = []
  const findings: Finding[] = []
  for (const place of places.filter(({ name, port }) => port > 0 || name === 'PORT')) {
    const reason = await reasonNot(place.host, place.port)
    const text = `${place.name}=${place.port}`
    if (reason === undefined) free.push(text)
    else if (reason === 'EADDRINUSE' && isRunning) used.push(text)
    else findings.push(explain(place, reason))
  }
  if (findings.length > 0) return findings
  const parts = [
    ...(free.length > 0 ? [`${free.join(', ')}: free`] : []),
    ...(used.length > 0 ? [`${used.join(', ')}: in use, and a server runs on this folder`] : []),
  ]
  return [ok(CHECK, parts.join('; '))]
}
