/** The data of the card of an asset: newest values with their units, and how it moved last. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import { useLive } from '../../live.ts'
import { type Latest, loadLatest, merged } from '../sensors/one/sensor-data.ts'
import type { Asset } from './engine/asset-index.ts'
import { type Movement, movementBetween } from './track/geodesic.ts'
import { loadTrack } from './track/track-load.ts'

export type CardValue = { name: string; unit: string | null; value: number | boolean; at: string }

/** Active channels that have a value, in the order of the sensor. */
export function useValues(sensorId: string): { values: CardValue[] | undefined; latest: Resource<Latest> } {
  const latest = useResource((signal) => loadLatest(sensorId, signal), [sensorId])
  const channels = useResource(
    async (signal) => {
      const query = { q: sensorId, limit: 1 }
      const { items } = await dataOf(api.GET('/enterprise/v1/assets/sensors', { params: { query }, signal }))
      return items.find(({ id }) => id === sensorId)?.channels ?? []
    },
    [sensorId],
  )
  useLive(
    {
      sensors: [sensorId],
      onReadings: (readings) => {
        latest.data.value = merged(latest.data.peek(), readings)
      },
      refresh: () => latest.reload(),
    },
    [sensorId],
  )
  const newest = latest.data.value?.values
  const values = channels.data.value?.flatMap(({ name, unit }) => {
    const found = newest?.[name]
    return found === undefined ? [] : [{ name, unit, ...found }]
  })
  return { values: newest && values, latest }
}

type Place = Pick<Asset, 'longitude' | 'latitude' | 'at'>
/** Over a longer time the straight way between two positions says little about speed and direction. */
const LONGEST_MS = 10 * 60_000

const movement = (from: Place, to: Place): Movement | undefined =>
  to.at - from.at > LONGEST_MS
    ? undefined
    : movementBetween([from.longitude, from.latitude], from.at, [to.longitude, to.latitude], to.at)

/** From the last two positions: the earlier one is loaded, and later the position before each new one. */
export function useMovement(asset: Asset): Movement | undefined {
  const last = useRef<Asset>(asset)
  const [before, setBefore] = useState<Place | undefined>(undefined)
  const loaded = useResource(
    async (signal): Promise<Place | undefined> => {
      const textOf = (ms: number): string => new Date(ms).toISOString()
      const { at } = last.current
      const { times, places } = await loadTrack(asset.sensorId, textOf(at - LONGEST_MS), textOf(at), signal)
      const found = times.findLastIndex((ms) => ms < at)
      const [longitude, latitude] = places[found] ?? []
      if (longitude === undefined || latitude === undefined) return undefined
      return { longitude, latitude, at: times[found] as number }
    },
    [asset.sensorId],
  )
  // positions arrive on the map before they can be read as a track
  useLive({ refresh: () => loaded.reload() }, [asset.sensorId])
  useEffect(() => {
    if (asset.at > last.current.at) setBefore(last.current)
    last.current = asset
  }, [asset.at])
  const earlier = before ?? loaded.data.value
  return earlier === undefined || earlier.at >= asset.at ? undefined : movement(earlier, asset)
}
