/** E-mail addresses: one form for each, so that an address cannot have two accounts. */
import { domainToASCII } from 'node:url'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'

const SHAPE = /^[^\s@<>"(),:;\\]{1,64}@[^\s@]{1,253}$/u
const MAX_LENGTH = 254

/** In lower case, the domain in ASCII. @throws AppError VALIDATION_FAILED */
export function normalizedEmail(text: string, field: string): string {
  const trimmed = text.trim().normalize('NFC').toLowerCase()
  const at = trimmed.lastIndexOf('@')
  const domain = domainToASCII(trimmed.slice(at + 1))
  const email = `${trimmed.slice(0, at)}@${domain}`
  if (at < 1 || domain === '' || email.length > MAX_LENGTH || !SHAPE.test(email))
    throw invalidField(field, 'email', fieldText('email'))
  return email
}
