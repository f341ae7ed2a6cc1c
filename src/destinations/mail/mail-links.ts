/** Links in mails of destinations: one that confirms an address, and one that stops the mails to it. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const CONFIRM = '/mail/confirm/'
const UNSUBSCRIBE = '/mail/unsubscribe/'

export const confirmPath = (token: string): string => CONFIRM + token

const macOf = (addressId: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`unsubscribe ${addressId}`).digest()

/** The same in every mail to the address, so that nothing has to be stored for it. */
export const unsubscribePath = (addressId: string, secret: string): string =>
  `${UNSUBSCRIBE}${addressId}.${macOf(addressId, secret).toString('base64url')}`

/** @returns the id of the address; undefined for a link that this server has not made */
export function addressOfLink(token: string, secret: string): string | undefined {
  const [id = '', mac = ''] = token.split('.')
  const given = Buffer.from(mac, 'base64url')
  const expected = macOf(id, secret)
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined
}
