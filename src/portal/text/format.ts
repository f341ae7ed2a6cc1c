/** Numbers, times and ages as people read them, in the person's language, digits and zone. */
import { computed } from '@preact/signals'
import { language, zone } from '../shell/preferences.ts'
import { sizeOf } from './sizes.ts'
import { isolated, locale, t } from './text.ts'

export const timeZone = computed(() =>
  zone.value === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone,
)

const formats = computed(() => {
  const options = { timeZone: timeZone.value, hourCycle: 'h23' } as const
  const format = (more: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale.value, { ...options, ...more })
  const date = { year: 'numeric', month: 'short', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  return {
    exact: format({ ...date, ...time, timeZoneName: 'short' }),
    moment: format({ ...date, ...time }),
    day: format(date),
  }
})

const isoParts = computed(
  () =>
    new Intl.DateTimeFormat('en', {
      timeZone: timeZone.value,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    }),
)

/** A value of a sensor: up to six significant digits, but a counter keeps all of its digits; never an exponent. */
const reading = computed(
  () =>
    new Intl.NumberFormat(locale.value, {
      maximumSignificantDigits: 6,
      maximumFractionDigits: 0,
      roundingPriority: 'morePrecision',
    }),
)
const hundredths = computed(() => new Intl.NumberFormat(locale.value, { maximumFractionDigits: 2 }))
const tenths = computed(() => new Intl.NumberFormat(locale.value, { maximumFractionDigits: 1 }))
/** As many digits as a number has. */
const figure = computed(() => new Intl.NumberFormat(locale.value, { maximumSignificantDigits: 12 }))
/** Without commas, because it may be an id or a year. Eight digits, so that a coordinate keeps its metre. */
const rounded = computed(
  () =>
    new Intl.NumberFormat(locale.value, {
      maximumSignificantDigits: 8,
      maximumFractionDigits: 0,
      roundingPriority: 'morePrecision',
      useGrouping: false,
    }),
)
/** One of several with commas between them: "390,000, 5,817,300" could be four numbers. */
const listed = computed(() => new Intl.NumberFormat(locale.value, { maximumSignificantDigits: 12, useGrouping: false }))
const whole = computed(() => new Intl.NumberFormat(locale.value, { maximumFractionDigits: 0 }))
const compact = computed(() => new Intl.NumberFormat(locale.value, { notation: 'compact', maximumFractionDigits: 1 }))
const percent = computed(() => new Intl.NumberFormat(locale.value, { style: 'percent', maximumFractionDigits: 1 }))
const relative = computed(() => new Intl.RelativeTimeFormat(locale.value, { style: 'narrow', numeric: 'always' }))
/** "now" */
const present = computed(() => new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' }))
const list = computed(() => new Intl.ListFormat(language.value, { type: 'conjunction' }))
const choice = computed(() => new Intl.ListFormat(language.value, { type: 'disjunction' }))

/** A text for files and fields, which have no use for marks of direction and of lines. */
export const plainText = (text: string): string => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll('\u00a0', ' ')

/** A number and the word after it stay on one line. */
export const unparted = (text: string): string => text.replaceAll(/(?<=\p{Nd}[\u2069]*) /gu, '\u00a0')

/** Left-to-right isolate: a number keeps its unit at its right, in Arabic as well. */
const leftToRight = (text: string): string => `\u2066${text}\u2069`
/** An Arabic unit, or month, is read after its number, from right to left. */
export const besideUnit = (text: string): string =>
  /(?=\p{L})\p{Script=Arabic}/u.test(text) ? `\u2067${unparted(text)}\u2069` : leftToRight(unparted(text))

export const formatFigure = (value: number): string => leftToRight(figure.value.format(value))
/**
 * A number of a person's data, for an element that runs from left to right. Very large and very small ones keep their
 * exponent: zeros alone would be read wrong.
 */
export const formatRounded = (value: number): string =>
  value !== 0 && !(Math.abs(value) >= 1e-6 && Math.abs(value) < 1e15) ? String(value) : rounded.value.format(value)
export const formatListed = (value: number): string => leftToRight(listed.value.format(value))
export const formatWhole = (value: number): string => whole.value.format(value)
export const formatCompact = (value: number): string => unparted(compact.value.format(value))
/** @param value 0 to 1 */
export const formatPercent = (value: number): string => percent.value.format(value)
/** "a, b and c": a name among them cannot change the order of the others. */
export const formatList = (items: readonly string[]): string => list.value.format(items.map(isolated))
/** "a, b or c" */
export const formatChoice = (items: readonly string[]): string => choice.value.format(items.map(isolated))

/** @param unit as the channel names it; nothing for a channel without one */
export function formatValue(value: number | boolean | string | null, unit?: string | null): string {
  if (value === null) return '–'
  if (typeof value === 'boolean') return t(value ? 'chart.on' : 'chart.off')
  if (typeof value === 'string') return value
  return withUnit(reading.value.format(value), unit)
}

/** A value where many stand close together: the digits before the point are never rounded away. */
export function formatBrief(value: number | boolean | string | null, unit?: string | null): string {
  if (typeof value !== 'number' || Number.isInteger(value) || Math.abs(value) < 1) return formatValue(value, unit)
  return withUnit((Math.abs(value) < 100 ? hundredths : tenths).value.format(value), unit)
}

/** A number that is text already. */
export const withUnit = (number: string, unit: string | null | undefined): string =>
  unit ? besideUnit(`${number} ${unit}`) : leftToRight(number)

/** Date, time and zone: for a tooltip or where the exact moment matters. */
export const formatExact = (ms: number): string => formats.value.exact.format(ms)
export const formatMoment = (ms: number): string => formats.value.moment.format(ms)
export const formatDay = (ms: number): string => formats.value.day.format(ms)

/** "2026-11-26T13:30:00+01:00": for files, in the person's zone. */
export function formatIso(ms: number): string {
  const parts = new Map(isoParts.value.formatToParts(ms).map(({ type, value }) => [type, value]))
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ''
  const offset = part('timeZoneName').slice('GMT'.length) || '+00:00'
  const day = `${part('year')}-${part('month')}-${part('day')}`
  return `${day}T${part('hour')}:${part('minute')}:${part('second')}${offset}`
}

/** "26 Nov 2026, 13:30:00 – 13:45:00". */
export const formatSpan = (fromMs: number, toMs: number): string => formats.value.moment.formatRange(fromMs, toMs)
/** "24 – 30 Nov 2026", or one day. */
export const formatDays = (fromMs: number, toMs: number): string => formats.value.day.formatRange(fromMs, toMs)

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
  ['month', 2_629_746],
  ['year', 31_556_952],
]

/** "12 s ago". A moment in the future, because clocks differ, is shown as now. */
export function formatAge(ms: number, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - ms) / 1000)
  if (seconds < 1) return present.value.format(0, 'second')
  const [unit, size] = STEPS.findLast(([, length]) => seconds >= length) ?? (STEPS[0] as (typeof STEPS)[number])
  return unparted(relative.value.format(-Math.floor(seconds / size), unit))
}

