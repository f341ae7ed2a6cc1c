/** Changes of many sensors: each one is read, changed as planned, and can be changed back. */
import { api, dataOf } from '../../../api/client.ts'
import type { components } from '../../../api/schema.d.ts'
import type { Work } from './bulk.ts'
import { activeChannels, type ChannelInput } from './bulk-channels.ts'

export type SensorRecord = components['schemas']['Sensor']
export type Change = {
  externalId?: string | null
  name?: string
  assetName?: string
  tags?: string[]
  enabled?: boolean
  held?: boolean
  channels?: ChannelInput[]
}

const path = (id: string) => ({ params: { path: { id } } })

export const readSensor = (id: string, signal: AbortSignal): Promise<SensorRecord> =>
  dataOf(api.GET('/manage/v1/sensors/{id}', { ...path(id), signal }))

async function change(id: string, body: Change, signal: AbortSignal): Promise<true> {
  await dataOf(api.PATCH('/manage/v1/sensors/{id}', { ...path(id), body, signal }))
  return true
}

/** @param plan the change of a sensor, or undefined if it has the wanted values already */
export function editing(plan: (now: SensorRecord, index: number) => Change | undefined): { work: Work; undo: Work } {
  const before = new Map<string, Change>()
  return {
    async work(id, signal, index) {
      const now = await readSensor(id, signal)
      const wanted = plan(now, index)
      if (wanted === undefined) return false
      const old = { ...now, channels: activeChannels(now) }
      await change(id, wanted, signal)
      before.set(id, Object.fromEntries(Object.keys(wanted).map((key) => [key, old[key as keyof Change]])))
      return true
    },
    undo: (id, signal) => change(id, before.get(id) ?? {}, signal),
  }
}

/** Text of a pattern that stands for a part of the sensor. */
export const PLACEHOLDERS = ['{number}', '{asset}', '{name}'] as const

/** The name by a pattern. Numbers count from 1 in the order of selection, with the digits of the last one. */
export function nameBy(
  pattern: string,
  { name, assetName }: Pick<SensorRecord, 'name' | 'assetName'>,
  index: number,
  count: number,
): string {
  const values: Record<string, string> = {
    '{number}': String(index + 1).padStart(String(count).length, '0'),
    '{asset}': assetName,
    '{name}': name,
  }
  return pattern.replace(/\{(?:number|asset|name)\}/g, (found) => values[found] ?? found).trim()
}
