/** Parses and formats coordinates in degrees and decimal minutes (ddm), or degrees, minutes and seconds (dms). */
import { InputError } from '../input-error.ts'

export const COORDINATE_FORMATS = ['dd', 'dms', 'ddm'] as const
export type CoordinateFormat = (typeof COORDINATE_FORMATS)[number]
export type Axis = 'lon' | 'lat'

const LETTERS = { lon: { plus: 'E', minus: 'W' }, lat: { plus: 'N', minus: 'S' } } as const
const LIMIT = { lon: 180, lat: 90 } as const

const NUMBER = '(\\d+(?:[.,]\\d+)?)'
const PATTERNS = {
  ddm: new RegExp(`^([-+])?(\\d+)\\s*(?:°|º|d|:|\\s)\\s*${NUMBER}\\s*(?:['′’m])?$`, 'i'),
  dms: new RegExp(
    `^([-+])?(\\d+)\\s*(?:°|º|d|:|\\s)\\s*(\\d+)\\s*(?:['′’m:]|\\s)\\s*${NUMBER}\\s*(?:["″”s]|'')?$`,
    'i',
  ),
} as const

const EXAMPLES = { ddm: "52°31.2083'N", dms: '52°31\'12.5"N' } as const

/** Parses a coordinate into decimal degrees. @throws InputError with an example of the format */
export function parseCoordinate(text: string, format: 'dms' | 'ddm', axis: Axis): number {
  const letters = LETTERS[axis]
  const trimmed = text.trim()
  const letter = /^[NSEW]|[NSEW]$/i.exec(trimmed)?.[0].toUpperCase()
  const bare = trimmed.replace(/^[NSEW]\s*|\s*[NSEW]$/gi, '').trim()
  const found = PATTERNS[format].exec(bare)
  if (found === null) throw new InputError(format, `must look like ${EXAMPLES[format]}`)
  if (letter !== undefined && letter !== letters.plus && letter !== letters.minus)
    throw new InputError('hemisphere', `must have ${letters.plus} or ${letters.minus} as its hemisphere letter`)
  const [, sign, degrees = '0', minutes = '0', seconds = '0'] = found
  if (sign !== undefined && letter !== undefined)
    throw new InputError('sign', 'must have either a sign or a hemisphere letter, not both')
  const decimal = (part: string): number => Number(part.replace(',', '.'))
  if (decimal(minutes) >= 60) throw new InputError('minutes', 'minutes must be less than 60')
  if (decimal(seconds) >= 60) throw new InputError('seconds', 'seconds must be less than 60')
  const value = Number(degrees) + decimal(minutes) / 60 + decimal(seconds) / 3600
  if (value > LIMIT[axis]) throw new InputError('range', `must be at most ${LIMIT[axis]} degrees`)
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
