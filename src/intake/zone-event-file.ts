/** Events as a file of ClickHouse RowBinary (stores/clickhouse/zone-events.ts has the columns), written as it grows. */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { ZoneTransition } from './zone-transitions.ts'

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
  // LEB128, which RowBinary uses for lengths
  function length(value: number): void {
    let left = value
    for (; left > 127; left >>>= 7) at = bytes.writeUInt8((left & 127) | 128, at)
    at = bytes.writeUInt8(left, at)
  }
  function text(value: string): void {
    length(Buffer.byteLength(value))
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
      length(zones.length)
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
