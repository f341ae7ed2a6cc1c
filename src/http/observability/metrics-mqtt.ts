/** Metrics of the MQTT listener. */
import { Counter, Gauge, type Registry } from 'prom-client'
import { instrumentsOf } from './instruments.ts'

export function createMqttMetrics(registry: Registry) {
  const registers = [registry]
  const closed = instrumentsOf(registry).counter(
    'mqtt_closed_total',
    'MQTT connections that the server closed, by the reason',
    'reason',
  )
  // counted here, and handed over at each scrape: the library looks its labels up for each call
  const messages = { taken: 0, refused: 0, failed: 0 }
  new Counter({
    name: 'mqtt_messages_total',
    help: 'Messages received by MQTT: taken into the ingestion, refused as a whole, or failed, so that the sender repeats them',
    labelNames: ['outcome'] as const,
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(messages)) this.inc({ outcome }, count)
    },
  })
  let connections = (): number => 0
  new Gauge({
    name: 'mqtt_connections',
    help: 'MQTT connections of senders that have signed in',
    registers,
    collect() {
      this.set(connections())
    },
  })
  return {
    mqttMessage(outcome: keyof typeof messages): void {
      messages[outcome]++
    },
    mqttClosed: (reason: string): void => closed.labels(reason).inc(),
    mqttConnections(count: () => number): void {
      connections = count
    },
  }
}
