/** When a text is empty, and when it is a number: one rule for every reader of text. */

export const isBlank = (text: string | null | undefined): boolean => !text || text.trim() === ''

/** Decimal digits with a point; `Number` would also take hexadecimal ones, and white space for 0. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The number that a text is, where a number is expected; undefined when it is none that a double holds. */
export function decimalOf(text: string | undefined): number | undefined {
  const plain = (text ?? '').trim().replace(/^\u2212/, '-')
  const value = DECIMAL.test(plain) ? Number(plain) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

const INTEGER = /^-?(?:0|[1-9]\d{0,8})$/
/** An exponent has a sign, or a number with a point before it: 12E4 is rather a code. */
const REAL = /^-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]\d+)?$/

/**
 * What a text is where nothing states its type: `integer` and `real` only if the number says all that the text says.
 * Codes with leading zeros or like 12E4, and numbers that no double holds, are texts.
 */
export function guessedType(text: string): 'integer' | 'real' | 'string' {
  const trimmed = text.trim()
  if (INTEGER.test(trimmed)) return 'integer'
  if (!REAL.test(trimmed)) return 'string'
  const value = Number(trimmed)
  return Number.isFinite(value) && (value !== 0 || /^[-0.]*(?:[eE]|$)/.test(trimmed)) ? 'real' : 'string'
}

/** The narrowest type of all texts that are not blank; undefined when all are. */
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
