/** Sends links that are made for others, where the server sends mail. */

import type { SignInLimits } from '../sign-in/sign-in-limits.ts'
import type { Mail } from './mail.ts'
import { type MadeLink, welcomePath } from './one-time-links.ts'

/**
 * @param enterprise of the link
 * @returns a function that sends the mail; undefined beyond the mail limits, where the link can still be handed over
 */
export type LinkMail = (made: MadeLink, enterprise?: { id: string; name: string }) => Promise<(() => void) | undefined>

export function createLinkMail(
  mail: Mail | undefined,
  publicUrl: string | undefined,
  limits: Pick<SignInLimits, 'allowsMail'>,
): LinkMail {
  return async ({ link, token }, enterprise) => {
    if (mail === undefined || publicUrl === undefined || link.email === null) return undefined
    if (!(await limits.allowsMail(link.email, enterprise?.id))) return undefined
    const url = publicUrl + welcomePath(token)
    const { email, kind } = link
    const text = kind === 'invitation' ? { kind, url, enterpriseName: enterprise?.name ?? '' } : { kind, url }
    return () => mail.send(email, text)
  }
}
