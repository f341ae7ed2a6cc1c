/** Variables of the MQTT listener; part of variables.ts. */
import { text, type Variables, whole } from './variable.ts'

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
