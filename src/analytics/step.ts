/** Steps of a series: the length of a bucket and its alignment. */

import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { MS_PER_DAY } from '../ingest/timestamp.ts'

export type Step =
  /** Aligned to the Unix epoch. */
  | { kind: 'seconds'; seconds: number }
  /** Aligned to midnight in a time zone; weeks start on Monday, months on their first day. */
  | { kind: 'days' | 'weeks' | 'months'; count: number }

const SHORT = /^(\d{1,9})(s|m|h|d|w|mo|y)$/
// ISO 8601-1, 5.5.2: years and months, or weeks, or days and time
const ISO =
  /^P(?=\w)(?:(\d{1,5})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$/
const RULE = fieldText('stepDuration')

/** @throws AppError VALIDATION_FAILED */
export function parseStep(field: string, text: string): Step {
  const step = parseShortStep(text) ?? parseIsoStep(text)
  if (step === undefined) throw invalidField(field, 'duration', RULE)
  if ((step.kind === 'seconds' ? step.seconds : step.count) === 0)
    throw invalidField(field, 'notZero', fieldText('longerThanZero'))
  return step
}

function parseShortStep(text: string): Step | undefined {
  const found = SHORT.exec(text)
  if (found === null) return undefined
  const count = Number(found[1])
  switch (found[2]) {
    case 's':
      return { kind: 'seconds', seconds: count }
    case 'm':
      return { kind: 'seconds', seconds: count * 60 }
    case 'h':
      return { kind: 'seconds', seconds: count * 3600 }
    case 'd':
      return { kind: 'days', count }
    case 'w':
      return { kind: 'weeks', count }
    default:
      return { kind: 'months', count: found[2] === 'y' ? count * 12 : count }
  }
}

function parseIsoStep(text: string): Step | undefined {
  const found = ISO.exec(text)
  if (found === null) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0))
  const time = hours * 3600 + minutes * 60 + seconds
  const kinds = [years + months, weeks, days + time].filter((amount) => amount > 0).length
  // a mixed step, such as one month and two days, has no natural alignment
  if (kinds > 1) return undefined
  if (years + months > 0) return { kind: 'months', count: years * 12 + months }
  if (weeks > 0) return { kind: 'weeks', count: weeks }
  if (days > 0 && time === 0) return { kind: 'days', count: days }
  return { kind: 'seconds', seconds: days * 86_400 + time }
}

/** The shortest length of a step, in milliseconds. */
export function shortestMs(step: Step): number {
  switch (step.kind) {
    case 'seconds':
      return step.seconds * 1000
    case 'days':
      // a day is an hour shorter when clocks go forward
      return step.count * MS_PER_DAY - 3_600_000
    case 'weeks':
      return step.count * 7 * MS_PER_DAY - 3_600_000
    case 'months':
      return step.count * 28 * MS_PER_DAY
  }
}

const NICE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]

/** A round step that divides a range into at most `buckets` buckets. */
export function niceStep(rangeMs: number, buckets: number): Step {
  const wanted = rangeMs / 1000 / buckets
  const seconds = NICE_SECONDS.find((nice) => nice >= wanted)
  if (seconds !== undefined) return seconds === 86_400 ? { kind: 'days', count: 1 } : { kind: 'seconds', seconds }
  return { kind: 'days', count: Math.ceil(wanted / 86_400) }
}

const SHORT_UNITS = [
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const
const LONG_UNITS = { days: 'd', weeks: 'w', months: 'mo' } as const

/** The step as text, in the format of `parseStep`. */
export function stepText(step: Step): string {
  if (step.kind !== 'seconds') return `${step.count}${LONG_UNITS[step.kind]}`
  const [length, unit] = SHORT_UNITS.find(([unitLength]) => step.seconds % unitLength === 0) ?? [1, 's']
  return `${step.seconds / length}${unit}`
}
