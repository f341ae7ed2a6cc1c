/** Sends links that are made for others, where the server sends mail. */
import type { Mail } from './mail.ts'
import { type MadeLink, welcomePath } from './one-time-links.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/**
 * @param enterprise that the link is of
 * @returns whether a mail is on its way; a link beyond the limits of mails can still be handed over
 */
export type LinkMail = (made: MadeLink, enterprise?: { id: string; name: string }) => Promise<boolean>

export function createLinkMail(
  mail: Mail | undefined,
  publicUrl: string | undefined,
  limits: Pick<SignInLimits, 'allowsMail'>,
): LinkMail {
  return async ({ link, token }, enterprise) => {
    if (mail === undefined || publicUrl === undefined || link.email === null) return false
    if (!(await limits.allowsMail(link.email, enterprise?.id))) return false
    const url = publicUrl + welcomePath(token)
    const { kind } = link
    mail.send(link.email, kind === 'invitation' ? { kind, url, enterpriseName: enterprise?.name ?? '' } : { kind, url })
    return true
  }
}
