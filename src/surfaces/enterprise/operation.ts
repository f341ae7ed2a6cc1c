/** The options of routes of /enterprise/v1/gis, and parts of their documentation that several routes share. */
import type { Guarded } from '../../access/authorization.ts'
import type { Code } from '../../errors.ts'
import { type Json, ORGANIZATION_SECURITY, operationsOf } from '../../http/openapi/openapi-schemas.ts'

export const operation = operationsOf<Guarded>('GIS', ORGANIZATION_SECURITY)

export const READ_FAILURES: readonly Code[] = ['API_KEY_INVALID', 'ENTERPRISE_SUSPENDED', 'NOT_FOUND', 'RATE_LIMITED']

export const pathParameter = (name: string, description: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})
export const queryParameter = (name: string, description: string, schema: Json = { type: 'string' }): Json => ({
  name,
  in: 'query',
  description,
  schema,
})
export const PAGE_PARAMETERS: Json[] = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
  { name: 'cursor', in: 'query', description: '`nextCursor` of the previous page', schema: { type: 'string' } },
]
export const RUN_ID = pathParameter('runId', 'Id of the run, as in the `usage` block of a result.')
