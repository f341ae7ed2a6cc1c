/** Variables of the MQTT listener and of the bridge to an MQTT broker; part of variables.ts. */
import { choice, text, url, type Variables, whole } from './variable.ts'

export const mqtt = {
  MQTT_PORT: whole(
    { default: 0, min: 0, max: 65_535 },
    'TCP port on `HOST` for devices that send readings by MQTT 3.1.1; 0 for none. Usual are 1883, and 8883 with TLS.',
  ),
  MQTT_TLS_CERT: text(
    'Path of a PEM file with the certificate of `MQTT_PORT`, and the certificates that lead to its authority. With it, `MQTT_PORT` accepts TLS only; it needs `MQTT_TLS_KEY`.',
  ),
  MQTT_TLS_KEY: text('Path of a PEM file with the private key of `MQTT_TLS_CERT`.'),
  MQTT_MESSAGES_PER_MINUTE: whole(
    { default: 6_000, min: 1, max: 1_000_000_000 },
    'Messages that one MQTT connection may send in a minute. Above it, the server reads the connection no faster. `SENSOR_CALLS_PER_MINUTE` limits only how often a sensor connects.',
  ),
  MQTT_CONNECTIONS_PER_ADDRESS: whole(
    { default: 1_000, min: 1, max: 1_000_000 },
    'MQTT connections that one address may have open; further ones are closed at once. Behind a TCP proxy, all devices share its address.',
  ),
} as const satisfies Variables

/** `bun run mqtt-bridge` reads these; a server does not. */
export const mqttBridge = {
  MQTT_URL: {
    ...url(
      ['mqtt:', 'mqtts:'],
      'required by `bun run mqtt-bridge`',
      'Address of the broker, such as `mqtts://user:password@broker.example.org:8883`. It must speak MQTT 5 with shared subscriptions. User and password are percent-encoded. `mqtts:` is TLS; `NODE_EXTRA_CA_CERTS` names the file of a private authority.',
    ),
    secret: true,
  },
  MQTT_TOPIC: text(
    'Topics whose messages are taken, with `{sensor}` as the level that names the sensor by its id or external id, percent-encoded. The client id at the broker derives from it, so each bridge at a broker has another one.',
    'sensors/{sensor}/readings',
  ),
  MQTT_PAYLOAD: choice(
    'readings',
    ['readings', 'object'],
    'What messages are: `readings`, as for `MQTT_PORT`, or `object`, JSON as devices send it, whose numbers, `true` and `false` become channels with dotted names.',
  ),
  MQTT_FLEET_KEY: { ...text('Fleet key that the bridge sends readings with.'), secret: true },
  GROUNDWAVE_URL: url(
    ['http:', 'https:'],
    'required by `bun run mqtt-bridge`',
    'Address of the server that gets the readings, such as `https://readings.example.org`.',
  ),
} as const satisfies Variables
