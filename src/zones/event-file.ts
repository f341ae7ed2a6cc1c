/** A file of zone events: a JSON object in each line, for both stores. Written in pieces as it grows. */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { ZoneTransition } from './transitions.ts'

/** The columns of ClickHouse with their types. */
export const ZONE_EVENT_STRUCTURE = [
  'enterprise UInt32',
  'rule String',
  'sensor UInt32',
  "at DateTime64(3, 'UTC')",
  'event String',
  'longitude Float64',
  'latitude Float64',
  'zones Array(String)',
  'layer String',
  'layer_version UInt32',
  "detected_at DateTime64(3, 'UTC')",
  'keep_days UInt16',
].join(', ')

export type EventFile = {
  path: string
  readonly count: number
  add(transition: ZoneTransition, layerId: string, layerVersion: number): void
  close(): void
}

const FLUSH_CHARS = 1 << 20

/** As both stores read it. */
const timeOf = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, -'Z'.length)

export function createEventFile(path: string): EventFile {
  const file = openSync(path, 'w')
  const detectedAt = timeOf(Date.now())
  let text = ''
  let count = 0
  const flush = (): void => {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    text = ''
  }
  return {
    path,
    get count() {
      return count
    },
    add({ rule, sensor, position, zones, retentionDays }, layerId, layerVersion) {
      const row = {
        enterprise: rule.enterprise,
        rule: rule.id,
        sensor,
        at: timeOf(position.ms),
        event: rule.event,
        longitude: position.longitude,
        latitude: position.latitude,
        zones,
        layer: layerId,
        layer_version: layerVersion,
        detected_at: detectedAt,
        keep_days: retentionDays,
      }
      text += `${JSON.stringify(row)}\n`
      count++
      if (text.length > FLUSH_CHARS) flush()
    },
    close() {
      flush()
      closeSync(file)
    },
  }
}
