/** Response schemas of /auth for the OpenAPI document, by operation. */
import {
  boolean,
  dateTime,
  type Json,
  list,
  nullable,
  object,
  oneOf,
  page,
  ref,
  string,
} from '../../http/openapi/openapi-schemas.ts'

/** Components, by name. */
export const AUTH_SCHEMAS: Json = {
  Preferences: object(
    {
      language: oneOf('en', 'ar'),
      theme: oneOf('auto', 'light', 'dark'),
      digits: oneOf('latn', 'arab'),
      zone: oneOf('local', 'utc'),
    },
    [],
  ),
  PortalSession: object({
    account: nullable(object({ id: string, email: string, name: string, preferences: ref('Preferences') })),
    isOperator: boolean,
    personId: nullable(string),
    memberships: list(
      object({
        enterpriseId: string,
        enterpriseName: string,
        enterpriseStatus: oneOf('active', 'suspended'),
        memberId: string,
        role: oneOf('owner', 'admin', 'member'),
      }),
    ),
    csrfToken: nullable(string),
    oidc: boolean,
    signUp: oneOf('open', 'closed'),
    mail: boolean,
  }),
}

const empty = object({})
export const AUTH_RESULTS: Record<string, Json> = {
  'GET /auth/session': ref('PortalSession'),
  'POST /auth/sign-in': ref('PortalSession'),
  'POST /auth/reset-links': empty,
  'POST /auth/sign-up': empty,
  'POST /auth/sign-out': empty,
  'POST /auth/sign-out-everywhere': empty,
  'GET /auth/sessions': page(
    object({
      id: string,
      address: nullable(string),
      userAgent: nullable(string),
      isCurrent: boolean,
      createdAt: dateTime,
      lastUsedAt: dateTime,
      expiresAt: dateTime,
    }),
  ),
  'DELETE /auth/sessions/{id}': object({ id: string }),
  'PATCH /auth/account': object({ id: string, email: string, name: string, preferences: ref('Preferences') }),
  'POST /auth/password': ref('PortalSession'),
  'POST /auth/links/open': object({
    kind: oneOf('operator', 'invitation', 'person', 'sign-up', 'reset'),
    email: nullable(string),
    role: nullable(oneOf('owner', 'admin', 'member')),
    expiresAt: dateTime,
    enterpriseName: nullable(string),
  }),
  'POST /auth/links/use': ref('PortalSession'),
}
