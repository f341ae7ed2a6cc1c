/** Routes for links that visitors request for their own address. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { READERS } from '../../access/authorization.ts'
import type { MailRequests } from '../../access/mail/mail-requests.ts'
import { peerOf } from '../../http/address.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeed } from '../../http/envelope.ts'
import { object } from '../../http/openapi/openapi-schemas.ts'
import { operation } from './operation.ts'
import { closed, email } from './request-schemas.ts'

const address = Type.Object({ email }, closed)

export function mailRoutes(requests: MailRequests) {
  return new Elysia({ name: 'auth-mail' })
    .post(
      '/reset-links',
      async ({ request, body: { email } }) => {
        await requests.reset(email, peerOf(request))
        return succeed(request, {})
      },
      operation({
        summary: 'Have a link sent that resets the password',
        description:
          'The answer is the same whether or not the address has an account. The link is valid for an hour. `MAIL_UNAVAILABLE` without `SMTP_URL`.',
        rights: { of: 'visitor', for: READERS },
        body: bodySchema(address),
        result: object({}),
      }),
    )
    .post(
      '/sign-up',
      async ({ request, body: { email } }) => {
        await requests.signUp(email, peerOf(request))
        return succeed(request, {})
      },
      operation({
        summary: 'Have a link sent that creates an account',
        description:
          'Only with `SIGN_UP=open`. The answer is the same whether or not the address has an account. The link is valid for a day; the account belongs to a person on the plan `free`.',
        rights: { of: 'visitor', for: READERS },
        body: bodySchema(address),
        result: object({}),
      }),
    )
}
