/** Numbers the sensors that a call with many readings names. */

export const NO_SENSOR = -1

export type NamedSensors = {
  body: Uint8Array
  /** Readings so far. */
  count: number
  /** Sensors as they were sent, each once; the number of each, and its first reading. */
  sensors: string[]
  numberOf: Map<string, number>
  firstReadings: number[]
}

export type SensorNumbers = {
  ofText(name: string): number
  /** The number of a name without escapes, which has its quotes. */
  ofBytes(start: number, end: number): number
  /** The offset after a name if it followed the last one before; otherwise -1. */
  skipNext(start: number): number
  /** The number of the name that `skipNext` found. */
  takeNext(): number
}

/** Numbers the sensors of a call. Most readings need no text for that, since senders repeat an order. */
export function createSensorNumbers(scan: NamedSensors): SensorNumbers {
  const { sensors, numberOf, firstReadings } = scan
  const body = Buffer.from(scan.body.buffer, scan.body.byteOffset, scan.body.length)
  /** By hash, the sensor that had it first; by sensor, where its name is in the body, and which one followed it. */
  const byHash = new Map<number, number>()
  const starts: number[] = []
  const ends: number[] = []
  const followers: number[] = []
  let last = NO_SENSOR

  function ofText(name: string): number {
    let number = numberOf.get(name)
    if (number === undefined) {
      number = sensors.push(name) - 1
      numberOf.set(name, number)
      firstReadings.push(scan.count)
      starts.push(0)
      ends.push(0)
      followers.push(number)
    }
    return number
  }

  /** The offset after the name of a sensor, if it is at `start`. */
  function skipName(number: number, start: number): number {
    const shift = start - (starts[number] as number)
    const end = ends[number] as number
    // it was never there without escapes
    if (end === 0) return -1
    for (let p = starts[number] as number; p < end; p++) if (body[p] !== body[p + shift]) return -1
    return end + shift
  }

  function numberAt(start: number, end: number): number {
    let hash = 0
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (body[i] as number)) | 0
    const known = byHash.get(hash)
    if (known !== undefined && skipName(known, start) === end) return known
    const number = ofText(body.toString('utf8', start + 1, end - 1))
    starts[number] = start
    ends[number] = end
    if (known === undefined) byHash.set(hash, number)
    return number
  }

  return {
    ofText,
    ofBytes(start, end) {
      const number = numberAt(start, end)
      if (last !== NO_SENSOR) followers[last] = number
      last = number
      return number
    },
    skipNext: (start) => (last === NO_SENSOR ? -1 : skipName(followers[last] as number, start)),
    takeNext() {
      last = followers[last] as number
      return last
    },
  }
}
