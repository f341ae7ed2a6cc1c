/** The options of routes of /auth: rights, documentation and schemas. */
import type { Guarded } from '../../access/authorization.ts'
import { operationsOf } from '../../http/openapi/openapi-schemas.ts'

export const operation = operationsOf<Guarded>('Accounts', [])
