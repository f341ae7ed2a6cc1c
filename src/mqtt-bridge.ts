/**
 * `bun run mqtt-bridge`: takes readings from an MQTT broker to a server, on any machine that reaches both. It has no
 * store: the broker keeps a message until its readings are durable.
 */
import { parseArgs } from 'node:util'
import { createLogger } from './composition/logger.ts'
import { runUntilSignal } from './composition/shutdown.ts'
import { writeStartError } from './composition/start-errors.ts'
import { readBridgeConfig } from './config/mqtt-bridge.ts'
import { startBridge } from './mqtt-bridge/bridge.ts'
import { subscriptionOf } from './mqtt-bridge/broker.ts'

const USAGE = `bun run mqtt-bridge

Takes readings from an MQTT broker to a Groundwave server. Variables say from where to where (docs/configuration.md):

  MQTT_URL=mqtts://user:password@broker.example.org:8883 MQTT_TOPIC=zigbee2mqtt/{sensor} MQTT_PAYLOAD=object \\
    MQTT_FLEET_KEY=svcfl_… GROUNDWAVE_URL=https://readings.example.org bun run mqtt-bridge
`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } })
  if (values.help === true) {
    process.stdout.write(USAGE)
    return
  }
  const config = readBridgeConfig(process.env)
  const logger = createLogger(config.logLevel)
  await runUntilSignal(
    logger,
    async (shutdown) => shutdown.onStop('bridge', startBridge(config, logger)),
    writeStartError,
  )
  const { hasTls, host, port } = config.broker
  process.stdout.write(
    `Groundwave is bridging ${subscriptionOf(config.topic)} at ${host}:${port}${hasTls ? ' (TLS)' : ''} to ${new URL(config.serverUrl).host}\n`,
  )
}

main().catch((error: unknown) => {
  writeStartError(error)
  process.exit(1)
})
