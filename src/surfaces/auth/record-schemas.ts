/** Schemas of records in responses of /auth for the OpenAPI document. */
import {
  boolean,
  integer,
  type Json,
  list,
  nullable,
  object,
  oneOf,
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
    suspension: nullable(object({ reason: nullable(string) })),
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
    mqtt: nullable(object({ port: integer, tls: boolean })),
  }),
}
