/** Sends links that are made for others, where the server sends mail. */
import type { Mail } from './mail.ts'
import { type MadeLink, welcomePath } from './one-time-links.ts'

/** @returns whether a mail is on its way */
export type LinkMail = (made: MadeLink, enterpriseName?: string) => boolean

export function createLinkMail(mail: Mail | undefined, publicUrl: string | undefined): LinkMail {
  return ({ link, token }, enterpriseName = '') => {
    if (mail === undefined || publicUrl === undefined || link.email === null) return false
    const url = publicUrl + welcomePath(token)
    const { kind } = link
    mail.send(link.email, kind === 'invitation' ? { kind, url, enterpriseName } : { kind, url })
    return true
  }
}
