/** Reads files of writeReadingsAround (stores/clickhouse/queries/readings-around.ts). */
import { lengthBytes, readLength } from '../../stores/clickhouse/row-binary.ts'
import type { StoredReading } from './judge-again.ts'

/** Sensor, time, time of receipt, longitude, latitude. */
const HEAD_DOUBLES = 5

export type StoredRows = {
  /**
   * The readings of a sensor, in order of time. The object is used again for the next one.
   * @param numbers of the channels whose values are wanted; -1 for none
   * @param options.sinceMs readings received before are left out
   * @param options.isByDevice whether the time of a reading stands for that of its receipt
   */
  of(
    sensor: number,
    numbers: readonly number[],
    options: { sinceMs: number; isByDevice: boolean },
  ): Generator<StoredReading>
}

export function storedRows(bytes: Buffer): StoredRows {
  /** The first row of each sensor, and the end of its rows. */
  const ranges = new Map<number, [start: number, end: number]>()
  for (let at = 0; at < bytes.length; ) {
    const sensor = bytes.readDoubleLE(at)
    const end = rowEnd(bytes, at)
    const range = ranges.get(sensor)
    if (range === undefined) ranges.set(sensor, [at, end])
    else range[1] = end
    at = end
  }
  return {
    *of(sensor, numbers, { sinceMs, isByDevice }) {
      const [start, end] = ranges.get(sensor) ?? [0, 0]
      const reading: StoredReading = {
        atMs: 0,
        receivedMs: 0,
        values: new Float64Array(numbers.length),
        longitude: Number.NaN,
        latitude: Number.NaN,
      }
      for (let at = start; at < end; at = rowEnd(bytes, at)) {
        const receivedMs = bytes.readDoubleLE(at + 16)
        if (receivedMs < sinceMs) continue
        reading.atMs = bytes.readDoubleLE(at + 8)
        reading.receivedMs = isByDevice ? reading.atMs : receivedMs
        reading.longitude = bytes.readDoubleLE(at + 24)
        reading.latitude = bytes.readDoubleLE(at + 32)
        readValues(bytes, at + 8 * HEAD_DOUBLES, numbers, reading.values)
        yield reading
      }
    },
  }
}

/** After the doubles, a list of channels and one of values. */
function rowEnd(bytes: Buffer, start: number): number {
  const lists = start + 8 * HEAD_DOUBLES
  const count = readLength(bytes, lists)
  return lists + 2 * lengthBytes(count) + count * (2 + 8)
}

function readValues(bytes: Buffer, lists: number, numbers: readonly number[], values: Float64Array): void {
  const count = readLength(bytes, lists)
  const channels = lists + lengthBytes(count)
  const list = channels + 2 * count + lengthBytes(count)
  values.fill(Number.NaN)
  for (let i = 0; i < count; i++) {
    const number = bytes.readUInt16LE(channels + 2 * i)
    for (let j = 0; j < numbers.length; j++) if (numbers[j] === number) values[j] = bytes.readDoubleLE(list + 8 * i)
  }
}
