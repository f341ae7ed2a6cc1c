/** Numbers as people type them, in either language's digits. */

const ARABIC_ZERO = 0x660
const PERSIAN_ZERO = 0x6f0

/** The text with Latin digits and a point before decimals. */
export const latinDigits = (text: string): string =>
  text
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - ARABIC_ZERO))
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - PERSIAN_ZERO))
    .replaceAll(/[٫,]/g, '.')

/** @returns undefined for a text that is no number */
export function numberIn(text: string): number | undefined {
  const wanted = latinDigits(text).trim().replace('−', '-')
  return wanted !== '' && Number.isFinite(Number(wanted)) ? Number(wanted) : undefined
}
