/** Warnings of tools and exports, in the person's language. */
import { language } from '../shell/preferences.ts'
import { inDigits } from './text.ts'

/** Names in a text, which keep their digits. */
const NAMES = /(\u2068[^\u2069]*\u2069)/

/** @param arabic the same warnings in Arabic; an older result has none, and a header may have fewer */
export function warningsInLanguage(english: unknown, arabic: unknown): string[] {
  const texts = Array.isArray(english) ? english.filter((one) => typeof one === 'string') : []
  if (language.value === 'en' || !Array.isArray(arabic)) return texts
  return texts.map((text, i) => (typeof arabic[i] === 'string' ? inPersonsDigits(arabic[i]) : text))
}

const inPersonsDigits = (text: string): string =>
  text
    .split(NAMES)
    .map((part, i) => (i % 2 === 0 ? inDigits(part) : part))
    .join('')
