/** The options of routes of /enterprise/v1/assets: rights, documentation and schemas. */
import type { Guarded } from '../../access/authorization.ts'
import { ORGANIZATION_SECURITY, operationsOf } from '../../http/openapi/openapi-schemas.ts'

export const operation = operationsOf<Guarded>('Assets', ORGANIZATION_SECURITY)
