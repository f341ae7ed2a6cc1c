/** Judges a sensor's call by one run: one reading after the other, or those in which the run finds nothing in one step. */
import type { Run } from './run.ts'
import type { CallReadings, Column } from './segment-readings.ts'

/** With fewer readings left, one step takes as long as a look at each of them. */
const FEWEST_AT_ONCE = 4

/**
 * @param columns of the run's channels
 * @param late gets the indexes of readings that are late
 */
export function judgeCall(
  run: Run,
  slot: number,
  call: CallReadings,
  columns: readonly (Column | undefined)[],
  late: number[],
): void {
  const { count, receivedMs, times, longitudes, latitudes } = call
  for (let i = 0, next = 0; i < count; i++) {
    if (i === next) {
      if (i + FEWEST_AT_ONCE <= count && run.pushRest(slot, call, columns, i)) return
      // the first readings may lead to a state that the others do not change
      next = 2 * i + 1
    }
    for (let j = 0; j < columns.length; j++) run.values[j] = columns[j]?.values[i] ?? Number.NaN
    call.reading = i
    if (!run.push(slot, times[i] as number, receivedMs, longitudes[i] as number, latitudes[i] as number)) late.push(i)
  }
}
