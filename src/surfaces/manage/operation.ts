/** The options of routes of /manage/v1: rights, documentation and schemas. */
import type { Guarded } from '../../access/authorization.ts'
import { operationsOf } from '../../http/openapi/openapi-schemas.ts'

export const operation = operationsOf<Guarded>('Manage', [{ operatorToken: [] }, { session: [] }])
