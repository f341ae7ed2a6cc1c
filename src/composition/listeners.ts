/** The ports of the server: the public one, and the operator's, where it is set. */
import type { Logger } from 'pino'
import type { SensorGate } from '../access/sensor-gate.ts'
import type { Config } from '../config.ts'
import { type Handle, type Listener, listen } from '../http/listener.ts'
import type { RequestLog } from '../http/observability/log.ts'
import type { SensorProfile } from '../ingest/batch.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { directReadings } from '../surfaces/sensors/direct-readings.ts'
import { createReadingsCall } from '../surfaces/sensors/readings-call.ts'
import { sensorBody } from './limits.ts'

/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_S = 60
/**
 * Time for running calls at a stop. Bun counts a call as running for ever when its client pipelined another one behind
 * it, so waiting has an end. Shorter than the deadline of the whole stop, which closes the stores afterwards.
 */
const DRAIN_MS = 5_000

export type Answers = {
  /** The application. */
  handle: Handle
  sensorGate: SensorGate<SensorProfile>
  ingest: Ingest
  log: RequestLog
}

export type Listeners = {
  /** Address of the public port. */
  address: string
  /** Address of the operator's routes. */
  adminAddress: string
  /** Stops accepting requests, and resolves when the running ones are answered, or closed after `DRAIN_MS`. */
  stop(): Promise<void>
}

export function openListeners(config: Config, { handle, sensorGate, ingest, log }: Answers, logger: Logger): Listeners {
  const { host, port, adminHost, adminPort, instance } = config
  const hasAdmin = adminPort > 0
  const answer = directReadings(createReadingsCall(sensorGate, ingest), sensorBody(config), log, handle)
  const listenOn = (hostname: string, onPort: number, publicOnly: boolean): Listener =>
    listen(answer, {
      hostname,
      port: onPort,
      reusePort: instance > 0,
      idleTimeoutS: IDLE_TIMEOUT_S,
      publicOnly,
      publicTls: config.publicUrl?.startsWith('https://') === true,
      trustedProxies: new Set(config.trustedProxies),
      onStrangeProxy: (proxy) =>
        logger.warn(
          { proxy },
          'a call has X-Forwarded-For, but its proxy is not in TRUSTED_PROXIES: limits count all callers of this proxy as one',
        ),
      onError: (error) => logger.warn({ err: error }, 'an answer ended with its connection'),
    })
  const main = listenOn(host, port, hasAdmin)
  const admin = hasAdmin ? listenOn(adminHost, adminPort, false) : undefined
  const addressOf = (listener: Listener): string => `http://${listener.hostname}:${listener.port}`
  return {
    address: addressOf(main),
    adminAddress: addressOf(admin ?? main),
    async stop() {
      const open = admin === undefined ? [main] : [main, admin]
      const drained = Promise.all(open.map((listener) => listener.stop()))
      await Promise.race([drained, Bun.sleep(DRAIN_MS)])
      for (const listener of open) void listener.stop(true)
    },
  }
}
