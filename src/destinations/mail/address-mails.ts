/** Asks addresses whether they want the mails of a destination. */
import { sha256Hex } from '../../access/keys/keys.ts'
import type { Mail } from '../../access/mail/mail.ts'
import { safeName } from '../../access/mail/mail-texts.ts'
import { newSecretText } from '../../access/sessions/session-cookie.ts'
import type { SignInLimits } from '../../access/sign-in/sign-in-limits.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { setConfirmation } from '../../stores/postgres/destinations/addresses.ts'
import type { Destination } from '../../stores/postgres/destinations/destinations.ts'
import { confirmPath } from './mail-links.ts'
import { PAGE_WORDS } from './mail-words.ts'

export type AddressMails = {
  /**
   * Makes a link for each address that has not confirmed, in the transaction that adds it; beyond the limits of mails
   * an address gets none, and its owner can be asked again later.
   * @returns sends them, after the commit
   */
  ask(tx: Database, destination: Destination): Promise<() => void>
}

export type AddressMailDeps = {
  mail: Mail
  publicUrl: string
  limits: Pick<SignInLimits, 'allowsMail'>
  onError(error: unknown): void
}

export function createAddressMails({ mail, publicUrl, limits, onError }: AddressMailDeps): AddressMails {
  return {
    async ask(tx, { id, enterpriseId, name, language, addresses }) {
      const words = PAGE_WORDS[language ?? 'en'].confirm
      const mails: { to: string; subject: string; text: string; html: string }[] = []
      for (const { email, state } of addresses) {
        if (state !== 'unconfirmed' || !(await limits.allowsMail(email, enterpriseId))) continue
        const token = newSecretText()
        await setConfirmation(tx, id, email, sha256Hex(token))
        const url = publicUrl + confirmPath(token)
        const text = words.text.replace('{destination}', () => safeName(name)).replace('{email}', () => email)
        const direction = language === 'ar' ? 'rtl' : 'ltr'
        mails.push({
          to: email,
          subject: words.title,
          text: `${text}\n\n${words.action}: ${url}\n`,
          html: `<!doctype html><html lang="${language}" dir="${direction}"><body dir="${direction}"><p>${Bun.escapeHTML(text)}</p><p><a href="${Bun.escapeHTML(url)}">${words.action}</a></p></body></html>`,
        })
      }
      return () => {
        for (const one of mails) mail.deliver(one).catch(onError)
      }
    },
  }
}
