/** Asks addresses whether they want the mails of a destination. */
import { sha256Hex } from '../../access/keys/keys.ts'
import type { ComposedMail, Mail } from '../../access/mail/mail.ts'
import { safeName } from '../../access/mail/mail-texts.ts'
import { newSecretText } from '../../access/sessions/session-cookie.ts'
import type { SignInLimits } from '../../access/sign-in/sign-in-limits.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { noteUnreachable, setConfirmation } from '../../stores/postgres/destinations/addresses.ts'
import type { Destination } from '../../stores/postgres/destinations/destinations.ts'
import { confirmPath } from './mail-links.ts'
import { PAGE_WORDS } from './mail-words.ts'

export type AddressMails = {
  /**
   * Makes a link for each address that has not confirmed, in the transaction that adds it; beyond the limits of mails
   * an address gets none, and its owner can be asked again later.
   * @returns sends them, after the commit; the state of an address shows if that fails
   */
  ask(tx: Database, destination: Destination): Promise<() => void>
}

export type AddressMailDeps = {
  db: Database
  mail: Mail
  publicUrl: string
  limits: Pick<SignInLimits, 'allowsMail'>
  onError(error: unknown): void
}

export function createAddressMails({ db, mail, publicUrl, limits, onError }: AddressMailDeps): AddressMails {
  return {
    async ask(tx, { id, enterpriseId, name, language, addresses }) {
      const words = PAGE_WORDS[language ?? 'en'].confirm
      const mails: { tokenSha256: string; mail: ComposedMail }[] = []
      for (const { email, state } of addresses) {
        const isAsked = state === 'unconfirmed' || state === 'unreachable'
        if (!isAsked || !(await limits.allowsMail(email, enterpriseId))) continue
        const token = newSecretText()
        const tokenSha256 = sha256Hex(token)
        await setConfirmation(tx, id, email, tokenSha256)
        const url = publicUrl + confirmPath(token)
        const text = words.text.replace('{destination}', () => safeName(name)).replace('{email}', () => email)
        const direction = language === 'ar' ? 'rtl' : 'ltr'
        mails.push({
          tokenSha256,
          mail: {
            to: email,
            subject: words.title,
            text: `${text}\n\n${words.action}: ${url}\n`,
            html: `<!doctype html><html lang="${language}" dir="${direction}"><body dir="${direction}"><p>${Bun.escapeHTML(text)}</p><p><a href="${Bun.escapeHTML(url)}">${words.action}</a></p></body></html>`,
          },
        })
      }
      return () => {
        for (const { tokenSha256, mail: asked } of mails)
          mail
            .deliver(asked)
            .catch((error: unknown) => {
              onError(error)
              return noteUnreachable(db, tokenSha256)
            })
            .catch(onError)
      }
    },
  }
}
