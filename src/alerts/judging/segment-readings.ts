/**
 * The readings of a segment in the order in which they are judged: calls in the order of the file, and the readings of a
 * call by their own time. Rows next to each other with the same sensor and time of receipt are one call.
 */
import { rowEnd } from '../../ingest/row.ts'
import { lengthBytes, readInt64, readLength } from '../../stores/clickhouse/row-binary.ts'

const CHANNEL_NUMBERS = 65_536
/** Offsets from a row's end. */
const [LONGITUDE, LATITUDE, RECEIVED_AT, KEEP_DAYS] = [26, 18, 10, 2]

/** The reading that is judged; the object is used again for the next one. */
export class SegmentReadings {
  sensor = 0
  atMs = 0
  receivedMs = 0
  longitude = Number.NaN
  latitude = Number.NaN
  retentionDays = 0
  private readonly values = new Float64Array(CHANNEL_NUMBERS)
  /** The reading that has a channel's value, by its number. */
  private readonly readings = new Float64Array(CHANNEL_NUMBERS)
  private reading = 0

  /** NaN if the reading has no value of the channel. */
  valueOf(channel: number): number {
    return this.readings[channel] === this.reading ? (this.values[channel] as number) : Number.NaN
  }

  /** @param onReading called for each reading of a watched sensor */
  each(bytes: Uint8Array, isWatched: (sensor: number) => boolean, onReading: () => void): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let call: { start: number; end: number; atMs: number }[] = []
    const judgeCall = (): void => {
      if (call.length > 1) call.sort((a, b) => a.atMs - b.atMs)
      for (const { start, end } of call) {
        this.decode(bytes, view, start, end)
        onReading()
      }
      if (call.length > 0) call = []
    }
    let [sensor, receivedMs] = [0, 0]
    for (let start = 0, end = rowEnd(bytes, 0); end >= 0; start = end, end = rowEnd(bytes, start)) {
      const own = view.getUint32(start + 4, true)
      const received = Math.abs(readInt64(view, end - RECEIVED_AT))
      if (own !== sensor || received !== receivedMs) judgeCall()
      sensor = own
      receivedMs = received
      // sensor 0 is the mark of a commit
      if (sensor !== 0 && isWatched(sensor)) call.push({ start, end, atMs: readInt64(view, start + 8) })
    }
    judgeCall()
  }

  private decode(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    this.reading++
    this.sensor = view.getUint32(start + 4, true)
    this.atMs = readInt64(view, start + 8)
    this.longitude = view.getFloat64(end - LONGITUDE, true)
    this.latitude = view.getFloat64(end - LATITUDE, true)
    this.receivedMs = Math.abs(readInt64(view, end - RECEIVED_AT))
    this.retentionDays = view.getUint16(end - KEEP_DAYS, true)
    const count = readLength(bytes, start + 16)
    const channels = start + 16 + lengthBytes(count)
    const values = channels + 2 * count + lengthBytes(count)
    for (let i = 0; i < count; i++) {
      const channel = view.getUint16(channels + 2 * i, true)
      this.readings[channel] = this.reading
      this.values[channel] = view.getFloat64(values + 8 * i, true)
    }
  }
}
