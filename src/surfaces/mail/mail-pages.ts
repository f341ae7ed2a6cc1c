/**
 * /mail: pages behind the links in mails of destinations. GET changes nothing, since programs that examine mails open links;
 * the POST of RFC 8058 needs no session.
 */
import { Elysia } from 'elysia'
import { sha256Hex } from '../../access/keys/keys.ts'
import { addressOfLink } from '../../destinations/mail/mail-links.ts'
import { type AddressPage, PAGE_WORDS } from '../../destinations/mail/mail-words.ts'
import { respond } from '../../http/envelope.ts'
import type { Database } from '../../stores/postgres/client.ts'
import {
  addressToConfirm,
  confirmAddress,
  findAddress,
  type OwnAddress,
  unsubscribeAddress,
} from '../../stores/postgres/destinations/addresses.ts'

export type MailPageDeps = {
  db: Database
  /** Signs links. */
  secret: string
}

const HTML = 'text/html; charset=utf-8'
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const hidden = { detail: { hide: true }, parse: 'none' } as const

function pageOf(request: Request, page: AddressPage, address: OwnAddress | undefined): Response {
  const isArabic = request.headers.get('accept-language')?.toLowerCase().startsWith('ar') === true
  const language = address?.language ?? (isArabic ? 'ar' : 'en')
  const { title, text, action } = PAGE_WORDS[language][page]
  const filled = Bun.escapeHTML(text)
    .replaceAll('{destination}', () => `<bdi>“${Bun.escapeHTML(address?.destinationName ?? '')}”</bdi>`)
    .replaceAll('{email}', () => `<bdi>${Bun.escapeHTML(address?.email ?? '')}</bdi>`)
  const form = action === '' ? '' : `<form method="post"><button>${Bun.escapeHTML(action)}</button></form>`
  const body = `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${Bun.escapeHTML(title)}</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
</head><body><main><h1>${Bun.escapeHTML(title)}</h1><p>${filled}</p>${form}</main></body></html>
`
  const response = respond(request, body, HTML, page === 'expired' ? 410 : 200)
  response.headers.set('content-security-policy', POLICY)
  response.headers.set('cache-control', 'no-store')
  response.headers.set('referrer-policy', 'no-referrer')
  return response
}

export function mailPages({ db, secret }: MailPageDeps) {
  const answer = (request: Request, page: AddressPage, address: OwnAddress | undefined) =>
    pageOf(request, address === undefined ? 'expired' : page, address)

  return new Elysia({ name: 'mail-pages' })
    .get(
      '/mail/confirm/:token',
      async ({ request, params }) => answer(request, 'confirm', await addressToConfirm(db, sha256Hex(params.token))),
      hidden,
    )
    .post(
      '/mail/confirm/:token',
      async ({ request, params }) => answer(request, 'confirmed', await confirmAddress(db, sha256Hex(params.token))),
      hidden,
    )
    .get(
      '/mail/unsubscribe/:token',
      async ({ request, params }) => {
        const id = addressOfLink(params.token, secret)
        if (id === undefined) return pageOf(request, 'expired', undefined)
        const address = await findAddress(db, id)
        const hasLeft = address === undefined || address.state === 'unsubscribed'
        return pageOf(request, hasLeft ? 'unsubscribed' : 'unsubscribe', address)
      },
      hidden,
    )
    .post(
      '/mail/unsubscribe/:token',
      async ({ request, params }) => {
        const id = addressOfLink(params.token, secret)
        if (id === undefined) return pageOf(request, 'expired', undefined)
        await unsubscribeAddress(db, id)
        return pageOf(request, 'unsubscribed', await findAddress(db, id))
      },
      hidden,
    )
}
