/** Durations as people write them: "5 min", "2 h", "1 h 30 min", with words and digits of either language. */
import { language } from '../../shell/preferences.ts'
import { unparted } from '../../text/format.ts'
import { locale, t } from '../../text/text.ts'
import { latinDigits } from './numbers.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

const WORDS: Record<string, number> = Object.fromEntries(
  (
    [
      [1, 's sec secs second seconds ث ثانية ثوان ثواني ثوانٍ'],
      [60, 'm min mins minute minutes د دقيقة دقائق'],
      [3_600, 'h hr hrs hour hours س ساعة ساعات'],
      [86_400, 'd day days ي يوم أيام يومًا يوما'],
    ] as const
  ).flatMap(([seconds, words]) => words.split(' ').map((word) => [word, seconds])),
)

const PART = /(\d+(?:\.\d+)?)\s*([\p{L}\p{M}]+)\.?\s*(?:و\s*(?=\d))?/uy

/** @returns whole seconds; undefined for a text that is no duration */
export function secondsIn(text: string): number | undefined {
  const wanted = latinDigits(text).trim().toLowerCase()
  const reader = new RegExp(PART)
  let seconds = 0
  while (reader.lastIndex < wanted.length) {
    const [, number, word = ''] = reader.exec(wanted) ?? []
    const unit = WORDS[word]
    if (number === undefined || unit === undefined) return undefined
    seconds += Number(number) * unit
  }
  return wanted !== '' && Number.isSafeInteger(seconds) ? seconds : undefined
}

function partsOf(seconds: number): [unit: (typeof UNITS)[number][0], count: number][] {
  let rest = seconds
  const parts = UNITS.flatMap(([unit, size]): [(typeof UNITS)[number][0], number][] => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [[unit, count]]
  })
  return parts.length === 0 ? [['second', 0]] : parts
}

/** For a field: every value of it is read back by `secondsIn`. */
export const durationText = (seconds: number): string =>
  partsOf(seconds)
    .map(([unit, count]) => t(`rules.units.${unit}`, { count }).replaceAll(/[\u2066-\u2069]/g, ''))
    .join(' ')

/** For a sentence: "1 hour 30 minutes", exactly. */
export function durationWords(seconds: number): string {
  const words = partsOf(seconds).map(([unit, count]) =>
    unparted(new Intl.NumberFormat(locale.value, { style: 'unit', unit, unitDisplay: 'long' }).format(count)),
  )
  return language.value === 'ar' ? words.join(' و') : words.join(' ')
}
