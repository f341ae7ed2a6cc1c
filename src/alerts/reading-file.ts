/** Reads files of writeRuleReadings (stores/clickhouse/queries/rule-readings.ts), in pieces of some megabytes. */
import { closeSync, openSync, readSync } from 'node:fs'

const ROWS_AT_ONCE = 65_536

/**
 * @param channels in each row
 * @param isPlaced whether rows have a longitude and a latitude
 * @param visit takes the numbers and the index of the first one of a row: sensor, time, channels, place
 */
export function eachReading(
  path: string,
  channels: number,
  isPlaced: boolean,
  visit: (numbers: Float64Array, row: number) => void,
): void {
  const width = 2 + channels + (isPlaced ? 2 : 0)
  const numbers = new Float64Array(width * ROWS_AT_ONCE)
  const bytes = new Uint8Array(numbers.buffer)
  const file = openSync(path, 'r')
  try {
    for (;;) {
      let filled = 0
      while (filled < bytes.length) {
        const read = readSync(file, bytes, filled, bytes.length - filled, null)
        if (read === 0) break
        filled += read
      }
      const end = filled / Float64Array.BYTES_PER_ELEMENT
      for (let row = 0; row < end; row += width) visit(numbers, row)
      if (filled < bytes.length) return
    }
  } finally {
    closeSync(file)
  }
}
