/** Network servers that send webhooks, and the sensors of their devices. */
import type { Channel, Envelope, Instance, MadeSensor, Outcome } from '../server/instance.ts'
import { UP } from './chirpstack.ts'
import { UPLINK } from './things-stack.ts'

export type FleetKey = { id: string; key: string }
export type Answer = { status: number; body: Envelope<Outcome> | undefined }

export const fleetKey = (instance: Instance, enterpriseId: string, settings: object = {}): Promise<FleetKey> =>
  instance.manage('POST', `/enterprises/${enterpriseId}/fleet-keys`, { name: 'Network', ...settings })

export const device = (
  instance: Instance,
  enterpriseId: string,
  externalId: string,
  channels: Channel[],
): Promise<MadeSensor> =>
  instance.manage('POST', `/enterprises/${enterpriseId}/sensors`, { channels, assetName: 'Asset', externalId })

/** @param path such as `/ingest/ttn` */
export async function post(
  instance: Instance,
  path: string,
  key: string,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(instance.url() + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as Envelope<Outcome>) }
}

/** The uplink of the documentation, of another device at another time. */
export function thingsStackUplink(devEui: string, at: string, changes: object = {}) {
  const { uplink_message: uplink, end_device_ids: ids } = UPLINK
  return {
    ...UPLINK,
    end_device_ids: { ...ids, dev_eui: devEui },
    uplink_message: { ...uplink, settings: { ...uplink.settings, time: at }, ...changes },
  }
}

/** The uplink of the documentation, of another device at another time. */
export const chirpstackUplink = (devEui: string, at: string, changes: object = {}) => ({
  ...UP,
  deviceInfo: { ...UP.deviceInfo, devEui },
  time: at,
  ...changes,
})

let made = Math.floor(Math.random() * 2 ** 32)
/** A DevEUI that no other test has, in capitals. */
export const newDevEui = (): string => (0x70b3d57e00000000n + BigInt(made++)).toString(16).toUpperCase()
