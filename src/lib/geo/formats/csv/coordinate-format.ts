/** Parses and formats coordinates in degrees and decimal minutes (ddm), or degrees, minutes and seconds (dms). */
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError } from '../../../input-error.ts'

export const COORDINATE_FORMATS = ['dd', 'dms', 'ddm'] as const
export type CoordinateFormat = (typeof COORDINATE_FORMATS)[number]
export type Axis = 'lon' | 'lat'

const LETTERS = { lon: { plus: 'E', minus: 'W' }, lat: { plus: 'N', minus: 'S' } } as const
const LIMIT = { lon: 180, lat: 90 } as const

/** Other characters for the marks, as found on keyboards and in documents (the list of GeographicLib's DMS class). */
const MARKS: [RegExp, string][] = [
  [/[\u2010\u2011\u2013\u2014\u2212\u2796\uFE63\uFF0D]/g, '-'],
  [/[\u2795\uFF0B]/g, '+'],
  [/[\u00BA\u02DA\u2070\u2218]/g, '°'],
  [/[\u2032\u00B4\u2018\u2019\u201B\u02B9\u02CA\u02CB]/g, "'"],
  [/[\u2033\u02BA\u201C\u201D\u201F]|''/g, '"'],
]

const plainMarks = (text: string): string => MARKS.reduce((plain, [others, mark]) => plain.replace(others, mark), text)

const NUMBER = '(\\d+(?:[.,]\\d+)?)'
const DEGREES = '([-+])?(\\d+)\\s*(?:[°d:]|\\s)\\s*'
const PATTERNS = {
  ddm: [new RegExp(`^${DEGREES}${NUMBER}\\s*['m]?$`, 'i')],
  dms: [
    new RegExp(`^${DEGREES}(\\d+)\\s*(?:['m:]|\\s)\\s*${NUMBER}\\s*["s]?$`, 'i'),
    // seconds are optional; without them the minutes need their mark
    new RegExp(`^${DEGREES}${NUMBER}\\s*['m]$`, 'i'),
  ],
} as const

const EXAMPLES = { ddm: "52°31.2083'N", dms: '52°31\'12.5"N' } as const

/** After `d` and `m`, a small `s` at the number is the mark of the seconds. */
const isMarkOfSeconds = (text: string): boolean => /d[^a-z]*m[^a-z]*\ds$/.test(text)
/** An `S` after `d` and `m`, or a small one at the number after other marks, may mean seconds or south. */
const isAmbiguous = (text: string): boolean => /d[^a-z]*m[^a-z"]*\d\s*s$/i.test(text) || /\ds$/.test(text)

/** Parses a coordinate into decimal degrees. @throws InputError with an example of the format */
export function parseCoordinate(text: string, format: 'dms' | 'ddm', axis: Axis): number {
  const letters = LETTERS[axis]
  const plain = plainMarks(text.trim())
  const first = /^[NSEW]/i.exec(plain)?.[0]
  const rest = first === undefined ? plain : plain.slice(1).trim()
  const last = format === 'dms' && isMarkOfSeconds(rest) ? undefined : /[NSEW]$/i.exec(rest)?.[0]
  const bare = last === undefined ? rest : rest.slice(0, -1).trim()
  const found = PATTERNS[format].map((pattern) => pattern.exec(bare)).find((match) => match !== null)
  if (found === undefined) throw new InputError(format, fieldText('looksLike', { example: EXAMPLES[format] }))
  const [letter, other] = [first, last].flatMap((side) => side?.toUpperCase() ?? [])
  if (other !== undefined) throw new InputError('hemisphere', fieldText('oneHemisphere'))
  if (last !== undefined && isAmbiguous(rest)) throw new InputError('hemisphere', fieldText('secondsOrSouth'))
  if (letter !== undefined && letter !== letters.plus && letter !== letters.minus)
    throw new InputError('hemisphere', fieldText('hemisphereLetter', { plus: letters.plus, minus: letters.minus }))
  const [, sign, degrees = '0', minutes = '0', seconds = '0'] = found
  if (sign !== undefined && letter !== undefined) throw new InputError('sign', fieldText('signOrHemisphere'))
  const decimal = (part: string): number => Number(part.replace(',', '.'))
  if (decimal(minutes) >= 60) throw new InputError('minutes', fieldText('minutes'))
  if (decimal(seconds) >= 60) throw new InputError('seconds', fieldText('seconds'))
  const value = Number(degrees) + decimal(minutes) / 60 + decimal(seconds) / 3600
  if (value > LIMIT[axis]) throw new InputError('range', fieldText('degreesAtMost', { most: LIMIT[axis] }))
  return sign === '-' || letter === letters.minus ? -value : value
}

/** Decimal places of seconds and of minutes; the last place is three millimetres at most. */
const SECOND_DECIMALS = 4
const MINUTE_DECIMALS = 6

/** Rounds the whole value before splitting it, so that 60 seconds never appear. */
export function formatCoordinate(degrees: number, format: 'dms' | 'ddm', axis: Axis): string {
  const letter = degrees < 0 ? LETTERS[axis].minus : LETTERS[axis].plus
  const decimals = format === 'dms' ? SECOND_DECIMALS : MINUTE_DECIMALS
  const scale = 10 ** decimals
  const unitsPerDegree = (format === 'dms' ? 3600 : 60) * scale
  const units = Math.round(Math.abs(degrees) * unitsPerDegree)
  const whole = Math.floor(units / unitsPerDegree)
  const rest = units - whole * unitsPerDegree
  if (format === 'ddm') return `${whole}°${padded(rest / scale, decimals)}'${letter}`
  const minutes = Math.floor(rest / (60 * scale))
  return `${whole}°${String(minutes).padStart(2, '0')}'${padded((rest - minutes * 60 * scale) / scale, decimals)}"${letter}`
}

const padded = (value: number, decimals: number): string => value.toFixed(decimals).padStart(3 + decimals, '0')
