/** Channels added to, removed from or renamed in many sensors. */
import type { components } from '../../../api/schema.d.ts'

export type ChannelInput = { name: string; measurement: 'number' | 'whole' | 'boolean'; unit?: string }

/** As the API accepts them. */
export const activeChannels = ({ channels }: Pick<components['schemas']['Sensor'], 'channels'>): ChannelInput[] =>
  channels
    .filter(({ active }) => active)
    .map(({ name, measurement, unit }) => ({ name, measurement, ...(unit !== null && { unit }) }))

export type ChannelEdit =
  | { kind: 'add'; channel: ChannelInput }
  | { kind: 'remove'; name: string }
  | { kind: 'rename'; name: string; to: string }

/** @returns the new channels, or undefined if nothing has to change */
export function editChannels(channels: readonly ChannelInput[], edit: ChannelEdit): ChannelInput[] | undefined {
  const name = edit.kind === 'add' ? edit.channel.name : edit.name
  const has = channels.some((one) => one.name === name)
  if (edit.kind === 'add') {
    const { measurement, unit } = edit.channel
    const isSame = channels.some((one) => one.name === name && one.measurement === measurement && one.unit === unit)
    // another channel of this name is a fault that the API explains
    return isSame ? undefined : [...channels, edit.channel]
  }
  if (!has) return undefined
  if (edit.kind === 'remove') return channels.filter((one) => one.name !== name)
  return channels.map((one) => (one.name === name ? { ...one, name: edit.to } : one))
}
