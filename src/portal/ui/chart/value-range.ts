/** The range of values of a panel. */

/**
 * The shown range of values: starts at zero if the values come close to it, otherwise fits the values. Its ends are round
 * numbers, so that the text about the axis names its end exactly.
 */
export function valueRange(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1]
  const low = min >= 0 && min <= 0.3 * max ? 0 : min
  const high = max <= 0 && max >= 0.3 * min ? 0 : max
  const span = high - low || Math.abs(high) * 0.1 || 1
  const pad = span * 0.06
  const digits = digitsBelow(span)
  const down = low === 0 ? 0 : toDigits(low - pad, digits, Math.floor)
  const up = high === 0 && low < 0 ? 0 : toDigits(high + pad, digits, Math.ceil)
  return [down, up]
}

/** Decimals that distinguish a hundredth of a span; negative for tens and hundreds. */
const digitsBelow = (span: number): number => 1 - Math.floor(Math.log10(span))

function toDigits(value: number, digits: number, round: (value: number) => number): number {
  // a power below one is no exact number, and its products would have tails such as 1009.6000000000001
  const rounded =
    digits >= 0 ? round(value * 10 ** digits) / 10 ** digits : round(value / 10 ** -digits) * 10 ** -digits
  return Number.isFinite(rounded) ? rounded : value
}
