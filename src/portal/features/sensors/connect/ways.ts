/** The ways by which a device can send. */
import type { components } from '../../../api/schema.d.ts'

export const WAYS = ['http', 'telegraf', 'mqtt', 'ttn', 'chirpstack', 'csv', 'bridge'] as const
export type Way = (typeof WAYS)[number]
/** With the key of one sensor. By MQTT, a gateway may use a fleet key instead. */
export type SensorWay = 'http' | 'mqtt' | 'csv'
/** With a fleet key, for many devices. */
export type FleetWay = 'telegraf' | 'mqtt' | 'ttn' | 'chirpstack' | 'bridge'

export const wayOf = (id: string | undefined): Way | undefined => WAYS.find((way) => way === id)

/** Settings of a fleet key that its senders need. */
type FleetSettings = Partial<
  Pick<components['schemas']['FleetKey'], 'sensorTag' | 'channelNames' | 'channelTags' | 'unknownChannels'>
>
export const FLEET_SETTINGS: Record<FleetWay, FleetSettings> = {
  // hosts have several processors and disks, and more fields than a sensor has channels; disks have a tag `device`
  telegraf: {
    sensorTag: 'host',
    channelNames: 'measurement.field',
    channelTags: ['cpu', 'device', 'interface', 'name'],
    unknownChannels: 'ignore',
  },
  mqtt: {},
  ttn: {},
  chirpstack: {},
  bridge: {},
}
