/** A file of zone events as ClickHouse RowBinary: its columns, and the writer. Written in pieces as it grows. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { writeLength } from '../stores/clickhouse/row-binary.ts'
import type { ZoneTransition } from './transitions.ts'

/** The columns in the order in which `add` writes them, with their ClickHouse types. */
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

const FLUSH_BYTES = 1 << 20

export function createEventFile(path: string): EventFile {
  const file = openSync(path, 'w')
  const detectedMs = BigInt(Date.now())
  let bytes = Buffer.allocUnsafe(FLUSH_BYTES * 2)
  let at = 0
  let count = 0

  function flush(): void {
    for (let done = 0; done < at; ) done += writeSync(file, bytes, done, at - done)
    at = 0
  }
  function text(value: string): void {
    at = writeLength(bytes, at, Buffer.byteLength(value))
    at += bytes.write(value, at)
  }

  return {
    path,
    get count() {
      return count
    },
    add({ rule, sensor, position, zones, retentionDays }, layerId, layerVersion) {
      const needed = zones.reduce((sum, zone) => sum + Buffer.byteLength(zone) + 5, 512)
      if (at + needed > bytes.length) {
        flush()
        if (needed > bytes.length) bytes = Buffer.allocUnsafe(needed)
      }
      at = bytes.writeUInt32LE(rule.enterprise, at)
      text(rule.id)
      at = bytes.writeUInt32LE(sensor, at)
      at = bytes.writeBigInt64LE(BigInt(position.ms), at)
      text(rule.event)
      at = bytes.writeDoubleLE(position.longitude, at)
      at = bytes.writeDoubleLE(position.latitude, at)
      at = writeLength(bytes, at, zones.length)
      for (const zone of zones) text(zone)
      text(layerId)
      at = bytes.writeUInt32LE(layerVersion, at)
      at = bytes.writeBigInt64LE(detectedMs, at)
      at = bytes.writeUInt16LE(retentionDays, at)
      count++
    },
    close() {
      flush()
      closeSync(file)
    },
  }
}
