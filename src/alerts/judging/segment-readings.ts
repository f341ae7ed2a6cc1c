/**
 * The readings of a segment in the order in which they are judged: calls in the order of the file, and the readings of a
 * call by their own time. Rows next to each other with the same sensor and time of receipt are one call.
 */
import { rowEnd } from '../../ingest/row.ts'
import { lengthBytes, readInt64, readLength } from '../../stores/clickhouse/row-binary.ts'

const CHANNEL_NUMBERS = 65_536
const FIRST_PLACES = 512
/** Offsets from a row's end. */
const [LONGITUDE, LATITUDE, RECEIVED_AT, KEEP_DAYS] = [26, 18, 10, 2]

/** The values of one channel in a call, in the order of its readings: NaN for a reading without the channel. */
export type Column = { values: Float64Array; count: number; least: number; most: number }

/** The readings of the call that is judged; the object is used again for the next one. */
export class CallReadings {
  sensor = 0
  receivedMs = 0
  count = 0
  /** The index of the reading that is judged. */
  reading = 0
  times = new Float64Array(FIRST_PLACES)
  /** NaN for a reading without a location. */
  longitudes = new Float64Array(FIRST_PLACES)
  latitudes = new Float64Array(FIRST_PLACES)
  keepDays = new Uint16Array(FIRST_PLACES)
  /** Readings with a location, and the box around their locations. */
  located = 0
  west = 0
  east = 0
  south = 0
  north = 0
  /** The longest step between two readings; NaN if two have the same time. */
  longestStepMs = 0
  private starts = new Int32Array(FIRST_PLACES)
  private ends = new Int32Array(FIRST_PLACES)
  /** The column of each channel number, plus 1; 0 for none. */
  private readonly columnOf = new Uint16Array(CHANNEL_NUMBERS)
  private readonly columns: Column[] = []
  /** Channel numbers of the columns in use. */
  private readonly channels: number[] = []

  /** @returns undefined if no reading has a value of the channel */
  column(channel: number): Column | undefined {
    const place = channel === -1 ? 0 : (this.columnOf[channel] as number)
    return place === 0 ? undefined : this.columns[place - 1]
  }

  /** @param onCall called for each call of a watched sensor */
  each(bytes: Uint8Array, isWatched: (sensor: number) => boolean, onCall: () => void): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const finish = (): void => {
      if (this.count === 0) return
      this.decode(bytes, view)
      onCall()
      this.count = 0
    }
    this.count = 0
    this.sensor = 0
    let isJudged = false
    for (let start = 0, end = rowEnd(bytes, 0); end >= 0; start = end, end = rowEnd(bytes, start)) {
      const sensor = view.getUint32(start + 4, true)
      const receivedMs = Math.abs(readInt64(view, end - RECEIVED_AT))
      if (sensor !== this.sensor || receivedMs !== this.receivedMs) {
        finish()
        this.sensor = sensor
        this.receivedMs = receivedMs
        // sensor 0 is the mark of a commit
        isJudged = sensor !== 0 && isWatched(sensor)
      }
      if (!isJudged) continue
      const place = this.count++
      if (place === this.times.length) this.grow()
      this.starts[place] = start
      this.ends[place] = end
      this.times[place] = readInt64(view, start + 8)
    }
    finish()
  }

  private grow(): void {
    const larger = <T extends Float64Array | Int32Array>(array: T, next: T): T => {
      next.set(array)
      return next
    }
    const places = 2 * this.times.length
    this.times = larger(this.times, new Float64Array(places))
    this.starts = larger(this.starts, new Int32Array(places))
    this.ends = larger(this.ends, new Int32Array(places))
    this.longitudes = new Float64Array(places)
    this.latitudes = new Float64Array(places)
    this.keepDays = new Uint16Array(places)
    for (const column of this.columns) column.values = new Float64Array(places)
  }

  /** Rows of a call are by time already, unless the sensor has sent them otherwise. */
  private sort(): void {
    const { count, times, starts, ends } = this
    const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => (times[a] as number) - (times[b] as number))
    for (const array of [times, starts, ends]) {
      const before = array.slice(0, count)
      for (let i = 0; i < count; i++) array[i] = before[order[i] as number] as number
    }
  }

  private lookAtSteps(): boolean {
    const { count, times } = this
    let [longest, shortest] = [0, Number.POSITIVE_INFINITY]
    for (let i = 1; i < count; i++) {
      const step = (times[i] as number) - (times[i - 1] as number)
      if (step > longest) longest = step
      if (step < shortest) shortest = step
    }
    this.longestStepMs = shortest === 0 ? Number.NaN : longest
    return shortest >= 0
  }

  private decode(bytes: Uint8Array, view: DataView): void {
    if (!this.lookAtSteps()) {
      this.sort()
      this.lookAtSteps()
    }
    for (const channel of this.channels) this.columnOf[channel] = 0
    this.channels.length = 0
    for (let i = 0; i < this.count; i++) this.decodeValues(view, bytes, this.starts[i] as number, i)
    this.decodePlaces(view)
  }

  private decodeValues(view: DataView, bytes: Uint8Array, start: number, reading: number): void {
    const count = readLength(bytes, start + 16)
    let channel = start + 16 + lengthBytes(count)
    let place = channel + 2 * count + lengthBytes(count)
    for (let j = 0; j < count; j++, channel += 2, place += 8) {
      const column = this.columnFor(view.getUint16(channel, true))
      const value = view.getFloat64(place, true)
      column.values[reading] = value
      column.count++
      if (value < column.least) column.least = value
      if (value > column.most) column.most = value
    }
  }

  private decodePlaces(view: DataView): void {
    const { count, ends, longitudes, latitudes, keepDays } = this
    let located = 0
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let i = 0; i < count; i++) {
      const end = ends[i] as number
      const longitude = view.getFloat64(end - LONGITUDE, true)
      const latitude = view.getFloat64(end - LATITUDE, true)
      keepDays[i] = view.getUint16(end - KEEP_DAYS, true)
      longitudes[i] = longitude
      latitudes[i] = latitude
      if (Number.isNaN(longitude)) continue
      located++
      if (longitude < west) west = longitude
      if (longitude > east) east = longitude
      if (latitude < south) south = latitude
      if (latitude > north) north = latitude
    }
    this.located = located
    this.west = west
    this.south = south
    this.east = east
    this.north = north
  }

  private columnFor(channel: number): Column {
    const place = this.columnOf[channel] as number
    if (place !== 0) return this.columns[place - 1] as Column
    const index = this.channels.push(channel) - 1
    this.columnOf[channel] = index + 1
    const column = this.columns[index] ?? newColumn(this.times.length)
    this.columns[index] = column
    column.values.fill(Number.NaN, 0, this.count)
    column.count = 0
    column.least = Number.POSITIVE_INFINITY
    column.most = Number.NEGATIVE_INFINITY
    return column
  }
}

const newColumn = (places: number): Column => ({ values: new Float64Array(places), count: 0, least: 0, most: 0 })

/** Whether all locations of a call are in one square of a grid (Places). */
export const areInSquare = ({ west, east, south, north }: CallReadings, degrees = 0): boolean =>
  degrees > 0 &&
  Math.floor((west + 180) / degrees) === Math.floor((east + 180) / degrees) &&
  Math.floor((south + 90) / degrees) === Math.floor((north + 90) / degrees)
