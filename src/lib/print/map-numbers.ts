/** Numbers and coordinates as maps show them, in European or Arabic digits. */
export type Digits = 'latin' | 'arabic'

const SEPARATORS: Record<string, string> = { ',': '٬', '.': '٫' }

/** Converts the digits and separators of a number. */
export const inDigits = (text: string, digits: Digits): string =>
  digits === 'latin'
    ? text
    : text
        .replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)))
        .replace(/[,.]/g, (separator) => SEPARATORS[separator] as string)

const SIDES = { latin: { W: 'W', E: 'E', S: 'S', N: 'N' }, arabic: { W: 'غ', E: 'ق', S: 'ج', N: 'ش' } } as const

/** Formats a coordinate for a map: 13°30′E, 412 000, ١٣°٣٠′ق. */
export function labelOf(value: number, axis: 'x' | 'y', geographic: boolean, digits: Digits): string {
  if (!geographic) return inDigits(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u00A0'), digits)
  const total = Math.round(Math.abs(value) * 3600)
  const [degrees, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  const two = (part: number): string => String(part).padStart(2, '0')
  const parts = seconds > 0 ? `${two(minutes)}′${two(seconds)}″` : minutes > 0 ? `${two(minutes)}′` : ''
  const side = axis === 'x' ? (value < 0 ? 'W' : 'E') : value < 0 ? 'S' : 'N'
  // the meridian at 180 belongs to both hemispheres, as 0 does
  const hasSide = total !== 0 && !(axis === 'x' && total === 180 * 3600)
  return `${inDigits(`${degrees}°${parts}`, digits)}${hasSide ? SIDES[digits][side] : ''}`
}
