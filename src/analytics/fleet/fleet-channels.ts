/** The active channels of an enterprise's sensors by name, counted lazily after a change. */

import { invalidField } from '../../errors.ts'
import { inTurns } from '../../event-loop-yield.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Measurement } from '../../stores/postgres/sensors/sensors.ts'
import { channelList, suggested } from '../channel-names.ts'
import { type CountsPage, type CountsQuery, countsPage } from './counts-page.ts'
import type { Fleet, FleetRow } from './fleet-index.ts'
import { sortInTurns } from './sort-in-turns.ts'

export type ChannelCount = {
  channel: string
  count: number
  measurements: Measurement[]
  /** Without the unit of channels that have none. */
  units: string[]
  /** The numbers that the channel has in the sensors. */
  numbers: number[]
}

/** Counts by the list of sensors, which is replaced after each change of a sensor. */
const counted = new WeakMap<readonly FleetRow[], Promise<ReadonlyMap<string, ChannelCount>>>()

async function count(byName: readonly FleetRow[]): Promise<ReadonlyMap<string, ChannelCount>> {
  const counts = new Map<string, ChannelCount>()
  await inTurns(byName.length, (i) => {
    for (const [channel, { number, measurement, unit }] of (byName[i] as FleetRow).channels) {
      let entry = counts.get(channel)
      if (entry === undefined) {
        entry = { channel, count: 0, measurements: [], units: [], numbers: [] }
        counts.set(channel, entry)
      }
      entry.count++
      if (!entry.measurements.includes(measurement)) entry.measurements.push(measurement)
      if (!entry.numbers.includes(number)) entry.numbers.push(number)
      if (unit !== null && !entry.units.includes(unit)) entry.units.push(unit)
    }
  })
  const sorted = await sortInTurns(
    [...counts.values()],
    (a, b) => b.count - a.count || (a.channel < b.channel ? -1 : 1),
  )
  return new Map(sorted.map((one) => [one.channel, one]))
}

/** The channel of most sensors first. */
export function channelsOf({ byName }: Fleet): Promise<ReadonlyMap<string, ChannelCount>> {
  let all = counted.get(byName)
  if (all === undefined) {
    all = count(byName)
    counted.set(byName, all)
  }
  return all
}

/** @throws AppError VALIDATION_FAILED for a name that no sensor has */
export function knownChannel(channels: ReadonlyMap<string, ChannelCount>, field: string, name: string): ChannelCount {
  const known = channels.get(name)
  if (known !== undefined) return known
  throw invalidField(field, 'enum', fieldText('channelOfNone', { name, channels: suggested(channels.keys()) }))
}

/** Names in `channel` parameters. @throws AppError VALIDATION_FAILED */
export async function knownChannels(fleet: Fleet, texts: readonly string[]): Promise<string[]> {
  const channels = await channelsOf(fleet)
  const names = channelList(texts, channels)
  for (const name of names) knownChannel(channels, 'query.channel', name)
  return names
}

type Channel = Omit<ChannelCount, 'numbers'>

/** The channel of most sensors first. @throws AppError VALIDATION_FAILED */
export async function listChannels(fleet: Fleet, query: CountsQuery): Promise<CountsPage<Channel>> {
  const all = [...(await channelsOf(fleet)).values()]
  const page = await countsPage(all, ({ channel }) => channel, query)
  return { ...page, items: page.items.map(({ numbers: _, ...shown }) => shown) }
}
