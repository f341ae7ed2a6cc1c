/** The MQTT listener, where MQTT_PORT is set. */

import { listenMqtt, type MqttListener } from '../surfaces/mqtt/listener.ts'
import { createSignIn } from '../surfaces/mqtt/senders.ts'
import type { ServerHost } from './host.ts'
import type { Ingestion } from './ingest.ts'
import type { Stops } from './shutdown.ts'
import type { Stores } from './stores/stores.ts'

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
