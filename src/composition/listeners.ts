/** The ports of the server: the public one, and the operator's, where it is set. */
import type { Logger } from 'pino'
import type { SensorGate } from '../access/sensors.ts'
import type { Config } from '../config.ts'
import { type HttpListener, listenHttp } from '../http/http-listener.ts'
import { answering, type Handle } from '../http/listener.ts'
import type { RequestLog } from '../http/log.ts'
import type { SensorProfile } from '../ingest/batch.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { directReadings } from '../surfaces/sensors/direct-readings.ts'
import { createReadingsCall } from '../surfaces/sensors/readings-call.ts'

/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_S = 60
/** Larger bodies have their own rules for the server's thread (body.ts). */
const DIRECT_BODY_BYTES = 256 * 1024 - 1

export type Answers = {
  /** The application. */
  handle: Handle
  sensorGate: SensorGate<SensorProfile>
  ingest: Ingest
  log: RequestLog
}

export type Listeners = {
  /** Where the public port is. */
  address: string
  /** Where the operator's routes are. */
  adminAddress: string
  /** Takes no more requests, and resolves when those under way are answered. */
  stop(): Promise<void>
}

export function openListeners(config: Config, { handle, sensorGate, ingest, log }: Answers, logger: Logger): Listeners {
  const { host, port, adminHost, adminPort, instance } = config
  const hasAdmin = adminPort > 0
  const shared = { trustedProxies: new Set(config.trustedProxies), idleTimeoutS: IDLE_TIMEOUT_S }
  const readingsCall = createReadingsCall(sensorGate, ingest)
  const route = directReadings(readingsCall, Math.min(config.sensorBodyBytes, DIRECT_BODY_BYTES))
  const answeringOn = (publicOnly: boolean) => answering(handle, { ...shared, publicOnly }, { route, log })
  const onError = (error: unknown): void => logger.warn({ err: error }, 'an answer ended with its connection')
  function listen(hostname: string, onPort: number, publicOnly: boolean): HttpListener {
    const { answer, answerDirectly } = answeringOn(publicOnly)
    const options = { hostname, port: onPort, reusePort: instance > 0, idleTimeoutS: IDLE_TIMEOUT_S, onError }
    return listenHttp(options, answer, answerDirectly)
  }
  const main = listen(host, port, hasAdmin)
  const admin = hasAdmin ? listen(adminHost, adminPort, false) : undefined
  const addressOf = (listener: HttpListener): string => `http://${listener.hostname}:${listener.port}`
  return {
    address: addressOf(main),
    adminAddress: addressOf(admin ?? main),
    async stop() {
      await Promise.all([main.stop(), admin?.stop()])
    },
  }
}
