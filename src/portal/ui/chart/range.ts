/** The shown range of time, in the address: `range=24h` is relative to now, `from` and `to` are fixed. */
import { queryValue, setQuery } from '../../shell/router.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const PRESETS = [
  { id: '1h', ms: HOUR_MS },
  { id: '6h', ms: 6 * HOUR_MS },
  { id: '24h', ms: DAY_MS },
  { id: '7d', ms: 7 * DAY_MS },
  { id: '30d', ms: 30 * DAY_MS },
  { id: '1y', ms: 365 * DAY_MS },
] as const
export type PresetId = (typeof PRESETS)[number]['id']

export type Range = {
  fromMs: number
  toMs: number
  /** The range ends now, and moves with the clock. */
  preset: PresetId | undefined
}

const DEFAULT: PresetId = '24h'
/** A bucket of a series is at least a second. */
export const SHORTEST_MS = 10_000
const LONGEST_MS = 20 * 365 * DAY_MS

export const lengthOf = (range: Range): number => range.toMs - range.fromMs

const presetMs = (id: PresetId): number => PRESETS.find((preset) => preset.id === id)?.ms ?? DAY_MS

/** From the address. An invalid range falls back to the default. */
export function rangeOf(nowMs: number, read: (name: string) => string | undefined = queryValue): Range {
  const fromMs = Date.parse(read('from') ?? '')
  const toMs = Date.parse(read('to') ?? '')
  if (toMs - fromMs >= SHORTEST_MS && toMs - fromMs <= LONGEST_MS) return { fromMs, toMs, preset: undefined }
  const preset = PRESETS.find(({ id }) => id === read('range'))?.id ?? DEFAULT
  return { fromMs: nowMs - presetMs(preset), toMs: nowMs, preset }
}

/** The part of the address that has the range, for a link to another page with a chart. */
export const rangeQuery = (): Record<string, string> =>
  Object.fromEntries(
    ['range', 'from', 'to'].flatMap((name) => {
      const value = queryValue(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/**
 * The default is in the address too: a dashboard without a range there shows its stored one.
 * @param push adds an entry to the history, so that the back button returns to the previous range
 */
export function choosePreset(id: PresetId, { push = false } = {}): void {
  setQuery({ range: id, from: undefined, to: undefined }, { push })
}

export function chooseRange(fromMs: number, toMs: number, { push = false } = {}): void {
  const middle = (fromMs + toMs) / 2
  const half = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, toMs - fromMs)) / 2
  // to the second: the precision of the shortest step, and readable in the address
  const text = (ms: number): string => `${new Date(Math.round(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`
  setQuery({ range: undefined, from: text(middle - half), to: text(middle + half) }, { push })
}

/** Twice as long around the same middle, but not into the future. */
export function widened({ fromMs, toMs }: Range, nowMs: number): [number, number] {
  const length = toMs - fromMs
  const end = Math.min(Math.max(nowMs, toMs), toMs + length / 2)
  return [end - 2 * length, end]
}

/** The shortest preset that is at least as long as the range: "live" switches to it. */
export function presetFor(range: Range): PresetId {
  return PRESETS.find(({ ms }) => ms >= lengthOf(range))?.id ?? '1y'
}

/** Text of an input of date and time, in the person's zone or UTC. */
export function inputText(ms: number, isUtc: boolean): string {
  const shifted = isUtc ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000
  return new Date(shifted).toISOString().slice(0, 19)
}

/** @returns NaN for a text that is no time */
export const inputMs = (text: string, isUtc: boolean): number => Date.parse(isUtc ? `${text}Z` : text)
