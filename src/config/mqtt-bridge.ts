/** The variables of `bun run mqtt-bridge`. */
import { variableReader } from '../config.ts'
import { ConfigError } from './config-error.ts'
import { withSecretFiles } from './secret-files.ts'

export type BridgeConfig = ReturnType<typeof readBridgeConfig>

const BROKER_EXAMPLE = 'MQTT_URL=mqtts://user:password@broker.example.org:8883'
const MAX_TOPIC_BYTES = 65_535
const SENSOR_LEVEL = '{sensor}'

/** @throws ConfigError naming the variable, the rule and an example */
export function readBridgeConfig(environment: Record<string, string | undefined>) {
  const { text, whole, choice, url } = variableReader(withSecretFiles(environment))
  const brokerUrl = url('MQTT_URL')
  if (brokerUrl === undefined) throw new ConfigError(`MQTT_URL is required, such as ${BROKER_EXAMPLE}`)
  const serverUrl = url('GROUNDWAVE_URL')
  if (serverUrl === undefined)
    throw new ConfigError('GROUNDWAVE_URL is required, such as GROUNDWAVE_URL=https://readings.example.org')
  const fleetKey = text('MQTT_FLEET_KEY')
  // the value is not repeated
  if (!/^svcfl_[\w-]+$/.test(fleetKey))
    throw new ConfigError('MQTT_FLEET_KEY is required and must be a fleet key, such as MQTT_FLEET_KEY=svcfl_…')
  return Object.freeze({
    broker: brokerOf(brokerUrl),
    topic: topicOf(text('MQTT_TOPIC')),
    payload: choice('MQTT_PAYLOAD') as 'readings' | 'object',
    fleetKey,
    serverUrl: serverUrl.replace(/\/+$/, ''),
    maxMessageBytes: whole('SENSOR_BODY_BYTES'),
    logLevel: choice('LOG_LEVEL'),
  })
}

function brokerOf(value: string) {
  const { protocol, hostname, port, username, password, pathname, search } = new URL(value)
  const hasPath = (pathname !== '' && pathname !== '/') || search !== ''
  if (hostname === '' || hasPath)
    throw new ConfigError(`MQTT_URL must name a host, and has neither a path nor a query, such as ${BROKER_EXAMPLE}`)
  const hasTls = protocol === 'mqtts:'
  try {
    return {
      hasTls,
      // without the brackets of an IPv6 address
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (hasTls ? 8883 : 1883) : Number(port),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    }
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause
    throw new ConfigError(`user and password in MQTT_URL must be percent-encoded, such as ${BROKER_EXAMPLE}`)
  }
}

function topicOf(topic: string): string {
  const levels = topic.split('/')
  const isValid =
    levels.filter((level) => level === SENSOR_LEVEL).length === 1 &&
    topic.split(SENSOR_LEVEL).length === 2 &&
    !/[+#\0]/.test(topic) &&
    !topic.startsWith('$') &&
    Buffer.byteLength(topic) <= MAX_TOPIC_BYTES
  if (!isValid)
    throw new ConfigError(
      `MQTT_TOPIC="${topic}" must have ${SENSOR_LEVEL} as one whole level, and neither the wildcards + and # nor $ at its start, such as MQTT_TOPIC=zigbee2mqtt/${SENSOR_LEVEL}`,
    )
  return topic
}
