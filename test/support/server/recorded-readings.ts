/** Three sensors with random readings over nine days, for tests that compare analytics with plain loops over them. */

import { seeded } from '../random.ts'
import { atRunEnd, onceInProcess } from '../run-end.ts'
import { startClickHouse } from '../stores/reading-stores.ts'
import {
  createInstance,
  type Instance,
  type MadeSensor,
  type Organization,
  outcomeOf,
  untilStored,
} from './instance.ts'
import { sharedInstance } from './shared-instance.ts'

export type SentReading = { ms: number; values: Record<string, number | boolean>; location?: [number, number] }
export type Recorded = {
  instance: Instance
  /** The owner of the sensors. */
  organization: Organization
  /** An enterprise without readings. */
  other: Organization
  sensors: MadeSensor[]
  /** The readings of each sensor, in the order of time. */
  sent: SentReading[][]
}

// the range includes the end of daylight saving time in Berlin on 25 October 2026, 01:00 UTC
export const START = Date.parse('2026-10-20T00:00:00Z')
export const HOURS = 24 * 9
export const iso = (ms: number): string => new Date(ms).toISOString()

/** A server whose readings are in a cluster, for all test files of a process. */
async function onCluster(): Promise<Instance> {
  const cluster = await startClickHouse('cluster')
  atRunEnd(cluster.remove)
  const instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '100000', ...cluster.env })
  atRunEnd(instance.remove)
  return instance
}

/** Sends the readings to a server on a store of readings; each call creates a separate enterprise. */
export async function recordReadings(kind: 'embedded' | 'cluster'): Promise<Recorded> {
  const instance = await (kind === 'cluster' ? onceInProcess('on cluster', onCluster) : sharedInstance())
  const organization = await instance.organization('scale')
  const other = await instance.organization('scale')
  const sensors: MadeSensor[] = []
  const sent: SentReading[][] = []
  const random = seeded(5)
  for (let s = 0; s < 3; s++) {
    sensors.push(
      await instance.sensor(
        organization.id,
        [
          { name: 'temperature', measurement: 'number' },
          ...(s === 0 ? [{ name: 'open', measurement: 'boolean' as const }] : []),
        ],
        `Asset ${s}`,
      ),
    )
    const times = new Set<number>()
    while (times.size < 2_000)
      times.add(START + Math.floor(random() * HOURS * 3600) * 1000 + Math.floor(random() * 1000))
    const readings = [...times]
      .sort((a, b) => a - b)
      .map(
        (ms): SentReading => ({
          ms,
          values: {
            temperature: Math.round(random() * 1e6) / 1e3,
            ...(s === 0 && random() < 0.3 && { open: random() < 0.5 }),
          },
          ...(random() < 0.2 && { location: [random() * 360 - 180, random() * 180 - 90] as [number, number] }),
        }),
      )
    sent.push(readings)
    // newest batch first, because late readings must count as well
    for (let at = readings.length; at > 0; at -= 500) {
      const batch = readings.slice(Math.max(0, at - 500), at).map(({ ms, ...rest }) => ({ at: iso(ms), ...rest }))
      await outcomeOf(await instance.send(sensors[s] as MadeSensor, { readings: batch }))
    }
  }
  for (const sensor of sensors) await untilStored(() => instance, organization, sensor, 2_000)
  return { instance, organization, other, sensors, sent }
}
