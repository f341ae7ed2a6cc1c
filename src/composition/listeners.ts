/** The ports of the server: the public one, and the operator's and that of MQTT, where they are set. */
import { type Handle, type Listener, listen } from '../http/listener.ts'
import type { RequestLog } from '../http/observability/log.ts'
import { listenMqtt, type MqttListener } from '../surfaces/mqtt/listener.ts'
import { createSignIn } from '../surfaces/mqtt/senders.ts'
import { directReadings } from '../surfaces/sensors/direct-readings.ts'
import { createReadingsCall } from '../surfaces/sensors/readings-call.ts'
import type { ServerHost } from './host.ts'
import type { Ingestion } from './ingest.ts'
import type { Stops } from './shutdown.ts'
import type { Stores } from './stores/stores.ts'

/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_S = 60
/**
 * Time for running calls at a stop. Bun counts a call as running for ever when its client pipelined another one behind
 * it, so waiting has an end. Shorter than the deadline of the whole stop, which closes the stores afterwards.
 */
const DRAIN_MS = 5_000

export type Addresses = {
  /** Address of the public port. */
  address: string
  /** Address of the operator's routes. */
  adminAddress: string
}

/** At a stop they accept no more requests, and wait until the running ones are answered, or close them after `DRAIN_MS`. */
export function openListeners(
  { config, warn, logger }: ServerHost,
  handle: Handle,
  { gate, ingest, body }: Pick<Ingestion, 'gate' | 'ingest' | 'body'>,
  log: RequestLog,
  stops: Stops,
): Addresses {
  const { host, port, adminHost, adminPort, instance } = config
  const hasAdmin = adminPort > 0
  const answer = directReadings(createReadingsCall(gate, ingest), body, log, handle)
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
      onError: warn('an answer ended with its connection'),
    })
  const main = listenOn(host, port, hasAdmin)
  const admin = hasAdmin ? listenOn(adminHost, adminPort, false) : undefined
  const addressOf = (listener: Listener): string => `http://${listener.hostname}:${listener.port}`
  const open = admin === undefined ? [main] : [main, admin]
  stops.onStop('listeners', async () => {
    const drained = Promise.all(open.map((listener) => listener.stop()))
    await Promise.race([drained, Bun.sleep(DRAIN_MS)])
    for (const listener of open) void listener.stop(true)
  })
  return { address: addressOf(main), adminAddress: addressOf(admin ?? main) }
}

/** @returns undefined when there is no listener */
export async function openMqtt(
  { config, metrics, warn }: ServerHost,
  { changes }: Stores,
  { gate, fleetGate, ingest }: Pick<Ingestion, 'gate' | 'fleetGate' | 'ingest'>,
  stops: Stops,
): Promise<MqttListener | undefined> {
  if (config.mqtt === undefined) return undefined
  const { port, tls, messagesPerMinute, connectionsPerAddress } = config.mqtt
  const listener = await listenMqtt({
    host: config.host,
    port,
    reusePort: config.instance > 0,
    tls,
    maxMessageBytes: config.sensorBodyBytes,
    messagesPerMinute,
    connectionsPerAddress,
    signIn: createSignIn(gate, fleetGate),
    ingest,
    changes,
    observer: {
      message: metrics.mqttMessage,
      closed: metrics.mqttClosed,
      onError: warn('a message by MQTT could not be taken'),
    },
  })
  metrics.mqttConnections(listener.connections)
  stops.onStop('MQTT listener', listener.stop)
  return listener
}
