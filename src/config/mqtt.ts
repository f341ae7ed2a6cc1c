/** The MQTT listener's variables. */
import { createSecureContext } from 'node:tls'
import { ConfigError } from './config-error.ts'
import { readVariableFile } from './variable-file.ts'
import type { VariableName } from './variables.ts'

type Reader = { text(name: VariableName<'text'>): string; whole(name: VariableName<'whole'>): number }

/** PEM texts. */
export type TlsFiles = { cert: string; key: string }
export type MqttConfig = {
  port: number
  /** Undefined for connections without TLS. */
  tls: TlsFiles | undefined
  messagesPerMinute: number
  connectionsPerAddress: number
}

/** @returns undefined when there is no listener. @throws ConfigError */
export function readMqtt({ text, whole }: Reader): MqttConfig | undefined {
  const port = whole('MQTT_PORT')
  const tls = readTls(text('MQTT_TLS_CERT'), text('MQTT_TLS_KEY'))
  if (port === 0) return undefined
  return {
    port,
    tls,
    messagesPerMinute: whole('MQTT_MESSAGES_PER_MINUTE'),
    connectionsPerAddress: whole('MQTT_CONNECTIONS_PER_ADDRESS'),
  }
}

function readTls(certPath: string, keyPath: string): TlsFiles | undefined {
  if (certPath === '' && keyPath === '') return undefined
  if (certPath === '' || keyPath === '') throw new ConfigError('MQTT_TLS_CERT and MQTT_TLS_KEY require each other')
  const files = {
    cert: readVariableFile('MQTT_TLS_CERT', certPath),
    key: readVariableFile('MQTT_TLS_KEY', keyPath),
  }
  try {
    createSecureContext(files)
  } catch (cause) {
    // the cause may repeat a part of the key
    throw new ConfigError(
      `MQTT_TLS_CERT="${certPath}" and MQTT_TLS_KEY="${keyPath}" are no certificate and its private key in PEM`,
      { cause },
    )
  }
  return files
}