/** "in 12 s". A moment that has passed is shown as now. */
export function formatUntil(ms: number, nowMs: number): string {
  const seconds = Math.max(0, (ms - nowMs) / 1000)
  if (seconds < 1) return present.value.format(0, 'second')
  const [unit, size] = STEPS.findLast(([, length]) => seconds >= length) ?? (STEPS[0] as (typeof STEPS)[number])
  return unparted(relative.value.format(Math.ceil(seconds / size), unit))
}

/** The age of data that may be old: "this is from now" would be read wrong. */
export const formatPastAge = (ms: number, nowMs: number): string => formatAge(Math.min(ms, nowMs - 1_000), nowMs)

const DURATIONS: [Intl.NumberFormatOptions['unit'], number][] = [
  ['millisecond', 0.001],
  ['second', 1],
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
]

/** "5 min": an interval, a step or a time in its largest fitting unit. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000
  const [unit, size] = DURATIONS.findLast(([, length]) => seconds >= length) ?? ['millisecond', 0.001]
  const format = new Intl.NumberFormat(locale.value, {
    style: 'unit',
    unitDisplay: 'short',
    maximumFractionDigits: 1,
    ...(unit !== undefined && { unit }),
  })
  const text = format.format(seconds / size)
  // a number keeps its unit of several words beside it
  return language.value === 'ar' ? besideUnit(text) : unparted(text)
}

/** "100 MiB". */
export function formatBytes(bytes: number): string {
  const { unit, count } = sizeOf(bytes)
  return unparted(t(`frame.sizes.${unit}`, { count }))
}
