/** Request schemas of /auth. */
import { Type } from '@sinclair/typebox'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../access/sign-in/password-hashing.ts'
import { plainOperationsOf } from '../../http/openapi/openapi-schemas.ts'

const closed = { additionalProperties: false } as const
const email = Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address, in any case' })
const newPassword = Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD })
/** Short passwords are accepted here, so that they are answered like wrong ones. */
const password = Type.String({ minLength: 1, maxLength: MAX_PASSWORD })
const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Name of the person' })
const token = Type.String({ minLength: 1, maxLength: 100, description: 'Last part of the address of the link' })

export const address = Type.Object({ email }, closed)
export const signIn = Type.Object({ email, password }, closed)
export const passwordChange = Type.Object({ currentPassword: password, password: newPassword }, closed)
const among = <V extends string>(values: readonly V[], description: string) =>
  Type.Optional(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  )
const preferences = Type.Object(
  {
    language: among(['en', 'ar'] as const, 'Language of the portal'),
    theme: among(['auto', 'light', 'dark'] as const, 'auto follows the device'),
    digits: among(['latn', 'arab'] as const, 'latn: 0123, arab: ٠١٢٣'),
    zone: among(['local', 'utc'] as const, 'Zone of shown times: of the device, or UTC'),
  },
  { ...closed, minProperties: 1 },
)
export const accountChange = Type.Object(
  { name: Type.Optional(name), preferences: Type.Optional(preferences) },
  { ...closed, minProperties: 1 },
)
export const linkToken = Type.Object({ token }, closed)
export const linkUse = Type.Object(
  {
    token,
    name: Type.Optional(name),
    email: Type.Optional(email),
    password: Type.Optional(newPassword),
    asSignedIn: Type.Optional(
      Type.Boolean({ description: 'Accept for the account of the session, instead of creating one' }),
    ),
  },
  closed,
)

export const operation = plainOperationsOf((summary, description) => ({
  tags: ['Accounts'],
  summary,
  security: [],
  description,
}))
