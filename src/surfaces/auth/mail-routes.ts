/** Routes for links that visitors request for their own address. */

import { Elysia } from 'elysia'
import type { MailRequests } from '../../access/mail/mail-requests.ts'
import { peerOf } from '../../http/address.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeed } from '../../http/envelope.ts'
import * as model from './request-schemas.ts'

export function mailRoutes(requests: MailRequests) {
  return new Elysia({ name: 'auth-mail' })
    .post(
      '/reset-links',
      async ({ request, body: { email } }) => {
        await requests.reset(email, peerOf(request))
        return succeed(request, {})
      },
      model.operation(
        'Have a link sent that resets the password',
        'The answer is the same whether or not the address has an account. The link is valid for an hour. `MAIL_UNAVAILABLE` without `SMTP_URL`.',
        { body: bodySchema(model.address) },
      ),
    )
    .post(
      '/sign-up',
      async ({ request, body: { email } }) => {
        await requests.signUp(email, peerOf(request))
        return succeed(request, {})
      },
      model.operation(
        'Have a link sent that creates an account',
        'Only with `SIGN_UP=open`. The answer is the same whether or not the address has an account. The link is valid for a day; the account is that of a person on the plan free.',
        { body: bodySchema(model.address) },
      ),
    )
}
