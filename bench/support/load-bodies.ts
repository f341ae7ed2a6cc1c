/** Bodies of readings prepared in advance, in which the load generator rewrites only timestamps and sensors. */
import { writeTimestamp } from '../../src/ingest/timestamp.ts'

export const VARIANTS = 512
/** External ids as `provision` gives them. */
const SENSOR_TAG = 'sensor=s00000'
const SENSOR_MEMBER = '"sensor":"s00000'

/** Readings of a sensor's call, of a call with many sensors, or line protocol. */
export type BodyKind = 'one' | 'many' | 'lines'

/** A run of consecutive readings of one sensor, with the places of its timestamps and of the ends of sensor names. */
export type Variant = { body: Buffer; offsets: Int32Array; sensorOffsets: Int32Array }

/** xorshift32 with a fixed seed, so that every run sends the same readings. */
export function xorshift(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}

/** Random walks with realistic precision. Runs of many sensors are the parts of a list. */
export function prepareVariants(random: () => number, readingsPerRun: number, kind: BodyKind): Variant[] {
  const lineProtocol = kind === 'lines'
  const timestamp = lineProtocol ? '1000000000000000000' : '2000-01-01T00:00:00.000Z'
  return Array.from({ length: VARIANTS }, () => {
    let temperature = 15 + random() * 10
    let humidity = 40 + random() * 30
    let pressure = 1000 + random() * 30
    let longitude = random() * 340 - 170
    let latitude = random() * 160 - 80
    const readings = Array.from({ length: readingsPerRun }, () => {
      temperature += (random() - 0.5) * 0.2
      humidity += (random() - 0.5) * 0.5
      pressure += (random() - 0.5) * 0.1
      longitude += (random() - 0.5) * 1e-4
      latitude += (random() - 0.5) * 1e-4
      if (lineProtocol)
        return `readings,${SENSOR_TAG} temperature=${temperature.toFixed(2)},humidity=${humidity.toFixed(1)},pressure=${pressure.toFixed(2)},longitude=${longitude.toFixed(6)},latitude=${latitude.toFixed(6)} ${timestamp}`
      const values = `{"temperature":${temperature.toFixed(2)},"humidity":${humidity.toFixed(1)},"pressure":${pressure.toFixed(2)}}`
      return `{${kind === 'many' ? `${SENSOR_MEMBER}",` : ''}"at":"${timestamp}","values":${values},"location":[${longitude.toFixed(6)},${latitude.toFixed(6)}]}`
    })
    const list = readings.join(lineProtocol ? '\n' : ',')
    const body = Buffer.from({ one: `{"readings":[${list}]}`, many: `${list},`, lines: `${list}\n` }[kind])
    const tag = kind === 'many' ? SENSOR_MEMBER : SENSOR_TAG
    return { body, offsets: offsetsOf(body, timestamp), sensorOffsets: offsetsOf(body, tag).map((p) => p + tag.length) }
  })
}

function offsetsOf(body: Buffer, text: string): Int32Array {
  const offsets: number[] = []
  for (let p = body.indexOf(text); p >= 0; p = body.indexOf(text, p + 1)) offsets.push(p)
  return Int32Array.from(offsets)
}

/** Writes the decimal digits of an integer so that they end at `end`. */
function writeDigits(target: Buffer, end: number, value: number): void {
  for (let p = end - 1, rest = value; rest > 0; p--) {
    const next = Math.floor(rest / 10)
    target[p] = 48 + (rest - next * 10)
    rest = next
  }
}

/** Copies a run to `offset` for a sensor; its readings start at `firstAtMs`. @returns its length */
export function writeRun(
  out: Buffer,
  offset: number,
  { body, offsets, sensorOffsets }: Variant,
  sensorIndex: number,
  { firstAtMs, intervalMs }: { firstAtMs: number; intervalMs: number },
  lineProtocol: boolean,
): number {
  out.set(body, offset)
  for (let i = 0, atMs = firstAtMs; i < offsets.length; i++, atMs += intervalMs) {
    const target = offset + (offsets[i] as number)
    if (lineProtocol) writeDigits(out, target + 13, atMs)
    else writeTimestamp(out, target, atMs)
  }
  for (const target of sensorOffsets) writeDigits(out, offset + target, sensorIndex)
  return body.length
}
