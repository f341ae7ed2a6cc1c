/**
 * Failures of the server in the person's language. Codes have a text in both languages. Faults of fields, and messages
 * that say more than the code, are sent in both.
 */
import { CODES } from '../../errors.ts'
import { language } from '../shell/preferences.ts'
import { inDigits } from './text.ts'

export type FieldFault = {
  field: string
  rule: string
  message: string
  /** The feature that the fault is in, counted from 0. */
  feature?: number
}

const textsOf = (code: string): { en: string; ar: string } | undefined =>
  (CODES as Record<string, { en: string; ar: string }>)[code]

/** What the server says about a failure. */
export type SentMessage = { message?: string; messageAr?: string }

/** @param fault the first that it names. @returns undefined when there is neither a text nor a message */
export function saidOf(code: string, sent: SentMessage = {}, fault?: FieldFault): string | undefined {
  const texts = textsOf(code)
  if (language.peek() === 'en') return sent.message ?? texts?.en
  if (texts !== undefined && fault !== undefined) return `${texts.ar} ${fault.message}`
  return sent.messageAr === undefined ? (texts?.ar ?? sent.message) : inDigits(sent.messageAr)
}

/** One field's fault, as the server sent it. */
export type SentFault = FieldFault & { messageAr: string }

export const faultOf = ({ messageAr, ...fault }: SentFault): FieldFault =>
  language.peek() === 'en' ? fault : { ...fault, message: inDigits(messageAr) }
