/** The ports of the server: the public one, and those for the operator and for devices that pipeline, where set. */
import type { Server } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { answering, type Handle } from '../http/listener.ts'
import { type Answer, listenForPipelines } from '../http/pipelining.ts'

/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_S = 60

export type Listeners = {
  /** Where the public port is. */
  address: string
  /** Where the operator's routes are. */
  adminAddress: string
  /** For devices that pipeline; undefined when they have no port. */
  pipeliningAddress: string | undefined
  /** Takes no more requests, and resolves when those under way are answered. */
  stop(): Promise<void>
}

const POLL_MS = 20
/** For the last bytes of answers, and for callers to close their connections. */
const GRACE_MS = 500

/** Bun waits for bodies that are still under way although their calls are answered; nobody reads them any more. */
async function stopped(server: Bun.Server<unknown>): Promise<void> {
  const closed = server.stop()
  while (server.pendingRequests > 0) await Bun.sleep(POLL_MS)
  await Promise.race([closed, Bun.sleep(GRACE_MS)])
  await server.stop(true)
}

async function openPipelining(config: Config, answer: Answer, logger: Logger): Promise<Server | undefined> {
  const { host, pipeliningPort, pipeliningRequired } = config
  if (pipeliningPort === 0) return undefined
  const onError = (error: unknown): void => logger.warn({ err: error }, 'a connection of a device failed')
  try {
    const address = { hostname: host, port: pipeliningPort, idleTimeoutS: IDLE_TIMEOUT_S }
    return await listenForPipelines(address, answer, onError)
  } catch (error) {
    if (pipeliningRequired) throw error
    logger.warn(
      { err: error, port: pipeliningPort },
      'devices that pipeline have no port: set PIPELINING_PORT to a free one',
    )
    return undefined
  }
}

export async function openListeners(config: Config, handle: Handle, logger: Logger): Promise<Listeners> {
  const { host, port, adminHost, adminPort, instance } = config
  const hasAdmin = adminPort > 0
  const shared = { trustedProxies: new Set(config.trustedProxies), idleTimeoutS: IDLE_TIMEOUT_S }
  const publicAnswer = answering(handle, { ...shared, publicOnly: hasAdmin })
  const listen = (hostname: string, onPort: number, answer: typeof publicAnswer) =>
    Bun.serve({
      hostname,
      port: onPort,
      reusePort: instance > 0,
      // http/body.ts enforces the limits and answers with an envelope; Bun's own refusal has none
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: IDLE_TIMEOUT_S,
      // no page with the stack of an error
      development: false,
      fetch: answer,
    })
  const main = listen(host, port, publicAnswer)
  const admin = hasAdmin ? listen(adminHost, adminPort, answering(handle, { ...shared, publicOnly: false })) : undefined
  const pipelining = await openPipelining(config, publicAnswer, logger)
  const addressOf = (server: typeof main): string => `http://${server.hostname}:${server.port}`
  return {
    address: addressOf(main),
    adminAddress: addressOf(admin ?? main),
    pipeliningAddress: pipelining && `http://${host}:${config.pipeliningPort}`,
    async stop() {
      const closed = new Promise<void>((resolve) => {
        if (pipelining === undefined) resolve()
        else pipelining.close(() => resolve())
        pipelining?.closeIdleConnections()
      })
      await Promise.all([stopped(main), admin && stopped(admin), closed])
    },
  }
}
