/** The ports of the server: the public one, and the operator's, where it is set. */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type HttpListener, listenHttp } from '../http/http-listener.ts'
import { answering, type Handle } from '../http/listener.ts'

/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_S = 60

export type Listeners = {
  /** Where the public port is. */
  address: string
  /** Where the operator's routes are. */
  adminAddress: string
  /** Takes no more requests, and resolves when those under way are answered. */
  stop(): Promise<void>
}

export function openListeners(config: Config, handle: Handle, logger: Logger): Listeners {
  const { host, port, adminHost, adminPort, instance } = config
  const hasAdmin = adminPort > 0
  const shared = { trustedProxies: new Set(config.trustedProxies), idleTimeoutS: IDLE_TIMEOUT_S }
  const publicAnswer = answering(handle, { ...shared, publicOnly: hasAdmin })
  const onError = (error: unknown): void => logger.warn({ err: error }, 'an answer ended with its connection')
  const listen = (hostname: string, onPort: number, answer: typeof publicAnswer) =>
    listenHttp({ hostname, port: onPort, reusePort: instance > 0, idleTimeoutS: IDLE_TIMEOUT_S, onError }, answer)
  const main = listen(host, port, publicAnswer)
  const admin = hasAdmin ? listen(adminHost, adminPort, answering(handle, { ...shared, publicOnly: false })) : undefined
  const addressOf = (listener: HttpListener): string => `http://${listener.hostname}:${listener.port}`
  return {
    address: addressOf(main),
    adminAddress: addressOf(admin ?? main),
    async stop() {
      await Promise.all([main.stop(), admin?.stop()])
    },
  }
}
