/** What a person pastes into a device, a terminal or the console of another system, with the real address and key. */
import { session } from '../../../shell/session.ts'
import { t } from '../../../text/text.ts'
import { bearer, NOW, type SnippetChannel, shell, valuesOf, withShellTime } from '../../../ui/snippets.ts'
import type { FleetWay } from './ways.ts'

/** A field of a form of another system, and its value. */
export type Setting = { label: string; value: string }
export type Configuration = {
  settings?: Setting[]
  /** Texts to paste, in their order. */
  blocks?: { title: string; text: string }[]
  /** What has to be known besides. */
  notes?: string[]
}

const EXAMPLE_DEVICE = 'device-1'
const EXAMPLE_CHANNELS: SnippetChannel[] = [{ name: 'temperature', measurement: 'number' }]
const NEEDS_QUOTES = /[",\r\n]/

const setting = (label: string, value: string): Setting => ({ label, value })
const header = (key: string): string => bearer(key).Authorization

type Sender = { user: string; key: string; topic: string; channels: readonly SnippetChannel[] }

/** Nothing if the server does not listen. */
function mqtt({ user, key, topic, channels }: Sender): Configuration {
  const listener = session.value?.mqtt ?? null
  if (listener === null) return {}
  const { port, tls } = listener
  const host = location.hostname.replace(/^\[|\]$/g, '')
  const message = JSON.stringify({ at: NOW, values: valuesOf(channels) })
  const command = [
    `mosquitto_pub -h ${shell(host)} -p ${port}${tls ? ' --tls-use-os-certs' : ''}`,
    `-u ${shell(user)} -P ${shell(key)}`,
    `-q 1 -t ${shell(topic)} -m ${shell(message)}`,
  ]
  return {
    settings: [
      setting(t('connect.fields.host'), host),
      setting(t('connect.fields.port'), String(port)),
      setting('TLS', t(tls ? 'connect.fields.on' : 'connect.fields.off')),
      setting(t('connect.fields.user'), user),
      setting(t('connect.fields.password'), key),
      setting(t('connect.fields.topic'), topic),
      setting('QoS', '1'),
    ],
    blocks: [{ title: t('connect.blocks.mqtt'), text: withShellTime(command.join(' \\\n  ')) }],
    notes: [t('connect.notes.mqtt'), ...(tls ? [] : [t('connect.notes.noTls')])],
  }
}

export const mqttOfSensor = (id: string, key: string, channels: readonly SnippetChannel[]): Configuration =>
  mqtt({ user: id, key, topic: 'readings', channels })

const cell = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** @param nowMs the time of the row in the example */
export function csvOfSensor(
  id: string,
  key: string,
  channels: readonly SnippetChannel[],
  nowMs: number,
): Configuration {
  const values = Object.entries(valuesOf(channels))
  const at = `${new Date(nowMs).toISOString().slice(0, 19)}Z`
  const rows = [
    ['at', ...values.map(([name]) => name)],
    [at, ...values.map(([, value]) => String(value))],
  ]
  const url = `${location.origin}/sensors/${id}/readings`
  return {
    blocks: [
      {
        title: t('connect.blocks.csvFile'),
        text: `cat > readings.csv <<'EOF'\n${rows.map((row) => row.map(cell).join(',')).join('\n')}\nEOF`,
      },
      {
        title: t('connect.blocks.csvSend'),
        text: [
          `curl -sS ${shell(url)}`,
          `-H ${shell(`Authorization: ${header(key)}`)}`,
          `-H 'Content-Type: text/csv'`,
          '--data-binary @readings.csv',
        ].join(' \\\n  '),
      },
    ],
    notes: [t('connect.notes.csv')],
  }
}

const telegraf = (key: string): string => `[[outputs.influxdb_v2]]
  urls = [${JSON.stringify(location.origin)}]
  token = ${JSON.stringify(key)}
  organization = "-"
  bucket = "-"`

const bridge = (key: string): string =>
  [
    `MQTT_URL=mqtt://localhost:1883`,
    `MQTT_FLEET_KEY=${shell(key)}`,
    `GROUNDWAVE_URL=${shell(location.origin)}`,
    'bun run mqtt-bridge',
  ].join(' \\\n  ')

export function ofFleet(way: FleetWay, key: string): Configuration {
  if (way === 'mqtt') {
    const topic = `sensors/${EXAMPLE_DEVICE}/readings`
    const made = mqtt({ user: 'gateway', key, topic, channels: EXAMPLE_CHANNELS })
    return { ...made, ...(made.notes && { notes: [t('connect.notes.gateway'), ...made.notes] }) }
  }
  if (way === 'telegraf')
    return {
      blocks: [{ title: t('connect.blocks.telegraf'), text: telegraf(key) }],
      notes: [t('connect.notes.telegraf'), t('connect.notes.telegrafChannels')],
    }
  if (way === 'bridge')
    return { blocks: [{ title: t('connect.blocks.bridge'), text: bridge(key) }], notes: [t('connect.notes.bridge')] }
  if (way === 'ttn')
    return {
      settings: [
        setting('Webhook format', 'JSON'),
        setting('Base URL', `${location.origin}/ingest/ttn`),
        setting('Additional headers: Authorization', header(key)),
        setting('Enabled event types', 'Uplink message, Join accept'),
      ],
      notes: [t('connect.notes.ttn')],
    }
  return {
    settings: [
      setting('Payload encoding', 'JSON'),
      setting('Event endpoint URL(s)', `${location.origin}/ingest/chirpstack`),
      setting('Headers: Authorization', header(key)),
    ],
    notes: [t('connect.notes.chirpstack')],
  }
}
