/** Reference systems, for coordinates on maps. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import type { Callers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { nullable, number, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import type { CrsCatalogue } from '../../intake/crs-catalogue.ts'
import { operation } from './operation.ts'
import { crs } from './record-schemas.ts'

const crsQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({ maxLength: 100, description: 'Words of the name or the area of use, or the EPSG code' }),
    ),
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 })),
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 20 })),
  },
  { additionalProperties: false },
)
const crsParams = Type.Object({ code: Type.Number({ minimum: 1, maximum: 999_999, multipleOf: 1 }) })

export function crsRoutes(catalogue: CrsCatalogue, callers: Callers<Organization>) {
  return new Elysia({ name: 'crs' })
    .get(
      '/crs',
      async ({ request, query: { q = '', limit = 100, cursor } }) => {
        await callers.of(request)
        return succeed(request, await catalogue.search({ q, limit, cursor }))
      },
      operation({
        summary: 'List coordinate reference systems',
        description:
          'Searches the geographic and projected systems of the EPSG registry that are not deprecated, with their areas of use.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: crsQuery,
        result: page(ref('Crs')),
      }),
    )
    .get(
      '/crs/:code',
      async ({ request, params }) => {
        await callers.of(request)
        return succeed(request, await catalogue.get(params.code))
      },
      operation({
        summary: 'Get a coordinate reference system',
        description:
          '`proj4` is a PROJ string that agrees with PROJ within ten metres in the area of use when proj4js computes with it, `errorM` the largest difference found. Both are null where there is no such string: use the tools that convert coordinates.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        params: crsParams,
        result: object({ ...crs, proj4: nullable(string), errorM: nullable(number) }),
      }),
    )
}
