/**
 * Turns letters in the order in which they are displayed, from left to right, into the order in which they are read.
 * This reverses the bidirectional algorithm (Unicode UAX #9): right-to-left text is reversed, except for the Latin words
 * and the numbers in it.
 */

import { append } from '../../../lists.ts'

const RTL = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const LTR = /\p{L}/u
const DIGIT = /\p{Nd}/u
/** A single separator between two digits is part of the number and does not separate two numbers. */
const SEPARATOR = /^[.,:/٫٬]$/
/** Signs that belong to the number they touch on the left or on the right. */
const BEFORE_NUMBER = /^[-+−$€£#]$/
const AFTER_NUMBER = /^[%‰°]$/
const CLOSING: Record<string, string> = { ')': '(', ']': '[', '}': '{', '»': '«' }
const OPENING: Record<string, string> = Object.fromEntries(
  Object.entries(CLOSING).map(([close, open]) => [open, close]),
)

type Kind = 'rtl' | 'ltr' | 'digit' | 'neutral'
const kindOf = (text: string): Kind =>
  DIGIT.test(text) ? 'digit' : RTL.test(text) && /\p{L}/u.test(text) ? 'rtl' : LTR.test(text) ? 'ltr' : 'neutral'

export function readingOrderOf<T extends { text: string }>(letters: readonly T[], rtl: boolean): T[] {
  if (rtl) return rightToLeft(letters)
  const kinds = letters.map(({ text }) => kindOf(text))
  const out: T[] = []
  for (let at = 0; at < letters.length; ) {
    if (kinds[at] !== 'rtl') {
      out.push(letters[at++] as T)
      continue
    }
    let last = at
    for (let i = at; i < letters.length && kinds[i] !== 'ltr'; i++) if (kinds[i] === 'rtl') last = i
    append(out, rightToLeft(letters.slice(at, last + 1)))
    at = last + 1
  }
  return out
}

function rightToLeft<T extends { text: string }>(letters: readonly T[]): T[] {
  const kinds = letters.map(({ text }) => kindOf(text))
  if (!kinds.includes('rtl')) return [...letters]
  const out: T[] = []
  for (let end = letters.length; end > 0; ) {
    const start = startOfForeign(letters, kinds, end)
    if (start === end) out.push(letters[--end] as T)
    else {
      append(out, letters.slice(start, end))
      end = start
    }
  }
  return unmirrored(out)
}

/** Start of the Latin text or the number that ends before `end`, or `end` if there is none. */
function startOfForeign(letters: readonly { text: string }[], kinds: readonly Kind[], end: number): number {
  const text = (i: number): string => letters[i]?.text ?? ''
  const isSign = AFTER_NUMBER.test(text(end - 1)) && kinds[end - 2] === 'digit'
  const from = isSign ? end - 1 : end
  if (kinds[from - 1] !== 'digit' && kinds[from - 1] !== 'ltr') return end
  let start = from
  let hasLatin = false
  for (let i = from - 1; i >= 0 && kinds[i] !== 'rtl'; i--) {
    if (kinds[i] === 'ltr') {
      start = i
      hasLatin = true
    } else if (kinds[i] === 'digit') {
      const isNumber = start === i + 1 || (start === i + 2 && SEPARATOR.test(text(i + 1)))
      if (isNumber || isLatinBefore(kinds, i)) start = i
      else if (!hasLatin) break
      else start = i
    }
  }
  return BEFORE_NUMBER.test(text(start - 1)) && kinds[start] === 'digit' && !DIGIT.test(text(start - 2))
    ? start - 1
    : start
}

/** Whether Latin text stands left of a position, with no right-to-left letter between. */
function isLatinBefore(kinds: readonly Kind[], at: number): boolean {
  for (let i = at - 1; i >= 0 && kinds[i] !== 'rtl'; i--) if (kinds[i] === 'ltr') return true
  return false
}

/** Brackets in right-to-left text may be stored mirrored, as displayed; the opening one is read first. */
function unmirrored<T extends { text: string }>(letters: T[]): T[] {
  const brackets = letters.filter(({ text }) => text in CLOSING || text in OPENING)
  const [first, last] = [brackets[0], brackets.at(-1)]
  if (first === undefined || last === undefined || !(first.text in CLOSING) || !(last.text in OPENING)) return letters
  return letters.map((letter) => ({ ...letter, text: CLOSING[letter.text] ?? OPENING[letter.text] ?? letter.text }))
}
