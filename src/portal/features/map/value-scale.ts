/** The classes of values by which assets are coloured: five that are easy to distinguish, with round limits. */

/** From the lowest class to the highest; the last one has no current value. The others have a token of the same name. */
export const VALUE_CLASSES = ['value-1', 'value-2', 'value-3', 'value-4', 'value-5', 'value-none'] as const
export const NO_VALUE = VALUE_CLASSES.length - 1
const HIGHEST = NO_VALUE - 1

export type ValueScale = {
  /** Between the classes, ascending. A value equal to a limit belongs to the class above it. */
  limits: number[]
  lowest: number
  highest: number
}

/** Faults of single sensors must not take all colours: limits ignore this share of values at either end. */
const IGNORED = 0.02
const ROUND_STEPS = [1, 2, 2.5, 5, 10]
const DIGITS = 12

function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step))
  return (ROUND_STEPS.find((one) => one * power >= step) ?? 10) * power
}

/** @returns undefined without values */
export function scaleOf(values: readonly number[], isBoolean: boolean): ValueScale | undefined {
  const sorted = Float64Array.from(values).sort()
  const last = sorted.length - 1
  const [lowest, highest] = [sorted[0], sorted[last]]
  if (lowest === undefined || highest === undefined) return undefined
  if (isBoolean) return { limits: [0.5], lowest, highest }
  let [low, high] = [sorted[Math.floor(last * IGNORED)] as number, sorted[Math.ceil(last * (1 - IGNORED))] as number]
  if (low === high) [low, high] = [lowest, highest]
  const limits: number[] = []
  if (low < high) {
    const step = roundStep((high - low) / HIGHEST)
    for (let n = Math.floor(low / step) + 1; n * step < high; n++) limits.push(Number((n * step).toPrecision(DIGITS)))
  }
  return { limits: limits.slice(0, HIGHEST), lowest, highest }
}

/** The place in VALUE_CLASSES of the class above a number of limits; fewer classes are spread over all colours. */
export const classAbove = ({ limits }: ValueScale, passed: number): number =>
  limits.length === 0 ? HIGHEST / 2 : Math.round((passed * HIGHEST) / limits.length)

export function classOf(scale: ValueScale, value: number): number {
  const { limits } = scale
  let passed = 0
  while (passed < limits.length && value >= (limits[passed] as number)) passed++
  return classAbove(scale, passed)
}
