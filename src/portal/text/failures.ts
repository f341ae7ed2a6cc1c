/**
 * Failures of the server in the person's language. Codes have a text in both languages, and faults of fields are sent in
 * both. Where the text of the code is less precise, the server's own text, in English, stays available.
 */
import { CODES } from '../../errors.ts'
import { language } from '../shell/preferences.ts'
import { inDigits } from './text.ts'

export type Said = {
  message: string
  /** The server's text, if it may say more. */
  original?: string
}
export type FieldFault = {
  field: string
  rule: string
  message: string
  /** The feature that the fault is in, counted from 0. */
  feature?: number
}

const textsOf = (code: string): { en: string; ar: string } | undefined =>
  (CODES as Record<string, { en: string; ar: string }>)[code]

/** @param message as the server sent it. @param fault the first that it names. @returns undefined when there is neither a text nor a message */
export function saidOf(code: string, message: string | undefined, fault?: FieldFault): Said | undefined {
  const texts = textsOf(code)
  if (language.peek() === 'en' || texts === undefined) {
    const text = message ?? texts?.en
    return text === undefined ? undefined : { message: text }
  }
  const saysMore = message !== undefined && message !== '' && message !== texts.en
  return {
    message: fault === undefined ? texts.ar : `${texts.ar} ${fault.message}`,
    ...(saysMore && fault === undefined && { original: message }),
  }
}

/** One field's fault, as the server sent it. */
export type SentFault = FieldFault & { messageAr: string }

export const faultOf = ({ messageAr, ...fault }: SentFault): FieldFault =>
  language.peek() === 'en' ? fault : { ...fault, message: inDigits(messageAr) }
