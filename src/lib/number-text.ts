/** Tests for empty and numeric texts, shared by every reader of text. */

export const isBlank = (text: string | null | undefined): boolean => !text || text.trim() === ''

/** Decimal digits with a point; `Number` would also accept hexadecimal digits, and white space as 0. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Parses a text as a number; undefined if it is not a number or exceeds the range of a double. */
export function decimalOf(text: string | undefined): number | undefined {
  const plain = (text ?? '').trim().replace(/^\u2212/, '-')
  const value = DECIMAL.test(plain) ? Number(plain) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

const INTEGER = /^-?(?:0|[1-9]\d{0,8})$/
/** An exponent needs a sign, or a decimal point before it: 12E4 is probably a code. */
const REAL = /^-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]\d+)?$/

/**
 * The guessed type of a text: `integer` and `real` only if the number keeps all information of the text. Codes with
 * leading zeros or like 12E4, and numbers beyond the range of a double, are texts.
 */
export function guessedType(text: string): 'integer' | 'real' | 'string' {
  const trimmed = text.trim()
  if (INTEGER.test(trimmed)) return 'integer'
  if (!REAL.test(trimmed)) return 'string'
  const value = Number(trimmed)
  return Number.isFinite(value) && (value !== 0 || /^[-0.]*(?:[eE]|$)/.test(trimmed)) ? 'real' : 'string'
}

/** The narrowest type of all non-blank texts; undefined when all are blank. */
export function guessedColumnType(
  texts: Iterable<string | null | undefined>,
): 'integer' | 'real' | 'string' | undefined {
  let type: 'integer' | 'real' | undefined
  for (const text of texts) {
    if (isBlank(text)) continue
    const found = guessedType(text as string)
    if (found === 'string') return 'string'
    if (type !== 'real') type = found
  }
  return type
}
